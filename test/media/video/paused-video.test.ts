import { readFile } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createPauseGate, type PauseGate } from '../../../src/node/pause-gate.ts'
import { processVideo } from '../../../src/media/video/process-video.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { firstOf } from '../../faults/long-suite.ts'
import { evenTimes } from './make-clip.ts'
import { clip, useClipFolder, videoJob } from './run-job.ts'

useClipFolder()

const source = () => clip({ times: evenTimes(40, 25), sound: 1.6 })

async function bytesOf(path: string, recipe: Partial<VideoRecipe>, pause?: PauseGate): Promise<Buffer> {
  const { temporaryPath } = await processVideo({ ...videoJob(path, recipe), pause }, [])
  return readFile(temporaryPath)
}

/** Pauses again and again, at every nth point where a job can wait. */
function stuttering(every: number) {
  const gate = createPauseGate()
  let calls = 0
  let pauses = 0
  const pass: PauseGate['pass'] = (signal) => {
    calls += 1
    if (calls % every === 0) {
      pauses += 1
      gate.hold(true)
      setTimeout(() => gate.hold(false), 2)
    }
    return gate.pass(signal)
  }
  return { pass, pauses: () => pauses }
}

describe('a video that is paused again and again', () => {
  it.each(
    firstOf(
      [
        ['H.264', { codec: 'h264' }],
        ['copied packets', { codec: 'copy' }],
        ['an animated WebP', { codec: 'webp', container: 'same' }],
        ['a visual quality', { codec: 'h264', look: 70, crf: undefined }],
        ['a maximum size', { codec: 'h264', maxBytes: 24_000, crf: undefined }],
        ['HEVC', { codec: 'hevc' }],
        ['VP9', { codec: 'vp9' }],
        ['AV1', { codec: 'av1' }],
        ['a GIF', { codec: 'gif', container: 'same' }],
      ] as const satisfies readonly (readonly [string, Partial<VideoRecipe>])[],
      2,
    ),
  )('is the same as without a pause, byte for byte: %s', async (_name, recipe) => {
    const path = await source()
    const { pass, pauses } = stuttering(9)
    const paused = await bytesOf(path, recipe, { pass })
    expect(pauses()).toBeGreaterThan(2)
    expect(paused.equals(await bytesOf(path, recipe))).toBe(true)
  })
})

/** A job that is paused after some frames, and the number of places where it waits. */
async function pausedJob(signal = new AbortController().signal) {
  const gate = createPauseGate()
  const path = await source()
  const seen = { frames: 0, waiting: 0 }
  const job = {
    ...videoJob(path, { codec: 'h264' }, { signal }),
    pause: {
      pass(stopped: AbortSignal) {
        seen.frames += 1
        if (seen.frames === 20) gate.hold(true)
        const passing = gate.pass(stopped)
        if (passing !== undefined) seen.waiting += 1
        return passing
      },
    },
  }
  const done = processVideo(job, [])
  done.catch(() => undefined)
  // Reading and encoding wait, and everything in between waits for them.
  while (seen.waiting < 2) await turn()
  return { gate, done, path, frames: () => seen.frames }
}

describe('a video that is being paused', () => {
  it('does nothing until it continues', async () => {
    const { gate, done, path, frames } = await pausedJob()
    const before = frames()
    for (let turns = 0; turns < 200; turns += 1) await turn()
    expect(frames()).toBe(before)
    gate.hold(false)
    const paused = await readFile((await done).temporaryPath)
    expect(paused.equals(await bytesOf(path, { codec: 'h264' }))).toBe(true)
  })

  it('can be stopped', async () => {
    const stopping = new AbortController()
    const { done } = await pausedJob(stopping.signal)
    const reason = new Error('stopped')
    stopping.abort(reason)
    await expect(done).rejects.toBe(reason)
  })
})
