import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createNewFiles } from '../../../src/main/watch/new-files.ts'
import { createOwnResults } from '../../../src/main/watch/own-results.ts'
import { openProcessedFiles } from '../../../src/main/watch/processed-files.ts'
import { holdTime } from './held-time.ts'
import { folderIn, newRoot, until } from './watched.ts'

const SETTLE_MS = 100

it('a file that our own work may have made is looked at again within seconds, whoever tells of its end', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const time = holdTime()
  const store = openProcessedFiles(join(root, 'watch.db'), Date.now)
  const own = createOwnResults(store, () => [{ outputFolder: inbox }])
  let judged = 0
  const files = createNewFiles({
    ...time.timing,
    settleMs: SETTLE_MS,
    store,
    own: {
      ...own,
      judge() {
        judged += 1
        return own.judge()
      },
    },
    root: () => inbox,
    folder: () => folderIn(root),
    start: () => Promise.reject(new Error('It is not known yet whose it is.')),
    wasStarted: () => false,
    confirmStarted: () => undefined,
    newKey: () => 'key',
    inTurn: (work) => work(),
    isOpen: () => true,
    onTaken: () => undefined,
    onUnreadable: () => undefined,
    onProblems: () => undefined,
    log: () => undefined,
  })
  onTestFinished(() => {
    files.close()
    store.close()
  })
  const path = join(inbox, 'a.jpg')
  await writeFile(path, 'x')
  files.see(path, { size: -1, mtime: -1 })
  await until('it has settled', () => {
    if (judged > 0) return true
    time.pass(SETTLE_MS * 2)
    return false
  })
  await until('it waits', () => time.dueWithin(60_000) === 1)
  expect([1_500, 3_000].map(time.dueWithin)).toEqual([0, 1])
})
