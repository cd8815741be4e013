import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import type { FromWorker, ToWorker, WorkerTask } from '../../../src/media/protocol.ts'
import type { WorkerEnding } from '../../../src/node/confined-worker.ts'
import { createSlot, type Work } from '../../../src/service/processing/worker-slot.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'

const task: WorkerTask = {
  inputPath: '/in/a.jpg',
  folder: '/out',
  temporaryPrefix: '.x',
  recipe: { kind: 'image', image: ImageRecipe.parse({}) },
  variation: undefined,
  neverLarger: true,
}

function setUp() {
  const sent: ToWorker['kind'][] = []
  const logged: string[] = []
  const states: string[] = []
  let answer: ((message: FromWorker) => void) | undefined
  let exit: ((ending: WorkerEnding) => void) | undefined
  const slot = createSlot({
    folder: '/out',
    worker: {
      send: ({ kind }) => sent.push(kind),
      onMessage: (listener) => (answer = listener),
      onExit: (listener) => (exit = listener),
      kill: () => exit?.({ code: null, signal: 'SIGKILL', stderrTail: '' }),
    },
    idleMs: 60_000,
    graceMs: 5,
    log: (message) => logged.push(message),
    onFree: () => states.push('free'),
    onGone: () => states.push('gone'),
  })
  const stop = new AbortController()
  const newWork = (): Work => ({
    task,
    control: { signal: stop.signal, onProgress: () => {} },
    done: Promise.withResolvers(),
  })
  return {
    slot,
    sent,
    logged,
    states,
    stop,
    newWork,
    answer: (message: FromWorker) => answer?.(message),
    exit: (ending: WorkerEnding) => exit?.(ending),
  }
}

const file = { temporaryPath: '/out/.x-1.jpg', extension: 'jpg', width: 4, height: 3, notes: [] }

it('is free again when its task is over, and leaves nothing on the signal of the job', async () => {
  const { slot, sent, states, stop, newWork, answer } = setUp()
  for (let round = 0; round < 3; round++) {
    const work = newWork()
    slot.give(work)
    expect(slot.isFree).toBe(false)
    answer({ kind: 'finished', file })
    expect(await work.done.promise).toBe(file)
    expect(slot.isFree).toBe(true)
  }
  expect(sent).toEqual(['run', 'run', 'run'])
  expect(states).toEqual(['free', 'free', 'free'])
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
})

it('a worker that does not stop in time is killed, and its task is stopped, not failed', async () => {
  const { slot, sent, logged, states, stop, newWork } = setUp()
  const work = newWork()
  slot.give(work)
  stop.abort(new Error('not wanted any more'))
  await expect(work.done.promise).rejects.toThrow('not wanted any more')
  await slot.ended
  expect(sent).toEqual(['run', 'stop'])
  expect(states).toEqual(['gone'])
  expect(logged).toEqual([])
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
})

it('a worker that ends by itself fails its task, with the end of its stderr in the log', async () => {
  const { slot, logged, newWork, exit } = setUp()
  const work = newWork()
  slot.give(work)
  exit({ code: 139, signal: null, stderrTail: 'the decoder fell over' })
  await expect(work.done.promise).rejects.toThrow('exit code 139')
  expect(logged).toEqual([expect.stringMatching(/a\.jpg.*the decoder fell over/)])
  expect(slot.isFree).toBe(false)
})

it('a slot that closes ends an idle worker at once, and a busy one when it has let go', async () => {
  const idle = setUp()
  idle.slot.close()
  expect(idle.sent).toEqual(['end'])

  const busy = setUp()
  const work = busy.newWork()
  busy.slot.give(work)
  busy.slot.close()
  expect(busy.sent).toEqual(['run', 'stop'])
  busy.answer({ kind: 'stopped' })
  await expect(work.done.promise).rejects.toThrow('shutting down')
  expect(busy.sent).toEqual(['run', 'stop', 'end'])
})
