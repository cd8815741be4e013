import { copyFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEvents, type CoreEvents } from '../../../src/main/core/index.ts'
import { replaceOriginals, type ReplacingDeps } from '../../../src/main/core/replace-originals.ts'
import { restoringIn } from '../../../src/main/core/restore-originals.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import type { Vault } from '../../../src/main/vault/index.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import type { Outcome, PartDetails } from '../../../src/shared/model/job.ts'
import { acceptance, submissionOf } from '../history/sample-records.ts'
import { offlineCore, recordEnded } from '../desktop/offline-core.ts'
import { endedJob, openVaultOf, replacedJob } from '../desktop/replaced-originals.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

type Core = Awaited<ReturnType<typeof offlineCore>>['core']
type JobResult = PartDetails['results'][number]

/** Replaces originals of a core's history with timers that run on request. */
function replacingIn(core: Core, vault: Vault, more: Partial<ReplacingDeps> = {}) {
  const events = createEvents<CoreEvents>(() => undefined)
  const timers: { ms: number; run: () => void }[] = []
  const told: string[] = []
  events.on('originalsChanged', () => told.push('originalsChanged'))
  const replacing = replaceOriginals({
    events,
    history: core.history,
    outbox: core.outbox,
    aliases: core.aliases,
    log: () => undefined,
    vault,
    dataDir: 'the data folder',
    after(ms, run) {
      const timer = { ms, run }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
    isGood: () => Promise.resolve(true),
    endChecks: () => undefined,
    presetOf: () => Promise.resolve(null),
    onReplaced: ({ id }) => told.push(id),
    ...more,
  })
  replacing.start()
  onTestFinished(() => replacing.close())
  return { replacing, events, timers, told }
}

/** A vault that can't replace anything at first. */
function failingVault(vault: Vault, code: string): Vault {
  let hasFailed = false
  return {
    ...vault,
    replaceAll(...given) {
      if (hasFailed) return vault.replaceAll(...given)
      hasFailed = true
      return Promise.reject(Object.assign(new Error(code), { code }))
    },
  }
}

/** An ended job of photos with these names, whose results wait in the vault. */
async function jobOf(names: readonly string[], outcome?: Outcome) {
  const { core, folder, photo } = await offlineCore()
  const paths = await Promise.all(names.map(photo))
  const [path = ''] = paths
  const vault = openVaultOf(folder)
  const job = await endedJob(core, vault, paths, outcome)
  return { core, folder, paths, path, original: readFileSync(path), vault, ...job }
}

/** Changes what the history knows of a file's result. */
function changeResult(core: Core, id: RecordId, file: string, change: Partial<JobResult>): void {
  const { results = [] } = core.history.details(id) ?? {}
  const changed = results.map((result) => (result.file === file ? { ...result, ...change } : result))
  core.history.recordResults(id, changed, [])
}

/** Runs the timer after which it tries again, which succeeds. */
async function retry(core: Core, id: RecordId, { replacing, timers }: ReturnType<typeof replacingIn>) {
  timers[0]?.run()
  await expect.poll(() => core.history.details(id)?.replaced?.replaced).toBe(1)
  await expect.poll(() => replacing.isFailing()).toBe(false)
}

const isIdle = (replacing: { busy(): boolean }) => expect.poll(() => replacing.busy()).toBe(false)

it('stops on a full disk, and continues when there is space again', async () => {
  const { core, path, original, vault, id } = await jobOf(['a.jpg'])
  const { replacing, events, timers, told } = replacingIn(core, failingVault(vault, 'ENOSPC'))
  await expect.poll(() => replacing.fullDisk()).toBe(dirname(path))
  expect([replacing.isFailing(), replacing.busy(), told]).toEqual([false, true, ['originalsChanged']])
  expect(readFileSync(path)).toEqual(original)
  expect(timers.map(({ ms }) => ms)).toEqual([30_000])

  events.tell('diskChanged')(null)
  await isIdle(replacing)
  expect(core.history.details(id)?.replaced).toEqual({ replaced: 1, kept: 0, restored: 0 })
  expect(statSync(path).size).toBeLessThan(original.length)
  expect([replacing.fullDisk(), told]).toEqual([null, ['originalsChanged', id, 'originalsChanged']])
})

itInLongSuite('reports another failure, and tries again after 30 seconds', async () => {
  const { core, vault, id } = await jobOf(['a.jpg'])
  const started = replacingIn(core, failingVault(vault, 'EBADF'))
  const { replacing, timers } = started
  await expect.poll(() => replacing.isFailing()).toBe(true)
  expect([replacing.fullDisk(), replacing.busy()]).toEqual([null, false])
  expect(timers.map(({ ms }) => ms)).toEqual([30_000])
  await retry(core, id, started)
})

itInLongSuite('tries again after 30 seconds while originals wait for their volume', async () => {
  const { core, vault, id } = await jobOf(['a.jpg'])
  let isAway = true
  const started = replacingIn(core, {
    ...vault,
    replaceAll: (...given) => (isAway ? Promise.resolve([]) : vault.replaceAll(...given)),
  })
  const { replacing, timers } = started
  await expect.poll(() => replacing.isFailing()).toBe(true)
  expect([replacing.busy(), timers.map(({ ms }) => ms)]).toEqual([false, [30_000]])
  isAway = false
  await retry(core, id, started)
})

it('replaces nothing after a cancel, and deletes the results that were ready', async () => {
  const { core, paths, original, vault, id, output } = await jobOf(['a.jpg', 'b.jpg'], {
    kind: 'cancelled',
    results: 2,
  })
  const { replacing, told } = replacingIn(core, vault)
  await isIdle(replacing)
  expect(core.history.details(id)).toMatchObject({
    replaced: { replaced: 0, kept: 2, restored: 0 },
    results: [],
  })
  expect(paths.map((path) => readFileSync(path))).toEqual([original, original])
  expect([existsSync(output), told]).toEqual([false, [id]])
})

itInLongSuite('keeps the originals that wait if the user cancels after the end of the job', async () => {
  const { core, paths, original, vault, id } = await jobOf(['a.jpg', 'b.jpg'])
  const { replacing } = replacingIn(core, vault, {
    async isGood() {
      core.outbox.cancelRequests.add(id)
      return true
    },
  })
  await isIdle(replacing)
  expect(core.history.details(id)).toMatchObject({
    replaced: { replaced: 1, kept: 1, restored: 0 },
    outcome: { kind: 'cancelled', results: 1 },
  })
  expect(paths.map((path) => readFileSync(path).equals(original))).toEqual([false, true])
})

itInLongSuite.each(['removed', 'canceled'])(
  'replaces nothing of an interrupted job whose rest the user has %s before',
  async (how) => {
    const { core, paths, original, vault, id, output, results } = await jobOf(['a.jpg', 'b.jpg'])
    core.history.forget(id)
    const toVault = { output: { kind: 'folder', path: output } } as const
    const rest = asRecordId('r_rest')
    const part = asRecordId('r_rest-job')
    for (const [index, own] of [rest, part].entries()) {
      const place = { id: rest, part: index, parts: 2, presets: 1, folders: 1, photos: 2, videos: 0 }
      const submission = submissionOf(own, [paths[1 - index] ?? ''], toVault)
      core.history.recordSubmission({ ...submission, title: { ...submission.title, place } })
    }
    core.history.recordResults(
      part,
      [{ file: 'a.jpg', outputPath: [...results.values()][0] ?? '', index: 0 }],
      [],
    )
    core.history.recordOutcome(part, { kind: 'done', results: 1, uploaded: null }, 1)
    if (how === 'canceled') core.history.recordOutcome(rest, { kind: 'cancelled', results: 0 }, 1)
    const { replacing } = replacingIn(core, vault)
    await isIdle(replacing)
    expect(core.history.details(part)?.replaced).toEqual({ replaced: 0, kept: 1, restored: 0 })
    expect(paths.map((path) => readFileSync(path).equals(original))).toEqual([true, true])
  },
)

it('finishes the current file before it quits, and the others at the next start', async () => {
  const { core, folder, paths, original, vault, id } = await jobOf(['a.jpg', 'b.jpg'])
  const checked = Promise.withResolvers<void>()
  const quitting = Promise.withResolvers<void>()
  const first = replacingIn(core, vault, {
    async isGood() {
      checked.resolve()
      await quitting.promise
      return true
    },
  })
  await checked.promise
  const closed = first.replacing.close()
  quitting.resolve()
  await closed
  expect(paths.map((path) => readFileSync(path).equals(original))).toEqual([false, true])
  expect(core.history.details(id)?.replaced).toBe(null)

  const second = replacingIn(core, openVaultOf(folder))
  await isIdle(second.replacing)
  expect(paths.map((path) => readFileSync(path).equals(original))).toEqual([false, false])
  expect([core.history.details(id)?.replaced?.replaced, second.told]).toEqual([2, [id]])
})

it('removes aliases first, which otherwise look like second names of the originals', async () => {
  const { core, path, vault, id } = await jobOf(['a.jfif'])
  const item = { path, name: 'a.jfif', kind: 'image', size: statSync(path).size } as const
  const { signal } = new AbortController()
  const { files } = await core.aliases.create(id, [item], { isBuiltIn: false, signal })
  expect([files[0]?.as.endsWith('.jpg'), statSync(path).nlink]).toEqual([true, 2])
  replacingIn(core, vault)
  await expect.poll(() => core.history.details(id)?.replaced).toEqual({ replaced: 1, kept: 0, restored: 0 })
})

function failOnFullDisk(): never {
  throw Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
}

itInLongSuite(
  'reports what it restored even if the history can’t be written on a full disk, and records it later',
  async () => {
    const { core, folder, photo } = await offlineCore()
    const path = await photo('a.jpg')
    const original = readFileSync(path)
    const id = await replacedJob(core, folder, [path])
    const vault = openVaultOf(folder)
    const record = core.history.details(id)
    if (record === undefined) throw new Error('There is no record.')
    const restoring = restoringIn({ history: { ...core.history, recordReplaced: failOnFullDisk }, vault })
    expect(await restoring.undo(record)).toEqual([{ path, kind: 'restored', place: path }])
    expect(readFileSync(path)).toEqual(original)
    replacingIn(core, vault)
    await expect.poll(() => core.history.details(id)?.replaced).toEqual({ replaced: 0, kept: 0, restored: 1 })
  },
)

itInLongSuite(
  'restores originals whose record was deleted, and never replaces those that still wait',
  async () => {
    const { core, folder, photo } = await offlineCore()
    const [replaced, waiting] = [await photo('a.jpg'), await photo('b.jpg')]
    const original = readFileSync(replaced)
    const vault = openVaultOf(folder)
    const first = await endedJob(core, vault, [replaced])
    const { replacing } = replacingIn(core, vault)
    await isIdle(replacing)
    const second = await endedJob(core, vault, [waiting])
    for (const { id } of [first, second]) core.history.forget(id)
    replacing.start()
    await isIdle(replacing)
    expect(readFileSync(waiting)).toEqual(original)
    expect(readFileSync(replaced).equals(original)).toBe(false)
    await expect(replacing.inFolder(folder, 'replaced')).resolves.toMatchObject([
      { id: null, paths: [replaced] },
    ])
    expect(await replacing.undoFolder(dirname(replaced))).toEqual([
      { path: replaced, kind: 'restored', place: replaced },
    ])
    expect(readFileSync(replaced)).toEqual(original)
  },
)

itInLongSuite(
  'replaces what was processed before a crash while the rest of the job is processed again',
  async () => {
    const { core, paths, original, vault, id, output, results } = await jobOf(['a.jpg', 'b.jpg'])
    core.history.forget(id)
    const part = recordEnded(
      core,
      paths.slice(0, 1),
      { kind: 'done', results: 1, uploaded: null },
      [...results.values()].slice(0, 1),
      output,
    )
    const rest = asRecordId('r_rest')
    void core.history.recordAcceptedSubmission(
      submissionOf(rest, paths.slice(1), { output: { kind: 'folder', path: output } }),
      acceptance,
    )
    const { replacing } = replacingIn(core, vault)
    await isIdle(replacing)
    expect(core.history.details(part)?.replaced?.replaced).toBe(1)
    expect(readFileSync(paths[0] ?? '').equals(original)).toBe(false)
    expect([readFileSync(paths[1] ?? ''), existsSync(output)]).toEqual([original, true])
  },
)

it('keeps an original whose result lost something, and its result next to it', async () => {
  const { core, paths, vault, id, output } = await jobOf(['whole.jpg', 'pages.jpg'])
  const [, pages = ''] = paths
  const lost = loss('pages', { count: 4, first: 2, last: 5 }, lossReason('holdsOnePage', { format: 'JPEG' }))
  changeResult(core, id, 'pages.jpg', { losses: [lost] })
  replacingIn(core, vault)
  await expect.poll(() => core.history.details(id)?.replaced).toEqual({ replaced: 1, kept: 1, restored: 0 })
  const details = core.history.details(id)
  const kept = vault.of(output).find(({ path }) => path === pages)
  expect(kept?.state).toMatchObject({ kind: 'kept', why: 'lost' })
  const result = details?.results.find(({ losses }) => losses !== undefined)
  expect(result?.losses).toEqual([lost])
  expect(dirname(result?.outputPath ?? '')).toBe(dirname(pages))
})

it('keeps an original whose quality would have been too low, even if its copy is as large, and remembers the score', async () => {
  const { core, paths, vault, id, output, results: made } = await jobOf(['fine.jpg', 'coarse.jpg'])
  const [, coarse = ''] = paths
  const quality = { score: 61, isSampled: true, below: 70 }
  changeResult(core, id, 'coarse.jpg', { quality })
  copyFileSync(coarse, made.get(coarse) ?? '')
  replacingIn(core, vault)
  await expect.poll(() => core.history.details(id)?.replaced).toEqual({ replaced: 1, kept: 1, restored: 0 })
  const details = core.history.details(id)
  const kept = vault.of(output).find(({ path }) => path === coarse)
  expect(kept?.state).toMatchObject({ kind: 'kept', why: 'lowQuality', result: null })
  expect(details?.results.find(({ outputPath }) => outputPath === coarse)?.quality).toEqual(quality)
})

/** Closes a vault and deletes its journal. */
async function loseJournal(folder: string, vault: Vault): Promise<Vault> {
  await vault.close()
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `state.db${end}`), { force: true })
  return openVaultOf(folder)
}

