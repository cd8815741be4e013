/** No computer of ours has such a chip: scripted ones stand in for it, with an encoder of the processor behind them. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Frame } from 'node-av/lib'
import type { Trial } from '../../../src/media/video/busy-samples.ts'
import { atSizeOf, chipCodecOf, chooseChip, isWorthIt } from '../../../src/media/video/choose-chip.ts'
import { uploading } from '../../../src/media/video/chip-memory.ts'
import { type Chip, chipsHere, type ChipWish } from '../../../src/media/video/chips.ts'
import { encoderSettings } from '../../../src/media/video/encoder-settings.ts'
import { softwareEncoder } from '../../../src/media/video/picture-codecs.ts'
import type { OpenEncoder } from '../../../src/media/video/picture-encoder.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { evenTimes, makeClip } from './make-clip.ts'
import { readClip } from './read-clip.ts'
import { runJob, videoJob } from './run-job.ts'

let folder = ''
let film = ''
const PICTURES = 100
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-engine-'))
  film = join(folder, 'film.mkv')
  await makeClip(film, { width: 160, height: 96, times: evenTimes(PICTURES, 25), title: 'Sea' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let chips = 0

/** @param lasts how many pictures of one film it takes before it fails */
function scriptedChip({ lasts = Infinity, opens = true } = {}) {
  chips += 1
  const asked: ChipWish[] = []
  const chip: Chip = {
    name: `scripted ${chips}`,
    encoder(codec, wish) {
      asked.push(wish)
      const crf = wish.kind === 'coarseness' ? Math.round(wish.coarseness * 50) : undefined
      const recipe = VideoRecipe.parse({
        speed: 'ultrafast',
        crf,
        bitrate: crf === undefined ? 300_000 : undefined,
      })
      return failingAfter(lasts, opens, softwareEncoder(encoderSettings(codec, recipe, false)))
    },
  }
  return { chip, asked }
}

const failingAfter =
  (lasts: number, opens: boolean, open: OpenEncoder): OpenEncoder =>
  async (first, rate) => {
    if (!opens) throw new Error('There is no such chip')
    const encoder = await open(first, rate)
    let taken = 0
    return {
      ...encoder,
      send(frame) {
        taken += 1
        if (taken > lasts) throw new Error('The chip was taken away')
        return encoder.send(frame)
      },
    }
  }

const software: Trial = { decibels: 40, bytes: 100_000, milliseconds: 1000 }

describe('a graphics chip is worth it', () => {
  it.each<[string, Partial<Trial>, boolean]>([
    ['twice as quick and as good', { milliseconds: 500 }, true],
    ['much quicker and half a dB worse', { milliseconds: 100, decibels: 39.5 }, true],
    ['much quicker and worse than that', { milliseconds: 100, decibels: 39.4 }, false],
    ['not twice as quick', { milliseconds: 501, decibels: 45 }, false],
  ])('%s: %o', (_, chip, expected) => {
    expect(isWorthIt({ ...software, ...chip }, software)).toBe(expected)
  })
})

const chipNeeding = (bytesAt: (coarseness: number) => number) => {
  const tried: number[] = []
  const measure = (wish: ChipWish): Promise<Trial> => {
    const coarseness = wish.kind === 'coarseness' ? wish.coarseness : 0
    tried.push(coarseness)
    return Promise.resolve({ ...software, bytes: bytesAt(coarseness) })
  }
  return { tried, measure }
}

describe('a chip is tried at the size that software needs', () => {
  it.each([
    [(coarseness: number) => 2_000_000 * 0.002 ** coarseness],
    [(coarseness: number) => 400_000 * (1 - coarseness)],
    [(coarseness: number) => 110_000 - coarseness * 20_000],
  ])('and never above, in a few trials', async (bytesAt) => {
    const { tried, measure } = chipNeeding(bytesAt)
    const found = await atSizeOf(software, {}, measure)
    expect(tried.length).toBeLessThanOrEqual(6)
    expect(found?.trial.bytes).toBeLessThanOrEqual(software.bytes)
    expect(found?.trial.bytes).toBeGreaterThan(software.bytes * 0.9)
  })

  it('and not at all where even its coarsest needs more, or it fails', async () => {
    expect(await atSizeOf(software, {}, chipNeeding(() => 200_000).measure)).toBeUndefined()
    expect(await atSizeOf(software, {}, () => Promise.resolve(undefined))).toBeUndefined()
  })

  it('or once, at the bit rate that the recipe names', async () => {
    const { tried, measure } = chipNeeding(() => 1)
    const found = await atSizeOf(software, { bitrate: 800_000 }, measure)
    expect([tried.length, found?.wish]).toEqual([1, { kind: 'bitrate', bitrate: 800_000 }])
  })
})

const choose = (recipe: Partial<VideoRecipe>, trial: Partial<Trial>, chip = scriptedChip().chip) => {
  let trials = 0
  return chooseChip(videoJob(film, folder, recipe), 'h264', [chip], () => {
    trials += 1
    return Promise.resolve(trials === 1 ? software : { ...software, ...trial })
  })
}

describe('the choice', () => {
  it('falls on a chip that is quick and good, and else on software', async () => {
    expect(await choose({}, { milliseconds: 400 })).toBeTypeOf('function')
    expect(await choose({}, { milliseconds: 900 })).toBeUndefined()
    expect(await choose({}, { milliseconds: 400, decibels: 39 })).toBeUndefined()
  })

  it('falls on any chip that works where the recipe asks for one', async () => {
    expect(await choose({ engine: 'hardware' }, { milliseconds: 5000 })).toBeTypeOf('function')
    expect(await choose({ engine: 'hardware' }, {}, scriptedChip({ opens: false }).chip)).toBeUndefined()
  })

  it.each<Partial<VideoRecipe>>([
    { engine: 'software' },
    { codec: 'vp9' },
    { codec: 'copy' },
    { crf: 0 },
    { maxBytes: 100_000 },
  ])('is not asked for with %o', (recipe) => {
    expect(chipCodecOf(VideoRecipe.parse(recipe))).toBeUndefined()
  })

  it('is asked for in three codecs', () => {
    for (const codec of ['h264', 'hevc', 'av1'] as const)
      expect(chipCodecOf(VideoRecipe.parse({ codec, crf: 30 }))).toBe(codec)
  })
})

