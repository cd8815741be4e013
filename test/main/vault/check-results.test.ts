import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createResultChecker } from '../../../src/main/vault/check-results.ts'
import { startWorker } from '../../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import { HelperEnded } from '../../../src/node/ended-from-outside.ts'
import { WORKER } from '../../entries.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { SAMPLE } from '../../faults/photo-folders.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

/** Checks a good result. @param kills how many workers are killed as soon as they have the file */
async function checkWhileKilling(kills: number): Promise<boolean> {
  const folder = temporaryFolder()
  const [original, result] = [join(folder, 'a.jpg'), join(folder, 'b.jpg')]
  for (const path of [original, result]) copyFileSync(SAMPLE, path)
  let left = kills
  const checker = createResultChecker(() => {
    const worker = startWorker('trials', { path: WORKER, confinement: PERMISSIONS })
    if (left-- > 0) worker.kill()
    return worker
  })
  onTestFinished(() => checker.close())
  return checker.isGood({ original, result, kind: 'image', recipe: null })
}

itInLongSuite('a result whose check is killed is checked again', async () => {
  expect(await checkWhileKilling(1)).toBe(true)
})

it('a result whose check is killed twice isn’t bad: nothing is known about it', async () => {
  await expect(checkWhileKilling(2)).rejects.toThrow(HelperEnded)
})

it('a check that is closed gives no answer', async () => {
  const worker = startWorker('trials', { path: WORKER, confinement: PERMISSIONS })
  const checker = createResultChecker(() => worker)
  const answer = checker.isGood({ original: SAMPLE, result: SAMPLE, kind: 'image', recipe: null })
  checker.close()
  await expect(answer).rejects.toThrow(HelperEnded)
})
