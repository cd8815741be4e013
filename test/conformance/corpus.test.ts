/** The whole collection of real files goes through the service, as a user's files would. */
import { Demuxer } from 'node-av/api'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Job } from '../../src/shared/api/resources.ts'
import { type CorpusEntry, mediaCorpus } from '../media-corpus.ts'
import { type RunningService, startService } from './running-service.ts'

const corpus = mediaCorpus()
const images = corpus.filter((entry) => entry.kind === 'image')
/** Minutes of video on two cores; it is the one that is cancelled below. */
const LONG = 'long_1080p_av1.mp4'
const videos = corpus.filter((entry) => entry.kind === 'video' && entry.file !== LONG)

const SMALL_HEIGHT = 180
const SMALL = {
  name: 'Small',
  video: { container: 'mp4', codec: 'h264', crf: 30, speed: 'ultrafast', height: SMALL_HEIGHT },
}

const outputOf = (job: Job, entry: CorpusEntry): string => {
  const found = job.results?.find(({ file }) => file === entry.path)?.outputPath
  const reason = job.errors?.find(({ file }) => file === entry.path)?.error
  if (found === undefined) throw new Error(`no output: ${reason}`)
  return found
}

describe.skipIf(corpus.length === 0)('the collection of real files', () => {
  let service: RunningService
  let imageJob: Job
  let videoJob: Job
  const started = async (entries: readonly CorpusEntry[], preset?: string) => {
    const files = entries.map(({ path }) => path)
    const outputFolder = join(service.folder, preset ?? 'basic')
    const accepted = await service.accept({ files, outputFolder, ...(preset ? { preset } : {}) })
    expect(accepted.skipped).toEqual([])
    return accepted.jobId
  }

  beforeAll(async () => {
    service = await startService([], async (dataDir) => {
      await mkdir(join(dataDir, 'presets'), { recursive: true })
      await writeFile(join(dataDir, 'presets', 'small.json'), JSON.stringify(SMALL))
    })
    const imageJobId = await started(images)
    const videoJobId = await started(videos, SMALL.name)
    imageJob = await service.finished(imageJobId)
    videoJob = await service.finished(videoJobId)
  }, 180_000)
  afterAll(() => service.stop())

  it.each(images.filter(({ expect }) => expect === 'processable'))(
    'the image $file comes out with its displayed size',
    async (entry) => {
      const output = outputOf(imageJob, entry)
      const { autoOrient, pageHeight, pages } = await sharp(output, { animated: true }).metadata()
      expect({ width: autoOrient.width, height: pageHeight ?? autoOrient.height }).toEqual({
        width: entry.width,
        height: entry.height,
      })
      if (entry.format === 'webp') expect(pages ?? 1).toBe(entry.frames ?? 1)
      // Decoded to the last row, not only described.
      await expect(sharp(output).stats()).resolves.toMatchObject({ isOpaque: expect.any(Boolean) })
    },
  )

  it.each(videos.filter(({ expect }) => expect === 'processable'))(
    'the video $file comes out upright and complete',
    async (entry) => {
      const video = await measure(outputOf(videoJob, entry))
      const { width, height } = smallSizeOf(entry)
      // H.264 takes even sides only.
      expect(Math.abs(video.width - width)).toBeLessThanOrEqual(2)
      expect(Math.abs(video.height - height)).toBeLessThanOrEqual(2)
      expect(video.frames).toBeGreaterThanOrEqual(Math.floor((entry.frames ?? 1) * 0.9))
      const duration = entry.duration_s ?? 0
      // Subtitles may stand longer than there are pictures, and then the container's figure is theirs.
      const hasSubtitles = /SRT|mov_text/.test(entry.notes ?? '')
      if (duration > 0.5 && !hasSubtitles)
        expect(Math.abs(video.seconds - duration)).toBeLessThanOrEqual(0.1 * duration + 0.2)
    },
  )

  it.each(corpus.filter(({ expect }) => expect === 'reject'))('$file fails by name, in words', (entry) => {
    const job = entry.kind === 'image' ? imageJob : videoJob
    expect(job.results?.some(({ file }) => file === entry.path)).toBe(false)
    expect(job.errors?.find(({ file }) => file === entry.path)?.error.length).toBeGreaterThan(15)
  })

  it('nothing but the outputs is left, and the service is alive', async () => {
    for (const [name, job] of [
      ['basic', imageJob],
      [SMALL.name, videoJob],
    ] as const) {
      expect(await readdir(join(service.folder, name))).toHaveLength(job.results?.length ?? 0)
      expect(job).toMatchObject({ status: 'completed', progress: { totalProgress: 100 } })
    }
    expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
  })

  it('a long video really stops when it is cancelled, and leaves nothing', async () => {
    const long = corpus.filter(({ file }) => file === LONG)
    const jobId = await started(long, 'Web 720p')
    while (((await service.job(jobId)).progress.phaseProgress ?? 0) < 1) {
      expect((await service.job(jobId)).status).toBe('processing')
    }
    expect((await service.call(`/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(200)
    await service.idle()
    expect((await service.job(jobId)).status).toBe('cancelled')
    expect(await readdir(join(service.folder, 'Web 720p'))).toEqual([])
  })
})

/** The shorter side becomes the preset's height, where it is larger. */
function smallSizeOf({ width, height }: CorpusEntry): { width: number; height: number } {
  const [w, h] = [width ?? 0, height ?? 0]
  const scale = Math.min(1, SMALL_HEIGHT / Math.min(w, h))
  return { width: w * scale, height: h * scale }
}

async function measure(
  path: string,
): Promise<{ width: number; height: number; frames: number; seconds: number }> {
  await using input = await Demuxer.open(path)
  const stream = input.video()
  if (!stream) throw new Error('no video in the result')
  let frames = 0
  for await (const packet of input.packets(stream.index)) {
    if (packet) frames++
  }
  const { width, height } = stream.codecpar
  return { width, height, frames, seconds: input.duration }
}
