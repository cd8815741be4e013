import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createCoverage, createTimeline } from '../../../src/media/video/coverage.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import { joinClips } from './join-clips.ts'
import { evenTimes } from './make-clip.ts'
import { remux } from './remux.ts'
import { makeTracks } from './several-tracks.ts'
import { spoilPackets } from './spoil-packets.ts'
import { clip, inClipFolder, resultOf, runJob, useClipFolder } from './run-job.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

const UNDECODABLE = { code: 'undecodable', values: {} }

const isThere = (time: number): boolean => time < 4 || time >= 8

describe('a video with holes', () => {
  itInLongSuite('is done with a problem that says how much is missing, and where', async () => {
    const path = await clip({ times: evenTimes(500, 25), sound: 20, isPredicted: true })
    await spoilPackets(
      path,
      (stream, time) => stream === 0 && ((time >= 5 && time < 7) || (time >= 9 && time < 11)),
    )
    const { problem, losses } = await runJob(path)
    expect(problem && inEnglish(problem)).toMatch(
      /: 4(\.\d)? of 20 seconds are missing, the first at 0:05\.$/,
    )
    expect(losses).toMatchObject([{ code: 'middleSeconds', why: { code: 'damaged' } }])
  })

  it.each(
    firstOf([
      { second: 'is gone too', keeps: isThere, code: 'fileDamaged' },
      { second: 'is there all the time', keeps: () => true, code: undefined },
    ]),
  )('has one where the picture and all sound are gone, and the second track $second', async (given) => {
    const whole = await clip({ width: 64, height: 64, times: evenTimes(120, 10), sound: 12 })
    const audio = [{ keeps: isThere }, { keeps: given.keeps }]
    const path = await makeTracks(whole, audio, undefined, { keeps: isThere })
    const { problem } = await runJob(path, { codec: 'copy', container: 'mkv' })
    expect(problem?.code).toBe(given.code)
  })

  itInLongSuite('lists the missing seconds of video even if more audio is missing', async () => {
    const path = await clip({ times: evenTimes(500, 25), sound: 20, isPredicted: true })
    await spoilPackets(path, (stream, time) => time >= 5 && time < (stream === 0 ? 7 : 12))
    const { problem, losses } = await runJob(path, { audio: 'opus' })
    expect(problem && inEnglish(problem)).toMatch(/audio/i)
    expect(losses).toMatchObject([{ code: 'middleSeconds' }])
  })

  it('has none where single frames are dropped, or frames consist of two packets', () => {
    const coverage = createCoverage()
    for (let index = 0; index < 100; index++) {
      coverage.promise(index / 50, 1 / 50)
      if (index % 2 === 0) coverage.receive(index / 50, 1 / 50)
    }
    expect(coverage.missing()).toEqual([])
  })

  it('has them where a damaged track loses every other frame, or a slide that is shown for long', () => {
    const damaged = createCoverage()
    damaged.fail()
    const slides = createCoverage()
    for (let index = 0; index < 10; index++) {
      damaged.promise(index, 1)
      slides.promise(index, 1)
      if (index !== 3) damaged.receive(index, 1)
      if (index !== 5) slides.receive(index, 1)
    }
    expect(damaged.missing()).toEqual([{ from: 3, to: 4 }])
    expect(slides.missing()).toEqual([{ from: 5, to: 6 }])
  })

  it('has none where tracks are poorly interleaved', () => {
    const timeline = createTimeline()
    for (const [from, to] of [
      [0, 1],
      [5, 6],
      [1, 5],
      [9, 10],
    ] as const)
      timeline.add(from, to)
    expect(timeline.gaps(1)).toEqual([{ from: 6, to: 9 }])
    expect(timeline.end()).toBe(10)
  })
})

describeInLongSuite('a fragmented video', () => {
  const MS_PER_FRAGMENT = 1_000_000
  const fragmented = async (movflags: string) => {
    const path = inClipFolder(`fragments ${movflags}.mp4`)
    const whole = await clip({ times: evenTimes(200, 25), sound: 8, isPredicted: true, keyframeDistance: 25 })
    await remux(whole, path, { options: { movflags, min_frag_duration: `${MS_PER_FRAGMENT}` } })
    return { path, bytes: await readFile(path) }
  }
  const CASES = ['empty_moov+frag_keyframe', 'frag_keyframe', 'dash+frag_keyframe+global_sidx'] as const

  it.each(firstOf(CASES))(
    'that ends within its data is done with a problem that names the seconds: %s',
    async (flags) => {
      const { path, bytes } = await fragmented(flags)
      expect((await runJob(path)).problem).toBeUndefined()
      // In the middle of the data of the sixth second.
      const fragments = [...bytes.toString('latin1').matchAll(/mdat/g)].map(({ index }) => index)
      const [from = 0, to = 0] = fragments.slice(-3, -1)
      await writeFile(path, bytes.subarray(0, from + (to - from) * 0.3))
      for (const recipe of [{}, { codec: 'copy', container: 'mp4' }] as const) {
        const { problem, losses } = await runJob(path, recipe)
        expect(problem && inEnglish(problem)).toMatch(flags.includes('sidx') ? /: [23]/ : /: (0\.[4-9]|1)/)
        expect(losses).toMatchObject([{ code: 'endSeconds', why: { code: 'damaged' } }])
      }
    },
  )

  it('that lacks a fragment is done with a problem that says where', async () => {
    const { path, bytes } = await fragmented('empty_moov+frag_keyframe+default_base_moof')
    const starts = [...bytes.toString('latin1').matchAll(/moof/g)].map(({ index }) => index - 4)
    await writeFile(path, Buffer.concat([bytes.subarray(0, starts[3]), bytes.subarray(starts[5])]))
    const { problem } = await runJob(path, { codec: 'copy', container: 'mp4' })
    expect(problem && inEnglish(problem)).toMatch(/: 2 of 8 seconds are missing, the first at 0:03\.$/)
  })
})

