import { expect, it } from 'vitest'
import { createViewer } from '../../../src/main/preview/viewer.ts'
import type { PreviewWorker } from '../../../src/media/start-worker.ts'
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
