/** Watched folders with real files and a real outbox. */
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openState } from '../../../src/main/core/open-state.ts'
import { planDraft } from '../../../src/main/outbox/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { once } from '../../../src/shared/once.ts'
import {
  createProcessedFiles,
  createWatchFolders,
  type FinishedJob,
  type WatchFoldersOptions,
  type WatchTrouble,
} from '../../../src/main/watch/index.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import type { PresetOffer } from '../../../src/shared/preset/known-preset.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { namesOf, openOutboxIn, plansIn, newJobId } from '../outbox/drafts.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { watchFolder } from '../../watch-folder.ts'

/** How long a file must be unchanged to count as stable. Shorter than in the app, to keep the tests fast. */
export const STABLE_MS = 150

export type Watched = ReturnType<typeof open>

export async function newRoot(): Promise<string> {
  const root = temporaryFolder()
  await mkdir(join(root, 'in'))
  return root
}

/** A built-in service with these presets. @param presets null if they aren't known */
export const offering = (presets: PresetOffer['presets']): PresetOffer => ({ kind: 'builtIn', presets })

export const folderIn = (root: string, change: Partial<WatchFolder> = {}): WatchFolder =>
  watchFolder(join(root, 'in'), join(root, 'out'), change)

/** A job that has ended and had no files. */
export const finishedJob = (change: Partial<FinishedJob> = {}): FinishedJob => ({
  id: 'job',
  outputFolder: null,
  watched: null,
  gone: [],
  later: [],
  inputs: [],
  results: [],
  complete: true,
  since: Date.now() - 10_000,
  until: Date.now(),
  ...change,
})

/** Opens the records of processed files, until the test has finished. */
export function openStore(file: string) {
  const { connection, setAside } = openState(file, Date.now)
  const close = (): void => void (connection.isOpen && connection.close())
  onTestFinished(close)
  return { ...createProcessedFiles(connection, Date.now), setAside: setAside(), close }
}

export function open(
  root: string,
  folders: readonly WatchFolder[] | null = [folderIn(root)],
  change: Partial<WatchFoldersOptions> = {},
) {
  const settings = createSettings(openSettingsFile(join(root, 'settings.json')))
  if (folders !== null) settings.update({ watchFolders: [...folders] })
  const outbox = openOutboxIn(root)
  const store = openStore(join(root, 'state.db'))
  const troubles: WatchTrouble[] = []
  const busyFolders: string[] = []
  const watch = createWatchFolders({
    settings,
    store,
    async start(draft, key) {
      const plan = planDraft(draft, { presets: null, drive: null, seesFiles: true }, newJobId)
      if (!plan.ok) return plan
      return {
        ok: true,
        ids: (await outbox.enqueue(plan.submissions, { key })).map(({ id }) => id),
        jobs: [],
      }
    },
    wasStarted: (key) => outbox.wasEnqueued(key),
    confirmStarted: (key) => outbox.forgetKey(key),
    isUnderWay: () => false,
    busyFolders: () => busyFolders,
    endedInto: () => [],
    endedWatched: () => [],
    takePlaced: () => undefined,
    mounts: { of: () => Promise.resolve(undefined) },
    newKey: randomUUID,
    serviceOf: () => offering(null),
    // Runs as fast as the clock: Mediatray compares both to find out whether the clock was changed.
    timing: { ...systemTiming, monotonic: () => performance.now() },
    onTrouble: (trouble) => troubles.push(trouble),
    log: () => {},
    stableMs: STABLE_MS,
    checkMs: 100,
    ...change,
  })
  const close = once(async () => {
    await watch.close()
    outbox.close()
    store.close()
  })
  onTestFinished(close)
  /** File names of each submission, in order. */
  const submitted = () => plansIn(outbox).map(namesOf)
  /** Waits for these submissions, given as their file names. */
  const submits = (expected: readonly (readonly string[])[]): Promise<void> =>
    expect.poll(submitted).toEqual(expected)
  return {
    root,
    inbox: join(root, 'in'),
    settings,
    outbox,
    watch,
    troubles,
    /** Output folders of jobs and submissions that the test declares as running. */
    busyFolders,
    /** Path of a damaged database that was moved aside. */
    setAside: store.setAside,
    submitted,
    submits,
    /** Waits for these submissions, and long enough for any others that would follow by mistake. */
    async submitsOnly(expected: readonly (readonly string[])[]) {
      await submits(expected)
      await settle()
      expect(submitted()).toEqual(expected)
    },
    close,
  }
}

/** Waits for the end of the first scan. */
export async function scanned(watched: Watched): Promise<Watched> {
  await watched.watch.whenScanned()
  return watched
}

/** Watches the folder of a root, by default a new one, and waits for the end of its first scan. */
export async function openScanned(
  change: Partial<WatchFolder> = {},
  options: Partial<WatchFoldersOptions> = {},
  at?: string,
): Promise<Watched> {
  const root = at ?? (await newRoot())
  return scanned(open(root, [folderIn(root, change)], options))
}

export async function until(what: string, holds: () => boolean, ms = 60_000): Promise<void> {
  const end = performance.now() + ms
  while (!holds()) {
    if (performance.now() > end) throw new Error(`Condition not met: ${what}`)
    await sleep(10)
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits long enough for any file that is picked up by mistake to be submitted. */
export const settle = (): Promise<void> => sleep(STABLE_MS * 4)
