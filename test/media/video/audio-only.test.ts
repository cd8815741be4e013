/** Results with only the audio of a video, read back with FFmpeg. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { avGetCodecName } from 'node-av/lib'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../src/shared/failure/failure.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { estimateVideo } from '../../../src/media/video/video-estimate.ts'
import { previewVideo } from '../../../src/media/video/preview-video.ts'
import { isAudioFile } from '../../../src/node/audio-file.ts'
import { recognizeFile } from '../../../src/node/recognize-media.ts'
import { resultKindOf } from '../../../src/shared/media-types.ts'
import { edit, withEdits } from './edit-list.ts'
import { evenTimes } from './make-clip.ts'
import { openClip } from './open-clip.ts'
import { remux } from './remux.ts'
import { clip, runJob, useClipFolder, videoJob } from './run-job.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

const SECONDS = 4
const withSound = (extension = 'mp4') =>
  clip({ times: evenTimes(SECONDS * 25, 25), sound: SECONDS, title: 'A song' }, extension)

async function readAudio(path: string) {
  await using input = await openClip(path)
  const [stream] = input.streams
  return {
    codecs: input.streams.map(({ codecpar }) => avGetCodecName(codecpar.codecId)),
    seconds: Number(input.duration) / 1_000_000,
    title: input.metadata?.get('title') ?? stream?.metadata?.get('title') ?? null,
  }
}

async function audioOf(path: string, recipe: Partial<VideoRecipe>) {
  const made = await runJob(path, { codec: 'none', crf: undefined, ...recipe })
  return { ...made, ...(await readAudio(made.temporaryPath)) }
}

describe('audio only', () => {
  it.each([
    ['aac', 'm4a', 'aac'],
    ['opus', 'opus', 'opus'],
    ['keep', 'm4a', 'aac'],
  ] as const)('as %s is a file with the ending .%s', async (audio, extension, codec) => {
    const made = await audioOf(await withSound(), { audio })
    expect([made.extension, made.codecs, made.title]).toEqual([extension, [codec], 'A song'])
    expect(made.seconds).toBeGreaterThan(SECONDS - 0.2)
    expect(made.seconds).toBeLessThan(SECONDS + 0.2)
    expect([made.problem, made.width, made.height]).toEqual([undefined, 0, 0])
    expect([resultKindOf(made.temporaryPath), await isAudioFile(made.temporaryPath)]).toEqual(['audio', true])
    // Neither a drop nor a watched folder takes it as an input.
    expect(await recognizeFile(made.temporaryPath)).toEqual({ kind: 'unknown' })
  })

  it('is copied without re-encoding if it already has the codec, from any container', async () => {
    for (const extension of firstOf(['mp4', 'mov', 'mkv'])) {
      const original = await withSound(extension)
      const [kept, aac] = [
        await audioOf(original, { audio: 'keep' }),
        await audioOf(original, { audio: 'aac' }),
      ]
      expect([kept.codecs, aac.codecs]).toEqual([['aac'], ['aac']])
      expect((await stat(kept.temporaryPath)).size).toBe((await stat(aac.temporaryPath)).size)
    }
  })

  itInLongSuite.each([
    ['pcm_u8', 'wav'],
    ['flac', 'flac'],
  ] as const)('keeps a gap in %s, which an ending .%s would close', async (soundCodec, extension) => {
    const sound = { sound: SECONDS, soundCodec, soundBlock: 4_608 }
    const whole = await clip({ times: evenTimes(SECONDS * 25, 25), ...sound }, 'mkv')
    expect(await audioOf(whole, { audio: 'keep' })).toMatchObject({ extension, codecs: [soundCodec] })
    const original = `${whole}-gap.mkv`
    await remux(whole, original, {
      copiesOf: ({ index }) => [{ keeps: (at) => index === 0 || at < 1 || at > 2.5 }],
    })
    const made = await audioOf(original, { audio: 'keep' })
    expect(made).toMatchObject({ extension: 'mka', codecs: [soundCodec], losses: [] })
    expect(made.seconds).toBeGreaterThan(SECONDS - 0.2)
  })

  it('is encoded if an edit of the original begins within a packet', async () => {
    const sound = { sound: SECONDS, soundCodec: 'pcm_u8', soundBlock: 16_000 } as const
    const original = await clip({ times: evenTimes(SECONDS * 25, 25), ...sound }, 'mov')
    const edits = [edit(1, 0.123), edit(1, 2.345)]
    await writeFile(original, withEdits(await readFile(original), edits))
    const made = await audioOf(original, { audio: 'keep' })
    expect([made.extension, made.codecs]).toEqual(['m4a', ['aac']])
    expect(Math.abs(made.seconds - 2)).toBeLessThan(0.2)
  })

  itInLongSuite('keeps an ending that fits the codec of the video', async () => {
    const opus = await runJob(await withSound(), { container: 'webm', codec: 'vp9', audio: 'opus' })
    expect(extname(opus.temporaryPath)).toBe('.webm')
    const made = await audioOf(opus.temporaryPath, { audio: 'keep' })
    expect([made.extension, made.codecs]).toEqual(['opus', ['opus']])
  })

  itInLongSuite('follows the bit rate, and removes metadata as requested', async () => {
    const original = await withSound()
    const sizes: number[] = []
    for (const audioBitrate of [24_000, 160_000]) {
      const { temporaryPath } = await audioOf(original, { audio: 'opus', audioBitrate })
      sizes.push((await stat(temporaryPath)).size)
    }
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other))
    expect((await audioOf(original, { audio: 'opus', metadata: 'strip' })).title).toBeNull()
  })

  itInLongSuite('reports progress', async () => {
    const shares: number[] = []
    await runJob(
      await withSound(),
      { codec: 'none', crf: undefined, audio: 'opus' },
      { onProgress: ({ share }) => void shares.push(share) },
    )
    expect(shares.length).toBeGreaterThan(0)
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
  })

  it('is never replaced by the original, however large it becomes', async () => {
    const original = await clip({ sound: 0.5, width: 32, height: 32 })
    const recipe = { codec: 'none', crf: undefined, audio: 'aac', audioBitrate: 512_000 } as const
    const made = await runJob(original, recipe, { neverLarger: true })
    expect([made.extension, made.notes]).toEqual(['m4a', []])
    expect((await readFile(made.temporaryPath)).equals(await readFile(original))).toBe(false)
  })

  it('fails with a reason for a video without audio, as do its estimate and its preview', async () => {
    const silent = await clip()
    const recipe = { codec: 'none', crf: undefined } as const
    const reason = { failure: failure('noAudioTrack') }
    await expect(runJob(silent, recipe)).rejects.toMatchObject(reason)
    const job = videoJob(silent, recipe)
    await expect(estimateVideo(job)).rejects.toMatchObject(reason)
    await expect(previewVideo({ path: silent, recipe: job.recipe, start: null })).rejects.toMatchObject(
      reason,
    )
  })

  itInLongSuite.each([
    { audio: 'keep' },
    { audio: 'opus', audioBitrate: 64_000 },
    { audio: 'opus', audioBitrate: 128_000 },
  ] as const)('has about the estimated size: %o', async (recipe) => {
    const original = await clip({ times: evenTimes(250, 25), sound: 10 }, 'mkv')
    const made = await audioOf(original, recipe)
    const { bytes } = await estimateVideo(videoJob(original, { codec: 'none', crf: undefined, ...recipe }))
    const { size } = await stat(made.temporaryPath)
    expect(bytes / size).toBeGreaterThan(0.6)
    expect(bytes / size).toBeLessThan(1.7)
  })

  it('has a preview of the original only', async () => {
    const { recipe } = videoJob(await withSound(), { codec: 'none', crf: undefined })
    const { video, takesOriginal } = await previewVideo({ path: await withSound(), recipe, start: null })
    expect([video.after, takesOriginal]).toEqual([null, false])
  })
})
