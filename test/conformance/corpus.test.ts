/** Processes the whole corpus of real files with the service, as it would a user's files. */
import { Demuxer } from 'node-av/api'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServiceJob } from '../../src/shared/api/resources.ts'
import { isLongSuite, itInLongSuite } from '../faults/long-suite.ts'
import { type CorpusEntry, mediaCorpus } from '../media-corpus.ts'
import { type RunningService, startService } from './running-service.ts'

/** Videos with more frames than this show the service nothing new, and take most of the time. */
const MOST_FRAMES = 60
/** `npm test` processes one file of three. The tests of photos and videos read all. */
const corpus = mediaCorpus().filter(
  ({ frames }, index) => isLongSuite || (index % 3 === 0 && (frames ?? 0) <= MOST_FRAMES),
)
const images = corpus.filter((entry) => entry.kind === 'image')
/** The video that a test cancels. Processing it takes minutes on two cores. */
const LONG = 'long_1080p_av1.mp4'
const videos = corpus.filter((entry) => entry.kind === 'video' && entry.file !== LONG)

const SMALL_HEIGHT = 180
const SMALL = {
  name: 'Small',
  video: { container: 'mp4', codec: 'h264', crf: 30, speed: 'ultrafast', height: SMALL_HEIGHT },
}

const outputOf = (job: ServiceJob, entry: CorpusEntry): string => {
  const found = job.results?.find(({ file }) => file === entry.path)?.outputPath
  const reason = job.errors?.find(({ file }) => file === entry.path)?.error
  if (found === undefined) throw new Error(`no output: ${reason}`)
  return found
}

describe.skipIf(corpus.length === 0)('the corpus of real files', () => {
  let service: RunningService
  let imageJob: ServiceJob
  let videoJob: ServiceJob
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
  })
  afterAll(() => service.stop())

  it.each(images.filter(({ expect }) => expect === 'processable'))(
    'the image $file has its displayed size after processing',
    async (entry) => {
      const output = outputOf(imageJob, entry)
      // The pages of a TIFF are separate images.
      const animated = entry.format !== 'tiff'
      const { autoOrient, pageHeight, pages } = await sharp(output, { animated }).metadata()
      expect({ width: autoOrient.width, height: pageHeight ?? autoOrient.height }).toEqual({
        width: entry.width,
        height: entry.height,
      })
      if (entry.format === 'webp') expect(pages ?? 1).toBe(entry.frames ?? 1)
      // Decodes every row rather than only reading the header.
      await expect(sharp(output).stats()).resolves.toMatchObject({ isOpaque: expect.any(Boolean) })
    },
  )

  it.each(videos.filter(({ expect }) => expect === 'processable'))(
    'the video $file is upright and complete after processing',
    async (entry) => {
      const video = await measure(outputOf(videoJob, entry))
      const { width, height } = smallSizeOf(entry)
      // H.264 requires even dimensions.
      expect(Math.abs(video.width - width)).toBeLessThanOrEqual(2)
      expect(Math.abs(video.height - height)).toBeLessThanOrEqual(2)
      expect(video.frames).toBeGreaterThanOrEqual(Math.floor((entry.frames ?? 1) * 0.9))
      const duration = entry.duration_s ?? 0
      // Subtitles can last longer than the video, and the container then reports their duration.
      const hasSubtitles = /SRT|mov_text/.test(entry.notes ?? '')
      if (duration > 0.5 && !hasSubtitles)
        expect(Math.abs(video.seconds - duration)).toBeLessThanOrEqual(0.1 * duration + 0.2)
    },
  )

  it.each(corpus.filter(({ expect }) => expect === 'reject'))(
    '$file fails by name, with an explanation',
    (entry) => {
      const job = entry.kind === 'image' ? imageJob : videoJob
      expect(job.results?.some(({ file }) => file === entry.path)).toBe(false)
      expect(job.errors?.find(({ file }) => file === entry.path)?.error.length).toBeGreaterThan(15)
    },
  )

  it('only the outputs remain, and the service still responds', async () => {
    for (const [name, job] of [
      ['basic', imageJob],
      [SMALL.name, videoJob],
    ] as const) {
      expect(await readdir(join(service.folder, name))).toHaveLength(job.results?.length ?? 0)
      expect(job).toMatchObject({ status: 'completed', progress: { totalProgress: 100 } })
    }
    expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
  })

  itInLongSuite(
    'processing of a long video stops when the job is canceled, and leaves nothing behind',
    async () => {
      const long = corpus.filter(({ file }) => file === LONG)
      const jobId = await started(long, 'Web 720p')
      while (((await service.job(jobId)).progress.phaseProgress ?? 0) < 1) {
        expect((await service.job(jobId)).status).toBe('processing')
      }
      expect((await service.cancel(jobId)).status).toBe(200)
      await service.idle()
      expect((await service.job(jobId)).status).toBe('cancelled')
      expect(await readdir(join(service.folder, 'Web 720p'))).toEqual([])
    },
  )
})

/** Returns the expected dimensions: the shorter side is reduced to the preset's height but never enlarged. */
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
