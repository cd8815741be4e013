import { expect, it } from 'vitest'
import { createViewer } from '../../../src/main/preview/viewer.ts'
import type { PreviewAnswer } from '../../../src/media/protocol.ts'
import type { PreviewWorker } from '../../../src/media/start-worker.ts'
import type { WorkerEnding } from '../../../src/node/confined-worker.ts'
import { UNKNOWN_FAILURE } from '../../../src/shared/model/preview.ts'
import { failure } from '../../../src/shared/failure/failure.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'

it('kills a process that doesn’t answer for too long, and starts another one for the next request', async () => {
  let kills = 0
  let starts = 0
  const silent = (): PreviewWorker => {
    starts++
    return { send() {}, onMessage() {}, onExit() {}, kill: () => kills++ }
  }
  const viewer = createViewer(silent, () => false, 1)
  const request = { kind: 'whole', path: '/a.jpg', result: '/b.jpg', recipe: ImageRecipe.parse({}) } as const
  const tookTooLong = { kind: 'failed', failure: failure('tookTooLong') }
  expect(await viewer.show(request)).toEqual(tookTooLong)
  expect(await viewer.show(request)).toEqual(tookTooLong)
  expect([starts, kills]).toEqual([2, 2])
})

const ending = (code: number | null, signal: string | null): WorkerEnding => ({
  code,
  signal,
  stderrTail: '',
})

it('repeats a request once if someone else ended the process, but not if the file crashed it', async () => {
  const endings: WorkerEnding[] = []
  const sent: unknown[] = []
  /** Ends at its first request as the test wants, or answers if nothing is planned. */
  const start = (): PreviewWorker => {
    let exit: ((ending: WorkerEnding) => void) | undefined
    let answer: ((answer: PreviewAnswer) => void) | undefined
    return {
      send(request) {
        sent.push(request)
        const end = endings.shift()
        if (end !== undefined) exit?.(end)
        else answer?.({ kind: 'failed', id: request.id, failure: failure('tookTooLong') })
      },
      onMessage: (listener) => (answer = listener),
      onExit: (listener) => (exit = listener),
      kill() {},
    }
  }
  const viewer = createViewer(start, () => false)
  const request = { kind: 'whole', path: '/a.jpg', result: '/b.jpg', recipe: ImageRecipe.parse({}) } as const
  const answered = { kind: 'failed', failure: failure('tookTooLong') }
  for (const killed of [ending(null, 'SIGKILL'), ending(143, null)]) {
    endings.push(killed)
    expect(await viewer.show(request)).toMatchObject(answered)
  }
  expect(sent).toHaveLength(4)
  endings.push(ending(null, 'SIGSEGV'))
  expect(await viewer.show(request)).toEqual(UNKNOWN_FAILURE)
  endings.push(ending(null, 'SIGTERM'), ending(null, 'SIGTERM'))
  expect(await viewer.show(request)).toEqual(UNKNOWN_FAILURE)
  expect(sent).toHaveLength(7)
})