itInLongSuite(
  'keeps originals and results of a job whose journal was lost before all originals were replaced',
  async () => {
    const job = await jobOf(['a.jpg', 'b.jpg'])
    const { core, folder, paths, original, vault: earlier, id, output, results } = job
    const [first = '', second = ''] = paths
    const one = new Map([[first, results.get(first)]])
    await earlier.replaceAll(output, one, () => Promise.resolve(true))
    const vault = await loseJournal(folder, earlier)
    const { replacing, told } = replacingIn(core, vault)
    await expect.poll(() => core.history.details(id)?.replaced).toEqual({ replaced: 1, kept: 1, restored: 0 })
    await isIdle(replacing)
    expect(told).toContain(id)
    expect(readFileSync(second).equals(original)).toBe(true)
    const kept = core.history.details(id)?.results.find(({ outputPath }) => outputPath !== first)
    expect([kept?.outputPath, existsSync(kept?.outputPath ?? '')]).toEqual([results.get(second), true])
    expect(vault.of(output).find(({ path }) => path === second)?.state).toMatchObject({ why: 'unreadable' })
  },
)

itInLongSuite(
  'keeps originals and results of a job whose journal was lost while it ran, even if another process sees its end',
  async () => {
    const { core, folder, photo } = await offlineCore()
    const path = await photo('a.jpg')
    const earlier = openVaultOf(folder)
    const output = await earlier.prepare([path])
    const id = asRecordId('running')
    const submission = submissionOf(id, [path], { output: { kind: 'folder', path: output } })
    await core.history.recordAcceptedSubmission(submission, acceptance)
    const result = join(output, 'a.jpg')
    copyFileSync(path, result)
    const vault = await loseJournal(folder, earlier)
    const running = replacingIn(core, vault)
    await expect.poll(() => vault.of(output)).toMatchObject([{ path, state: { why: 'unreadable' } }])
    await running.replacing.close()

    core.history.recordResults(id, [{ file: 'a.jpg', outputPath: result, index: 0 }], [])
    core.history.recordOutcome(id, { kind: 'done', results: 1, uploaded: null }, Date.now())
    replacingIn(core, openVaultOf(folder))
    await expect.poll(() => core.history.details(id)?.replaced).toEqual({ replaced: 0, kept: 1, restored: 0 })
    expect(existsSync(result)).toBe(true)
  },
)
