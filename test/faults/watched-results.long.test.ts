/** Results in watched folders are never processed as new files, no matter how they were created. */
import { mkdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { startWatching, type Core } from '../../src/main/core/index.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import type { WatchFolder } from '../../src/shared/model/watch-folder.ts'
import { timing } from '../main/core/open-core.ts'
import { submissionOf } from '../main/history/sample-records.ts'
import { openApp } from './built-in-app.ts'
import { itInLongSuite } from './long-suite.ts'
import { photoFolders, resultsIn } from './photo-folders.ts'
import { watchFolder } from '../watch-folder.ts'

/** Longer than a file must stay unchanged before it is picked up. */
const STABLE_MS = 5_000

/** Several folders need different IDs. */
const watched = (path: string, output: string) => watchFolder(path, output, { id: path })

function place() {
  const folders = photoFolders(12)
  const at = (name: string) => join(folders.folder, name)
  for (const name of ['a', 'b', 'c']) mkdirSync(at(name))
  return { ...folders, at }
}

/** Starts the app and waits until it has scanned the folders. */
async function watching(
  { data }: { readonly data: string },
  watchFolders: WatchFolder[],
  change: Parameters<typeof openApp>[1] = {},
) {
  const { core } = openApp(data, { watchFolders, ...change })
  const watch = startWatching({ core, timing, onTrouble: () => {}, log: () => {} })
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await watch.close()
    await core.close()
  }
  onTestFinished(close)
  await watch.whenScanned()
  return { core, watch, close }
}

/** Returns the input paths of all submissions in the history. */
function inputsOf({ history }: Core): readonly string[] {
  const { records } = history.page({}, { offset: 0, limit: 500, unfinished: true })
  const details = records.flatMap(({ id }) => history.details(id) ?? [])
  // The row of a job is its first part.
  const parts = details.flatMap((record) =>
    record.parts.length === 0 ? record : record.parts.flatMap(({ id }) => history.details(id) ?? []),
  )
  return parts.flatMap(({ inputs }) => inputs.map(({ path }) => path)).toSorted()
}

const isIdle = (core: Core): boolean =>
  !core.busy() && core.tracker.jobs().length === 0 && core.outbox.list().length === 0

async function idle(core: Core): Promise<void> {
  do {
    await expect.poll(() => isIdle(core), { timeout: 60_000, interval: 100 }).toBe(true)
    await sleep(STABLE_MS)
  } while (!isIdle(core))
}

itInLongSuite('results of a command that was killed while placing them are not picked up', async () => {
  const at = place()
  const folders = [watched(at.at('a'), at.at('b'))]
  await (await watching(at, folders)).close()
  await at.killSubmit(at.files, at.at('a'))
  const { core } = await watching(at, folders)
  await expect.poll(() => inputsOf(core).length, { timeout: 60_000 }).toBe(at.files.length)
  await idle(core)
  expect(inputsOf(core)).toEqual(at.files.toSorted())
  expect(resultsIn(at.at('a'))).toHaveLength(at.files.length)
})

itInLongSuite('results that two watched folders write into each other are not picked up', async () => {
  const at = place()
  const [a, b] = [at.at('a'), at.at('b')]
  const { core } = await watching(at, [watched(a, b), watched(b, a)])
  const put: string[] = []
  for (const [n, photo] of at.files.entries()) {
    const to = join(at.at(n % 2 === 0 ? 'a' : 'b'), `photo-${n}.jpg`)
    // Equal contents would be processed only once.
    await writeFile(to, Buffer.concat([await readFile(photo), Buffer.from(`${n}`)]))
    put.push(to)
    await sleep(n % 3 === 0 ? 1_000 : 100)
  }
  await expect.poll(() => inputsOf(core).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(put.length)
  await idle(core)
  expect(inputsOf(core)).toEqual(put.toSorted())
})

itInLongSuite('results that a command writes while the app is running are not picked up', async () => {
  const at = place()
  const { core } = await watching(at, [watched(at.at('a'), at.at('b'))], { connection: null })
  await at.command('submit', ...at.files.slice(0, 3), '--output', at.at('a'), '--wait')
  await sleep(STABLE_MS)
  expect(inputsOf(core)).toEqual(at.files.slice(0, 3).toSorted())
})

itInLongSuite('results recorded before many others are not picked up', async () => {
  const at = place()
  const folders = [watched(at.at('a'), at.at('b'))]
  const before = await watching(at, folders)
  const made = join(at.at('a'), 'made.jpg')
  const createdAt = Date.now()
  for (let n = 0; n < 150; n += 1) {
    const id = asRecordId(`r_${n}`)
    const output = { kind: 'folder', path: at.at(n === 0 ? 'a' : 'c') } as const
    before.core.history.recordSubmission(
      submissionOf(id, ['/photo.jpg'], { output, createdAt: createdAt + n }),
    )
    const outputPath = n === 0 ? made : join(at.at('c'), `${n}.jpg`)
    before.core.history.recordResults(id, [{ file: '/photo.jpg', outputPath, index: 0 }], [])
    before.core.history.recordOutcome(id, { kind: 'done', results: 1, uploaded: null }, createdAt + n)
  }
  await before.close()
  await writeFile(made, 'x')
  const { core, watch } = await watching(at, folders)
  await sleep(STABLE_MS)
  expect(watch.list()).toMatchObject([{ taken: 0, question: null }])
  expect(core.outbox.list()).toEqual([])
})
