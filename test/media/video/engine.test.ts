/** Hardware encoders aren't available on the test machines: scripted ones, backed by a software encoder, replace them. */
import { mkdtemp, readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Frame } from 'node-av/lib'
import type { Trial } from '../../../src/media/video/busy-samples.ts'
import { atSizeOf, chooseHardware, isWorthIt } from '../../../src/media/video/choose-hardware.ts'
import { uploading } from '../../../src/media/video/gpu-memory.ts'
import {
  type HardwareEncoder,
  possibleHardware,
  type HardwareRequest,
} from '../../../src/media/video/hardware-encoders.ts'
import { encoderSettings } from '../../../src/media/video/encoder-settings.ts'
import { softwareEncoder } from '../../../src/media/video/video-codecs.ts'
import type { OpenEncoder } from '../../../src/media/video/video-encoder.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { evenTimes } from './make-clip.ts'
import { clip, inClipFolder, type JobChanges, resultOf, useClipFolder, videoJob } from './run-job.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()
let video = ''
const PICTURES = 100
beforeAll(async () => {
  video = await clip({ height: 96, times: evenTimes(PICTURES, 25), title: 'Sea' }, 'mkv')
})

let chips = 0

/** @param lasts number of frames per video that the encoder accepts before it fails */
function scriptedEncoder({ lasts = Infinity, opens = true } = {}) {
  chips += 1
  const asked: HardwareRequest[] = []
  const chip: HardwareEncoder = {
    name: `scripted ${chips}`,
    encoder(codec, request) {
      asked.push(request)
      const crf = request.kind === 'coarseness' ? Math.round(request.coarseness * 50) : undefined
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
    if (!opens) throw new Error('No such encoder')
    const encoder = await open(first, rate)
    let taken = 0
    return {
      ...encoder,
      send(frame) {
        taken += 1
        if (taken > lasts) throw new Error('The encoder was removed')
        return encoder.send(frame)
      },
    }
  }

const software: Trial = { decibels: 40, bytes: 100_000, milliseconds: 1000 }

describe('the choice of a hardware encoder depends on speed and quality', () => {
  it.each<[string, Partial<Trial>, boolean]>([
    ['twice as fast and as good', { milliseconds: 500 }, true],
    ['much faster and half a dB worse', { milliseconds: 100, decibels: 39.5 }, true],
    ['much faster and worse than that', { milliseconds: 100, decibels: 39.4 }, false],
    ['not twice as fast', { milliseconds: 501, decibels: 45 }, false],
  ])('%s: %o', (_, chip, expected) => {
    expect(isWorthIt({ ...software, ...chip }, software)).toBe(expected)
  })
})

const encoderNeeding = (bytesAt: (coarseness: number) => number) => {
  const tried: number[] = []
  const measure = (request: HardwareRequest): Promise<Trial> => {
    const coarseness = request.kind === 'coarseness' ? request.coarseness : 0
    tried.push(coarseness)
    return Promise.resolve({ ...software, bytes: bytesAt(coarseness) })
  }
  return { tried, measure }
}

describe('the search for a hardware encoder’s setting', () => {
  it.each([
    [(coarseness: number) => 2_000_000 * 0.002 ** coarseness],
    [(coarseness: number) => 400_000 * (1 - coarseness)],
    [(coarseness: number) => 110_000 - coarseness * 20_000],
  ])('finds the size that software needs, and never exceeds it, in a few trials', async (bytesAt) => {
    const { tried, measure } = encoderNeeding(bytesAt)
    const found = await atSizeOf(software, {}, measure)
    expect(tried.length).toBeLessThanOrEqual(6)
    expect(found?.trial.bytes).toBeLessThanOrEqual(software.bytes)
    expect(found?.trial.bytes).toBeGreaterThan(software.bytes * 0.9)
  })

  it('finds nothing if even the coarsest setting needs more bytes than software, or if the encoder fails', async () => {
    expect(await atSizeOf(software, {}, encoderNeeding(() => 200_000).measure)).toBeUndefined()
    expect(await atSizeOf(software, {}, () => Promise.resolve(undefined))).toBeUndefined()
  })

  it('needs only one trial if the recipe specifies a bit rate', async () => {
    const { tried, measure } = encoderNeeding(() => 1)
    const found = await atSizeOf(software, { bitrate: 800_000 }, measure)
    expect([tried.length, found?.request]).toEqual([1, { kind: 'bitrate', bitrate: 800_000 }])
  })
})

const choose = (recipe: Partial<VideoRecipe>, trial: Partial<Trial>, chip = scriptedEncoder().chip) => {
  let trials = 0
  return chooseHardware(videoJob(video, recipe), 'h264', [chip], () => {
    trials += 1
    return Promise.resolve(trials === 1 ? software : { ...software, ...trial })
  })
}

describe('the choice of an encoder', () => {
  it('picks a hardware encoder that is fast and good, and otherwise software', async () => {
    expect(await choose({}, { milliseconds: 400 })).toBeTypeOf('function')
    expect(await choose({}, { milliseconds: 900 })).toBeUndefined()
    expect(await choose({}, { milliseconds: 400, decibels: 39 })).toBeUndefined()
  })

  it('accepts any working hardware encoder if the recipe requires hardware', async () => {
    expect(await choose({ engine: 'hardware' }, { milliseconds: 5000 })).toBeTypeOf('function')
    expect(await choose({ engine: 'hardware' }, {}, scriptedEncoder({ opens: false }).chip)).toBeUndefined()
  })
})

/** Scripted hardware frames that are stored in ordinary memory. */
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
function uploadingTo(memory: Parameters<typeof uploading>[1]): HardwareEncoder {
  const { chip } = scriptedEncoder()
  return {
    ...chip,
    encoder(codec, request) {
      const open = chip.encoder(codec, request)
      return open && (async (first, rate) => uploading(await open(first, rate), memory))
    },
  }
}

const onHardware = (chip: HardwareEncoder, recipe: Partial<VideoRecipe> = {}, changes: JobChanges = {}) =>
  resultOf(video, { engine: 'hardware', ...recipe }, { chips: [chip], ...changes })

describe('a hardware encoder that only accepts frames from its own memory', () => {
  itInLongSuite('receives each frame in that memory, in order, and the memory is released', async () => {
    const { memory, calls } = scriptedMemory()
    const { notes, times } = await onHardware(uploadingTo(memory))
    expect(notes).toEqual(['hardware-encoder'])
    expect(times.map((seconds) => Math.round(seconds * 1000))).toEqual(evenTimes(PICTURES, 25))
    const last = calls.slice(calls.lastIndexOf('free', -2) + 1)
    expect(last.filter((call) => call === 'room').length).toBe(PICTURES)
    expect(calls.at(-1)).toBe('free')
  })

  itInLongSuite('is not used when that memory is full', async () => {
    const { memory } = scriptedMemory({ isFull: true })
    expect((await onHardware(uploadingTo(memory))).notes).toEqual([])
  })

  it('is VAAPI on Linux, and doesn’t exist on other systems', async () => {
    const chip = possibleHardware('linux').find(({ name }) => name === 'VAAPI')
    for (const codec of ['h264', 'hevc', 'av1'] as const)
      expect(chip?.encoder(codec, { kind: 'coarseness', coarseness: 0.5 })).toBeTypeOf('function')
    for (const platform of ['win32', 'darwin'] as const)
      expect(possibleHardware(platform).map(({ name }) => name)).not.toContain('VAAPI')
  })
})

describe('a video', () => {
  it.each<[string, Partial<VideoRecipe>]>(
    firstOf([
      ['with a quality', { crf: 26 }],
      ['with a bit rate', { bitrate: 300_000 }],
      ['with a visual quality', { crf: undefined, look: 'medium' }],
    ]),
  )('%s is encoded by the hardware encoder, and the job reports it', async (_, recipe) => {
    const { notes, times, title } = await onHardware(scriptedEncoder().chip, recipe)
    expect([notes, times.length, title]).toEqual([['hardware-encoder'], PICTURES, 'Sea'])
  })

  itInLongSuite(
    'is re-encoded in software from the beginning if the hardware encoder fails midway, and its partial file is removed',
    async () => {
      const folder = await mkdtemp(inClipFolder('own-'))
      const { notes, times } = await onHardware(scriptedEncoder({ lasts: 95 }).chip, {}, { folder })
      expect([notes, times.length]).toEqual([['software-after-failure'], PICTURES])
      expect((await readdir(folder)).length).toBe(1)
    },
  )

  itInLongSuite(
    'doesn’t use a hardware encoder if the encoder fails immediately or is missing, or if frames are copied',
    async () => {
      for (const script of [{ lasts: 5 }, { opens: false }])
        expect((await onHardware(scriptedEncoder(script).chip)).notes).toEqual([])
      const copied = await onHardware(scriptedEncoder().chip, { crf: undefined })
      expect(copied.notes).toEqual(['pictures-copied'])
    },
  )

  it('is encoded in software if a hardware encoder can’t even be tried', async () => {
    const { chip, asked } = scriptedEncoder()
    const refusing: HardwareEncoder = {
      ...chip,
      encoder(codec, request) {
        if (asked.length > 0) throw new Error('The encoder is busy')
        return chip.encoder(codec, request)
      },
    }
    const { notes } = await onHardware(refusing)
    expect([asked.length, notes]).toEqual([1, []])
  })

  it('that is stopped is not restarted in software', async () => {
    const stop = new AbortController()
    const onProgress = () => stop.abort(new Error('stopped'))
    const run = onHardware(scriptedEncoder().chip, {}, { signal: stop.signal, onProgress })
    await expect(run).rejects.toThrow('stopped')
  })

  it('is also encoded on a computer without a hardware encoder', async () => {
    const { times } = await resultOf(video, { engine: 'hardware' }, { chips: possibleHardware() })
    expect(times.length).toBe(PICTURES)
  })
})