async function withUnknownCodec(name: string): Promise<string> {
  const bytes = await readFile(await clip({ sound: 0.5 }))
  bytes.write('apac', bytes.lastIndexOf('mp4a'), 'latin1')
  bytes.write('free', bytes.lastIndexOf('esds'), 'latin1')
  const path = inClipFolder(name)
  await writeFile(path, bytes)
  return path
}

describe('an audio track that can’t be decoded', () => {
  it.each(
    firstOf([
      {},
      { codec: 'copy', container: 'mov' },
      { codec: 'copy', container: 'mkv' },
      { audio: 'opus' },
    ] as const),
  )('is left out and named, and the video is kept: %o', async (recipe) => {
    const made = await resultOf(await withUnknownCodec('spatial.mp4'), recipe)
    expect(made.codecs).toEqual(['h264'])
    expect(made.problem).toBeUndefined()
    expect(made.losses).toMatchObject([{ code: 'audioTrack', values: { track: 1 }, why: UNDECODABLE }])
  })

  it('in part is a problem that names it', async () => {
    const path = await clip({ times: evenTimes(100, 25), sound: 4 })
    await spoilPackets(path, (stream, time) => stream === 1 && time >= 1)
    const { problem } = await runJob(path, { audio: 'opus', container: 'mkv' })
    expect(problem && inEnglish(problem)).toMatch(
      /: [23](\.\d)? of 4 seconds of audio track 1 are missing, the first at 0:01\.$/,
    )
  })

  itInLongSuite('because of its content is left out', async () => {
    const path = await clip({ times: evenTimes(100, 25), sound: 4 })
    await spoilPackets(path, (stream) => stream === 1)
    const { losses } = await runJob(path, { audio: 'opus', container: 'mkv' })
    expect(losses).toMatchObject([{ code: 'audioTrack', values: { track: 1 }, why: UNDECODABLE }])
  })

  it('isn’t a loss if the preset removes the audio', async () => {
    const made = await runJob(await withUnknownCodec('removed.mp4'), { audio: 'none' })
    expect(made.losses).toEqual([])
  })

  it('fails a preset that keeps only the audio', async () => {
    await expect(runJob(await withUnknownCodec('only.mp4'), { codec: 'none' })).rejects.toThrow('audio')
  })
})

it.each(
  firstOf([
    { audio: 'none' },
    { audio: 'none', codec: 'copy' },
    { codec: 'gif', container: 'gif', crf: undefined },
  ] as const),
)('audio that is longer than the picture isn’t missing from a result without it: %o', async (recipe) => {
  const original = await clip({ sound: 3 }, 'mkv')
  expect(await runJob(original, recipe)).toMatchObject({ problem: undefined, losses: [] })
})

describeInLongSuite('an audio track whose channels change midway', () => {
  it.each([
    [2, 6],
    [6, 1],
    [1, 2],
  ] as const)('is encoded to its end: %i to %i channels', async (before, after) => {
    const parts: Buffer[] = []
    for (const channels of [before, after])
      parts.push(await readFile(await clip({ times: evenTimes(50, 25), sound: 2, channels }, 'ts')))
    const path = inClipFolder(`channels-${before}.ts`)
    await writeFile(path, Buffer.concat(parts))
    const made = await resultOf(path, { audio: 'opus', container: 'mkv' })
    expect(made.codecs).toEqual(['h264', 'opus'])
    expect(made.problem).toBeUndefined()
    expect(Math.abs(made.duration - 4)).toBeLessThan(0.2)
  })
})

describe('an encrypted video', () => {
  it.each([{}, { codec: 'copy' }] as const)('is reported as encrypted: %o', async (recipe) => {
    const path = inClipFolder('encrypted.mp4')
    await joinClips([await clip()], path, () => 0, {
      encryption_scheme: 'cenc-aes-ctr',
      encryption_key: '76a6c65c5ea762046bd749a2e632ccbb',
      encryption_kid: 'a7e61c373e219033c21091fa607bf3b8',
    })
    await expect(runJob(path, recipe)).rejects.toThrow('The video is encrypted.')
  })
})
