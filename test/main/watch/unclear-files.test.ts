import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createNewFiles } from '../../../src/main/watch/new-files.ts'
import { createOwnResults } from '../../../src/main/watch/own-results.ts'
import { NO_RULES } from '../../../src/shared/model/folder-rules.ts'
import { holdTime } from './held-time.ts'
import { folderIn, newRoot, offering, openStore, until } from './watched.ts'

const STABLE_MS = 100

it('a file that may be our own result is checked again within seconds, even if the end of its job isn’t reported', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const time = holdTime()
  const store = openStore(join(root, 'state.db'))
  const own = createOwnResults(
    store,
    {
      busyFolders: () => [inbox],
      endedInto: () => [],
      endedWatched: () => [],
      takePlaced: () => undefined,
    },
    () => undefined,
  )
  let classifiers = 0
  const files = createNewFiles({
    ...time.timing,
    stableMs: STABLE_MS,
    store,
    own: {
      ...own,
      createClassifier() {
        classifiers += 1
        return own.createClassifier()
      },
    },
    root: () => inbox,
    folder: () => folderIn(root),
    start: () => Promise.reject(new Error('Its owner isn’t known yet.')),
    wasStarted: () => false,
    confirmStarted: () => undefined,
    isUnderWay: () => false,
    newKey: () => 'key',
    service: () => offering(null),
    rules: () => NO_RULES,
    onMissingPreset: () => undefined,
    inTurn: (work) => work(),
    isOpen: () => true,
    onTaken: () => undefined,
    onUnreadable: () => undefined,
    onOpen: () => undefined,
    onFailed: () => undefined,
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
  await until('it is stable', () => {
    if (classifiers > 0) return true
    time.pass(STABLE_MS * 2)
    return false
  })
  await until('it waits', () => time.dueWithin(60_000) === 1)
  expect([1_500, 3_000].map(time.dueWithin)).toEqual([0, 1])
})
