import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createContinuousTimes } from '../../../src/media/video/continuous-times.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { type Edit, edit, withEdits } from './edit-list.ts'
import { joinClips } from './join-clips.ts'
import { type Clip, evenTimes } from './make-clip.ts'
import { clip, inClipFolder, resultOf, runJob, useClipFolder } from './run-job.ts'
import { withSubtitles } from './with-subtitles.ts'

useClipFolder()

const NOTHING_LOST = { problem: undefined, losses: [] }

let files = 0
let whole: Buffer | undefined

async function edited(edits: readonly Edit[]): Promise<string> {
  const path = inClipFolder(`edited-${++files}.mov`)
  whole ??= await readFile(await clip({ times: evenTimes(250, 25), sound: 10, isPredicted: true }, 'mov'))
  await writeFile(path, withEdits(whole, edits))
  return path
}

describe('tracks of different lengths', () => {
  const sources = firstOf(['mp4', 'mkv', 'mov', 'flv', 'ts'] as const)
  const lengths: readonly [string, Partial<Clip>][] = [
    ['longer audio', { sound: 9, times: evenTimes(50, 25) }],
    ['a longer picture', { sound: 1, times: evenTimes(150, 25) }],
  ]
  const targets = firstOf(['mov', 'mkv'] as const)
  it.each(
    sources.flatMap((source) =>
      lengths.flatMap(([name, tracks]) => targets.map((target) => [name, source, target, tracks] as const)),
    ),
  )('%s in %s isn’t missing in %s', async (_, source, container, tracks) => {
    const path = await clip({ ...tracks, isPredicted: true }, source)
    expect(await runJob(path, { codec: 'copy', container })).toMatchObject(NOTHING_LOST)
    expect(await runJob(path, { container })).toMatchObject(NOTHING_LOST)
  })

  it('include subtitles that end last', async () => {
    const path = await withSubtitles(await clip({}, 'mkv'), [{ start: 20, end: 22, text: 'The end' }])
    for (const container of targets)
      expect(await runJob(path, { codec: 'copy', container })).toMatchObject(NOTHING_LOST)
  })
})

describe('an edited video', () => {
  const cases: readonly [string, readonly Edit[], number][] = [
    ['trimmed at both ends', [edit(4, 3)], 4],
    ['trimmed at the end', [edit(4, 0)], 4],
    ['trimmed at the start', [edit(7, 3)], 7],
    ['trimmed to a moment', [edit(0.4, 3.4)], 0.4],
    ['cut into two parts', [edit(1, 1), edit(2, 5)], 3],
    ['cut into three parts in another order', [edit(1, 7), edit(1, 4), edit(1, 0.6)], 3],
    ['that shows a part twice', [edit(2, 1), edit(2, 1)], 4],
    ['that begins late', [edit(2, undefined), edit(3, 4)], 3],
  ]
  const recipes: readonly Partial<VideoRecipe>[] = [
    {},
    { codec: 'copy', container: 'mp4' },
    { codec: 'copy', container: 'mkv' },
  ]
  it.each(firstOf(cases))(
    '%s keeps its length with every recipe, without a problem',
    async (_, edits, seconds) => {
      const path = await edited(edits)
      for (const recipe of recipes) {
        const made = await resultOf(path, recipe)
        expect([recipe, made]).toMatchObject([recipe, NOTHING_LOST])
        expect(made.duration).toBeGreaterThan(seconds - 0.1)
        expect(made.duration).toBeLessThan(seconds + 0.15)
        expect(Math.abs(made.times.length - seconds * 25)).toBeLessThanOrEqual(2)
      }
    },
  )

  it('is encoded where its container can’t hide frames, and the history reports it', async () => {
    const path = await edited([edit(4, 3)])
    expect((await resultOf(path, { codec: 'copy', container: 'mkv' })).notes).toEqual(['encoded-instead'])
    expect((await resultOf(path, { codec: 'copy', container: 'mov' })).notes).toEqual([])
  })
})

const pausing: readonly [string, readonly Edit[], number[]][] = [
  [
    'nothing in the middle',
    [edit(2, 1), edit(1, undefined), edit(2, 5)],
    [...evenTimes(50, 25), ...evenTimes(50, 25).map((time) => time + 3000)],
  ],
  ['nothing at the end', [edit(2, 1), edit(2, undefined)], evenTimes(50, 25)],
  ['a still picture', [edit(2, 1, 0), edit(1, 1)], [0, ...evenTimes(25, 25).map((time) => time + 2000)]],
]

