import { expect, it } from 'vitest'
import { createViewer } from '../../../src/main/preview/viewer.ts'
import type { WorkerProcess } from '../../../src/media/start-worker.ts'
import { failure } from '../../../src/shared/failure/failure.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'

it('kills a process that doesn’t answer for too long, and starts another one for the next request', async () => {
  let kills = 0
  let starts = 0
  const silent = (): WorkerProcess => {
    starts++
    const ended = new Promise<never>(() => undefined)
    return { ended, send() {}, onMessage() {}, terminate() {}, kill: () => kills++, mayMissDisk: () => false }
  }
  const viewer = createViewer(silent, () => false, 1)
  const request = { path: '/a.jpg', result: '/b.jpg', recipe: ImageRecipe.parse({}) }
  const tookTooLong = { kind: 'failed', failure: failure('tookTooLong') }
  expect(await viewer.show('whole', request)).toEqual(tookTooLong)
  expect(await viewer.show('whole', request)).toEqual(tookTooLong)
  expect([starts, kills]).toEqual([2, 2])
})