/** Ordinary memory in its place, as no chip is at hand. */
function scriptedMemory({ isFull = false } = {}) {
  const calls: string[] = []
  return {
    calls,
    memory: {
      getBuffer(): number {
        calls.push('room')
        return isFull ? -12 : 0
      },
      transferData(there: Frame, here: Frame): Promise<number> {
        calls.push(`picture ${here.pts}`)
        return Promise.resolve(there.ref(here))
      },
      free: () => void calls.push('free'),
    },
  }
}
function uploadingTo(memory: Parameters<typeof uploading>[1]): Chip {
  const { chip } = scriptedChip()
  return {
    ...chip,
    encoder(codec, wish) {
      const open = chip.encoder(codec, wish)
      return open && (async (first, rate) => uploading(await open(first, rate), memory))
    },
  }
}

describe('a chip that takes pictures only from its own memory', () => {
  it('gets each of them there, in order, and its memory is given back', async () => {
    const { memory, calls } = scriptedMemory()
    const made = await runJob(film, folder, { engine: 'hardware' }, { chips: [uploadingTo(memory)] })
    expect(made.notes).toEqual(['hardware-encoder'])
    const { times } = await readClip(made.temporaryPath)
    expect(times.map((seconds) => Math.round(seconds * 1000))).toEqual(evenTimes(PICTURES, 25))
    const last = calls.slice(calls.lastIndexOf('free', -2) + 1)
    expect(last.filter((call) => call === 'room').length).toBe(PICTURES)
    expect(calls.at(-1)).toBe('free')
  })

  it('is left alone when that memory is full', async () => {
    const { memory } = scriptedMemory({ isFull: true })
    const made = await runJob(film, folder, { engine: 'hardware' }, { chips: [uploadingTo(memory)] })
    expect(made.notes).toEqual([])
  })

  it('is known by one name on Linux, and opens nowhere without it', async () => {
    const chip = chipsHere('linux').find(({ name }) => name === 'VAAPI')
    for (const codec of ['h264', 'hevc', 'av1'] as const)
      expect(chip?.encoder(codec, { kind: 'coarseness', coarseness: 0.5 })).toBeTypeOf('function')
    for (const platform of ['win32', 'darwin'] as const)
      expect(chipsHere(platform).map(({ name }) => name)).not.toContain('VAAPI')
  })
})

describe('a film', () => {
  it.each<[string, Partial<VideoRecipe>]>([
    ['with a quality', { crf: 26 }],
    ['with a bit rate', { bitrate: 300_000 }],
    ['with a look', { crf: undefined, look: 'medium' }],
  ])('%s is encoded by the chip, and the job says so', async (_, recipe) => {
    const { chip } = scriptedChip()
    const made = await runJob(film, folder, { engine: 'hardware', ...recipe }, { chips: [chip] })
    expect(made.notes).toEqual(['hardware-encoder'])
    const { times, title } = await readClip(made.temporaryPath)
    expect([times.length, title]).toEqual([PICTURES, 'Sea'])
  })

  it('is made by software from its beginning where the chip fails in the middle, and nothing is left of that', async () => {
    const { chip } = scriptedChip({ lasts: 95 })
    const own = await mkdtemp(join(folder, 'own-'))
    const made = await runJob(film, own, { engine: 'hardware' }, { chips: [chip] })
    expect(made.notes).toEqual(['software-after-failure'])
    expect((await readClip(made.temporaryPath)).times.length).toBe(PICTURES)
    expect((await readdir(own)).length).toBe(1)
  })

  it('is no business of a chip that fails at once, that isn’t there, or while pictures are copied', async () => {
    for (const script of [{ lasts: 5 }, { opens: false }]) {
      const made = await runJob(film, folder, { engine: 'hardware' }, { chips: [scriptedChip(script).chip] })
      expect(made.notes).toEqual([])
    }
    const { chip } = scriptedChip()
    const copied = await runJob(film, folder, { engine: 'hardware', crf: undefined }, { chips: [chip] })
    expect(copied.notes).toEqual(['pictures-copied'])
  })

  it('is encoded by software where a chip can’t even be tried', async () => {
    const { chip, asked } = scriptedChip()
    const refusing: Chip = {
      ...chip,
      encoder(codec, wish) {
        if (asked.length > 0) throw new Error('The chip is busy')
        return chip.encoder(codec, wish)
      },
    }
    const made = await runJob(film, folder, { engine: 'hardware' }, { chips: [refusing] })
    expect([asked.length, made.notes]).toEqual([1, []])
  })

  it('that is stopped stays stopped', async () => {
    const stop = new AbortController()
    const onProgress = () => stop.abort(new Error('stopped'))
    const { chip } = scriptedChip()
    const run = runJob(
      film,
      folder,
      { engine: 'hardware' },
      { chips: [chip], signal: stop.signal, onProgress },
    )
    await expect(run).rejects.toThrow('stopped')
  })

  it('is encoded on a computer without a chip too', async () => {
    const made = await runJob(film, folder, { engine: 'hardware' }, { chips: chipsHere() })
    expect((await readClip(made.temporaryPath)).times.length).toBe(PICTURES)
  })
})