itInLongSuite.each(pausing)(
  'an edit that shows %s keeps the last picture, and is silent',
  async (_, edits, times) => {
    const path = await edited(edits)
    for (const recipe of [{}, { codec: 'copy', container: 'mov' }, { crf: 0, container: 'mkv' }] as const) {
      const made = await resultOf(path, recipe)
      expect([recipe, made]).toMatchObject([recipe, NOTHING_LOST])
      expect(made.times.map((time) => Math.round(time * 1000))).toEqual(times)
      expect(made.duration).toBeCloseTo(
        edits.reduce((sum, { seconds }) => sum + seconds, 0),
        0,
      )
    }
  },
)

itInLongSuite('an edit with another speed is listed as lost', async () => {
  const path = await edited([edit(1, 0), edit(2, 1, 2)])
  const lost = [{ code: 'playbackSpeed', values: { seconds: 2, from: 1 } }]
  for (const recipe of [
    {},
    { codec: 'copy', container: 'mov' },
    { codec: 'none', container: 'same' },
  ] as const)
    expect((await runJob(path, recipe)).losses).toMatchObject(lost)
})

describe('a video whose clock', () => {
  it.each<Partial<VideoRecipe>>(firstOf([{}, { codec: 'copy', container: 'mkv' }]))(
    'starts late begins at its first frame: %o',
    async (recipe) => {
      const path = inClipFolder(`late-${++files}.mkv`)
      await joinClips([await clip({ times: evenTimes(50, 25) }, 'mkv')], path, () => 10)
      const made = await resultOf(path, recipe)
      expect(made).toMatchObject(NOTHING_LOST)
      expect(made.times[0]).toBeLessThan(0.1)
      expect(made.duration).toBeCloseTo(2, 1)
    },
  )

  itInLongSuite('starts again where two files were joined continues', async () => {
    const part = await readFile(await clip({ times: evenTimes(50, 25), sound: 2 }, 'mkv'))
    const path = inClipFolder('joined.mkv')
    await writeFile(path, Buffer.concat([part, part]))
    const made = await resultOf(path)
    expect(made).toMatchObject(NOTHING_LOST)
    expect(made.times.length).toBe(100)
    expect(Math.abs(made.duration - 4)).toBeLessThan(0.15)
  })
})

const packet = (stream: number, time: number) => ({ stream, time, duration: 0.04 })

const shifts = (mayJump: boolean, ...packets: readonly ReturnType<typeof packet>[]) => {
  const times = createContinuousTimes(mayJump)
  return packets.map((each) => Math.round(times.shiftOf(each) * 100) / 100)
}

it.each(firstOf(['mp4', 'mov', 'mkv'] as const))(
  'a missing frame isn’t a lower frame rate in %s',
  async (container) => {
    const times = evenTimes(30, 25).filter((_, index) => index !== 26 && index !== 27)
    const { losses } = await runJob(await clip({ times }, 'ts'), { container })
    expect(losses).toEqual([])
  },
)

describe('the times of packets', () => {
  it('stay unchanged while they increase, regardless of pauses', () => {
    expect(shifts(false, packet(0, 0), packet(0, 0.04), packet(0, 60))).toEqual([0, 0, 0])
    expect(shifts(true, packet(0, 0), packet(0, 0.04), packet(0, 5))).toEqual([0, 0, 0])
  })

  it('are moved if the clock starts again, on all tracks', () => {
    const joined = [packet(0, 0), packet(0, 8), packet(1, 8), packet(0, 0), packet(1, 0.02), packet(0, 0.04)]
    expect(shifts(false, ...joined)).toEqual([0, 0, 0, 8.04, 8.04, 8.04])
  })

  it('are moved after a short recording, but not for late packets from it', () => {
    const short = [packet(0, 1), packet(1, 1), packet(0, 2), packet(1, 2)]
    const late = [packet(0, 1), packet(1, 2.04), packet(1, 1.06)]
    expect(shifts(true, ...short, ...late)).toEqual([0, 0, 0, 0, 1.04, 0, 1.04])
  })

  it('are moved if the clock of a broadcast jumps, but not for late packets from before', () => {
    const jumping = [packet(0, 1), packet(1, 1), packet(0, 500), packet(1, 1.04), packet(1, 500)]
    expect(shifts(true, ...jumping)).toEqual([0, 0, -498.96, 0, -498.96])
  })
})
