/** Photos that are saved again while a job that includes them hasn't ended. */
import { rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { NotedResult, WatchFoldersOptions } from '../../../src/main/watch/index.ts'
import { fingerprintOf } from '../../../src/node/file-fingerprint.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { finishedJob, offering, openScanned, settle, until } from './watched.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

const PRESETS = { image: ['A', 'B'], video: [] }

/**
 * Submits a photo, saves it again while its job runs, and lets the service read it.
 * @param former the name that the first photo gets before that
 */
async function saveAgain(change: Partial<WatchFolder>, readFor: readonly string[], former?: string) {
  const underWay = new Set<string>()
  const noted: NotedResult[] = []
  const options: Partial<WatchFoldersOptions> = {
    serviceOf: () => offering(PRESETS),
    isUnderWay: (_, path) => underWay.has(path),
    takePlaced: (keep) => keep(noted.splice(0)),
  }
  const watched = await openScanned({ presets: ['A'], ...change }, options)
  const path = join(watched.inbox, 'a.jpg')
  await writeFile(path, 'photo')
  await until('it is counted', () => watched.watch.list()[0]?.taken === 1)
  const before = watched.submitted().length
  const submittedAt = Date.now()
  underWay.add(path)
  if (former !== undefined) await rename(path, join(watched.inbox, former))
  await writeFile(join(watched.root, 'new'), 'the new photo')
  await rename(join(watched.root, 'new'), path)
  await settle()
  expect(watched.submitted()).toHaveLength(before)
  const read = fingerprintOf(await stat(path, { bigint: true }))
  const finish = (fingerprint = read) => {
    for (const preset of readFor) {
      const from = { path, preset, fingerprint }
      noted.push({ path: `/out/${preset}`, size: 1, content: preset, at: 1, from })
    }
    underWay.delete(path)
    watched.watch.noteFinished(finishedJob({ watched: 'w', inputs: [path], since: submittedAt }))
  }
  return { ...watched, path, read, finish, before }
}

it('are processed once if their job reads the new content', async () => {
  const again = await saveAgain({}, ['A'])
  const { watch, finish, path, inbox } = again
  finish()
  await writeFile(join(inbox, 'later.jpg'), 'later')
  await until('a later photo is counted', () => watch.list()[0]?.taken === 2)
  expect(again.submitted()).toEqual([['a.jpg'], ['later.jpg']])
  // A third content is new.
  await writeFile(path, 'the newest photo')
  await until('it is submitted', () => again.submitted().length === 3)
})

const AGAIN: readonly [string, Partial<WatchFolder>, readonly string[], 'old' | 'new'][] = [
  ['their job had read the old content', {}, ['A'], 'old'],
  ['the job reported nothing', {}, [], 'new'],
  ['only one of two presets was used for the new content', { presets: ['A', 'B'] }, ['B'], 'new'],
  ['their job keeps the originals that changed', { output: { kind: 'replace' } }, ['A'], 'new'],
]

it.each(firstOf(AGAIN))('are processed again after that job if %s', async (_, change, presets, content) => {
  const again = await saveAgain(change, presets)
  const { finish, read, before } = again
  finish(content === 'old' ? { ...read, changed: read.changed - 1 } : read)
  await until('it is submitted', () => again.submitted().length === 2 * before)
})

const RENAMED: readonly [string, readonly string[], string[]][] = [
  ['the job has read only the new photo', ['A'], ['a.jpg', 'first.jpg']],
  ['the job doesn’t report which one it has read', [], ['a.jpg', 'a.jpg', 'first.jpg']],
]

it.each(firstOf(RENAMED))(
  'a photo whose name another one gets before its turn is processed too, if %s',
  async (_, readFor, all) => {
    const again = await saveAgain({}, readFor, 'first.jpg')
    again.finish()
    await until('they are submitted', () => again.submitted().length === all.length)
    await settle()
    expect(again.submitted().flat().toSorted()).toEqual(all)
  },
)

itInLongSuite(
  'a photo that was read isn’t processed again if another one gets its name during its job',
  async () => {
    const again = await saveAgain({}, ['A'], 'first.jpg')
    again.finish(fingerprintOf(await stat(join(again.inbox, 'first.jpg'), { bigint: true })))
    await again.submitsOnly([['a.jpg'], ['a.jpg']])
  },
)
