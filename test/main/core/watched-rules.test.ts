/** Watched folders whose rules replace originals or skip files that are done, with the built-in service. */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startWatching, type Core } from '../../../src/main/core/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { FolderRule } from '../../../src/shared/model/folder-rules.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { samplePhoto } from '../../media/image/process-photo.ts'
import { openTestCore, timing, useBuiltIn } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { watchFolder } from '../../watch-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const PRESET = 'Web 1080p'
const FASTER = 5

/** Files are stable sooner than in the app. */
const fasterTiming = {
  clock: timing.clock,
  monotonic: () => timing.monotonic() * FASTER,
  after: (ms: number, run: () => void) => timing.after(ms / FASTER, run),
}

const named = (
  pattern: string,
  output: (FolderRule['action'] & { do: 'process' })['output'],
): FolderRule => ({
  id: pattern,
  when: [{ about: 'name', matches: true, pattern }],
  action: { do: 'process', presets: [PRESET], output },
})

async function openRuled(change: Partial<WatchFolder> = {}) {
  const root = temporaryFolder()
  const inbox = join(root, 'in')
  mkdirSync(inbox)
  const core = await openTestCore(root)
  const folder = watchFolder(inbox, join(root, 'rest'), { presets: [PRESET], ...change })
  core.settings.update({
    watchFolders: [folder],
    folderRules: {
      w: {
        rules: [
          named('replace*', { kind: 'replace' }),
          named('web*', { kind: 'folder', path: join(root, 'web') }),
        ],
        rest: 'ignore',
      },
    },
  })
  await useBuiltIn(core)
  const watch = startWatching({
    core,
    timing: fasterTiming,
    onTrouble: () => {},
    log: () => {},
  })
  onTestFinished(async () => {
    await watch.close()
    await core.close()
  })
  await watch.whenScanned()
  return { root, inbox, core, watch, taken: () => watch.list()[0]?.taken }
}

/** Name, outcome and number of replaced originals of each job that has ended. */
const ended = ({ history }: Core) =>
  history
    .page({}, { offset: 0, limit: 50, unfinished: true })
    .records.filter(({ outcome }) => outcome !== null)
    .map(({ name, outcome, replaced }) => `${name} ${outcome?.kind} ${replaced?.replaced ?? 0}`)
    .toSorted()

/** Waits until nothing is new or in progress. */
const idle = ({ core, watch }: Pick<Awaited<ReturnType<typeof openRuled>>, 'core' | 'watch'>) =>
  expect
    .poll(() => watch.busy() || core.busy() || core.tracker.jobs().length + core.outbox.list().length)
    .toBe(0)

it('a rule replaces originals, only those that match it, and never processes the results', async () => {
  const app = await openRuled()
  const photos = await Promise.all(
    [0, 1, 2].map((rows) =>
      samplePhoto(1_200, 800 + rows)
        .jpeg({ quality: 95 })
        .toBuffer(),
    ),
  )
  const smallest = Math.min(...photos.map(({ length }) => length))
  for (const [index, name] of ['replace me.jpg', 'web.jpg', 'other.jpg'].entries())
    writeFileSync(join(app.inbox, name), photos[index] ?? '')
  await expect.poll(() => ended(app.core)).toEqual(['replace me.jpg done 1', 'web.jpg done 0'])
  expect(readFileSync(join(app.inbox, 'replace me.jpg')).length).toBeLessThan(smallest)
  expect(readFileSync(join(app.inbox, 'web.jpg')).length).toBeGreaterThanOrEqual(smallest)
  expect(readdirSync(join(app.root, 'web'))).toHaveLength(1)
  await expect(app.core.vault.totals()).resolves.toMatchObject({ files: 1 })

  // A later file shows that the result would have been processed by now.
  writeFileSync(
    join(app.inbox, 'web later.jpg'),
    await samplePhoto(1_200, 803).jpeg({ quality: 95 }).toBuffer(),
  )
  await expect.poll(() => ended(app.core)).toHaveLength(3)
  await idle(app)
  expect(ended(app.core)).toHaveLength(3)
  expect(readdirSync(app.inbox).toSorted()).toEqual([
    'other.jpg',
    'replace me.jpg',
    'web later.jpg',
    'web.jpg',
  ])
})

