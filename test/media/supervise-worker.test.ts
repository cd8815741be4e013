import { expect, it } from 'vitest'
import type { WorkerProcess } from '../../src/media/start-worker.ts'
import { superviseWorker } from '../../src/media/supervise-worker.ts'
import { RESULTS } from '../../src/media/worker-answers.ts'
import type { WorkerEnding } from '../../src/node/child-process.ts'
import { VideoRecipe } from '../../src/shared/preset/preset.ts'

it('a worker is replaced before its next file if a disk was mounted since, but not while it has another file', async () => {
  let mounted = 0
  /** What each worker has received. */
  const received: string[][] = []
  const worker = superviseWorker(() => {
    const files: string[] = []
    received.push(files)
    const seen = mounted
    let answer: (message: unknown) => void
    return {
      send(message) {
        if (message.kind !== 'ask' || message.name !== 'thumbnail') return
        files.push(message.input.path)
        if (message.input.path !== 'slow') answer({ kind: 'done', id: message.id, result: new Uint8Array() })
      },
      onMessage: (listener) => (answer = listener),
      ended: new Promise<never>(() => undefined),
      terminate: () => void files.push('ended'),
      kill: () => undefined,
      mayMissDisk: () => seen !== mounted,
    }
  })
  const make = (path: string) => worker.ask('thumbnail', { path, pixels: 1 }).catch(() => undefined)
  await make('first')
  await make('second')
  mounted++
  await make('on the disk')
  void make('slow')
  mounted++
  await make('last')
  worker.discard()
  expect(received).toEqual([
    ['first', 'second', 'ended'],
    ['on the disk', 'slow', 'last'],
  ])
})

/** A process that a test controls. */
function scripted() {
  const heard: ((message: unknown) => void)[] = []
  const { promise: ended, resolve: exit } = Promise.withResolvers<WorkerEnding>()
  const process: WorkerProcess = {
    send: () => undefined,
    onMessage: (listener) => void heard.push(listener),
    ended,
    terminate: () => undefined,
    kill: () => undefined,
    mayMissDisk: () => false,
  }
  return {
    process,
    ended,
    answer: (message: unknown) => heard.forEach((listener) => listener(message)),
    exit,
  }
}

const KILLED: WorkerEnding = { code: null, signal: 'SIGKILL', stderrTail: '' }

it('a request that was given up is cleaned up when its process has ended, even if its answer came too late', async () => {
  const { process, ended, answer, exit } = scripted()
  const worker = superviseWorker(() => process)
  const stopping = new AbortController()
  let cleanUps = 0
  const onEnded = () => void cleanUps++
  const asked = worker.ask('thumbnail', { path: 'a', pixels: 1 }, { signal: stopping.signal, onEnded })
  stopping.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
  answer({ kind: 'done', id: 1, result: new Uint8Array() })
  exit(KILLED)
  await ended
  expect(cleanUps).toBe(1)
})

it('an interrupted request isn’t repeated if its worker is discarded meanwhile', async () => {
  let starts = 0
  const { process, ended, exit } = scripted()
  const worker = superviseWorker(() => {
    starts++
    return process
  })
  const { promise: cleaning, resolve: cleaned } = Promise.withResolvers<void>()
  const asked = worker.ask('thumbnail', { path: 'a', pixels: 1 }, { onEnded: () => cleaning })
  exit(KILLED)
  await ended
  worker.discard()
  cleaned()
  await expect(asked).rejects.toThrow('The worker was ended.')
  await new Promise(setImmediate)
  expect(starts).toBe(1)
})

it('a video’s recipe may have a quality between two of a preset, because the search for a visual quality tries fractions', () => {
  const recipe = VideoRecipe.parse({ codec: 'h264' })
  const isAccepted = (crf: number) => RESULTS.sample.shape.recipe.safeParse({ ...recipe, crf }).success
  expect([17.25, 0, 64].map(isAccepted)).toEqual([true, true, false])
})
