/** Watched folders with several presets, and with results next to the originals. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { plansIn } from '../outbox/drafts.ts'
import { finishedJob, openScanned, settle, until } from './watched.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

it('a new photo is submitted as one job with all presets of the folder, in their order', async () => {
  const watched = await openScanned({ presets: ['Web 2048', 'Mail'] })
  await writeFile(join(watched.inbox, 'tower.jpg'), 'photo')
  await until('it is submitted', () => plansIn(watched.outbox).length === 2)
  const plans = plansIn(watched.outbox)
  expect(plans.map(({ preset }) => preset)).toEqual(['Web 2048', 'Mail'])
  expect(plans.map(({ output }) => output)).toEqual(
    ['Web 2048', 'Mail'].map((name) => ({ kind: 'folder', path: join(watched.root, 'out', name) })),
  )
  expect(new Set(plans.map(({ place }) => place?.id)).size).toBe(1)
  await until('it is counted once', () => watched.watch.list()[0]?.taken === 1)
})

itInLongSuite(
  'results next to the originals in the watched folder are never processed, and later originals are',
  async () => {
    const output = { kind: 'beside', subfolder: null } as const
    const watched = await openScanned({ recursive: true, output })
    const since = Date.now()
    await writeFile(join(watched.inbox, 'tower.jpg'), 'photo')
    await until('it is submitted', () => watched.submitted().length === 1)
    expect(plansIn(watched.outbox)[0]?.output).toEqual({ kind: 'folder', path: watched.inbox })
    watched.busyFolders.push(watched.inbox)
    const result = join(watched.inbox, 'tower-web-2048.jpg')
    await writeFile(result, 'a result')
    await settle()
    const inputs = [join(watched.inbox, 'tower.jpg')]
    watched.watch.noteFinished(finishedJob({ outputFolder: watched.inbox, inputs, results: [result], since }))
    watched.busyFolders.length = 0
    await writeFile(join(watched.inbox, 'bridge.jpg'), 'another photo')
    await watched.submitsOnly([['tower.jpg'], ['bridge.jpg']])
  },
)