itInLongSuite.each([
  ['skips files whose content is done with its preset', {}, 1],
  ['processes them again if the folder does', { done: 'again' }, 2],
] as const)('a rule %s', async (_, change, jobs) => {
  const app = await openRuled(change)
  const first = join(app.inbox, 'web.jpg')
  writeFileSync(first, await samplePhoto(600, 400).jpeg().toBuffer())
  await expect.poll(() => ended(app.core)).toEqual(['web.jpg done 0'])
  await app.core.measured()
  copyFileSync(first, join(app.inbox, 'web copy.jpg'))
  await expect.poll(app.taken).toBe(2)
  await idle(app)
  await expect.poll(() => ended(app.core)).toHaveLength(jobs)
})

/** Saves another photo at a path as editors do. */
function saveOver(path: string, content: Buffer): void {
  writeFileSync(join(dirname(path), '.saving'), content)
  renameSync(join(dirname(path), '.saving'), path)
}

itInLongSuite.each([
  ['saves results elsewhere: its job processes the new content, and no other one does', 'web.jpg', 1],
  [
    'replaces originals: the new content is processed again, because its job keeps an original that changed',
    'replace.jpg',
    2,
  ],
] as const)('a photo that is saved again before its turn, in a folder that %s', async (_, name, jobs) => {
  const app = await openRuled()
  app.core.settings.update({ outboxPaused: true })
  const photo = join(app.inbox, name)
  writeFileSync(photo, await samplePhoto(600, 400).jpeg({ quality: 95 }).toBuffer())
  await expect.poll(() => app.core.outbox.list().length).toBe(1)
  saveOver(photo, await samplePhoto(900, 800).jpeg({ quality: 95 }).toBuffer())
  // A later file shows that the new content would have been submitted by now.
  writeFileSync(join(app.inbox, 'web later.jpg'), await samplePhoto(300, 200).jpeg().toBuffer())
  await expect.poll(() => app.core.outbox.list().length).toBe(2)
  app.core.settings.update({ outboxPaused: false })
  await expect.poll(() => ended(app.core)).toHaveLength(jobs + 1)
  await idle(app)
  expect(ended(app.core)).toHaveLength(jobs + 1)
})

itInLongSuite(
  'a submission whose photos were moved before it was sent ends once they are processed, and its record says where',
  async () => {
    const app = await openRuled()
    app.core.settings.update({ outboxPaused: true })
    const content = await samplePhoto(120, 80).jpeg().toBuffer()
    const [path, moved] = [join(app.inbox, 'web.jpg'), join(app.inbox, 'web moved.jpg')]
    writeFileSync(path, content)
    await expect.poll(() => app.core.outbox.list().length).toBe(1)
    const id = app.core.outbox.list()[0]?.id ?? asRecordId('')
    renameSync(path, moved)
    app.core.settings.update({ outboxPaused: false })
    await expect.poll(() => ended(app.core)).toEqual(['web moved.jpg done 0', 'web.jpg cancelled 0'])
    expect(app.core.outbox.list()).toEqual([])
    const [problem, ...others] = app.core.history.details(id)?.problems ?? []
    expect(others).toEqual([])
    expect(problem).toMatchObject({
      file: path,
      failure: { code: 'processedElsewhere', values: { path: moved } },
    })
    expect(app.core.history.draftFrom(id, 'failed')).toBeUndefined()
  },
)

itInLongSuite('a submission whose photos are gone stays, until the user decides', async () => {
  const app = await openRuled()
  app.core.settings.update({ outboxPaused: true })
  const content = await samplePhoto(120, 80).jpeg().toBuffer()
  const path = join(app.inbox, 'web.jpg')
  writeFileSync(path, content)
  await expect.poll(() => app.core.outbox.list().length).toBe(1)
  rmSync(path)
  app.core.settings.update({ outboxPaused: false })
  await expect.poll(() => app.core.outbox.list()[0]?.state.kind).toBe('refused')
  writeFileSync(join(app.inbox, 'web other.jpg'), Buffer.concat([content, Buffer.from('other')]))
  await expect.poll(() => ended(app.core)).toEqual(['web other.jpg done 0'])
  expect(app.core.outbox.list().map(({ state }) => state.kind)).toEqual(['refused'])
})
