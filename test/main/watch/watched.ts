/** Watched folders on real files, with a real outbox beside them. */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openOutbox, planDraft, type Outbox } from '../../../src/main/outbox/index.ts'
import { createSettings, openSettingsFile, type Settings } from '../../../src/main/settings/settings.ts'
import {
  createWatchFolders,
  type RunningWork,
  type WatchFolders,
  type WatchFoldersOptions,
  type WatchTrouble,
} from '../../../src/main/watch/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { namesOf, plansIn } from '../outbox/drafts.ts'

export const timing = {
  clock: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Shorter than in life, so that the tests are quick. */
export const SETTLE_MS = 150

export type Watched = {
  readonly root: string
  readonly inbox: string
  readonly settings: Settings
  readonly outbox: Outbox
  readonly watch: WatchFolders
  readonly troubles: WatchTrouble[]
  /** Work that the test says is going on. */
  readonly running: RunningWork[]
  /** Names of the files of each submission, in order. */
  submitted(): string[][]
  close(): Promise<void>
}

export async function newRoot(): Promise<string> {
  const root = realpathSync(await mkdtemp(join(tmpdir(), 'mediatray-watch-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'in'))
  return root
}

export const folderIn = (root: string, change: Partial<WatchFolder> = {}): WatchFolder => ({
  id: 'w',
  path: join(root, 'in'),
  enabled: true,
  recursive: false,
  preset: null,
  output: { kind: 'folder', path: join(root, 'out') },
  variations: 1,
  grouping: 'separate',
  windowMs: 0,
  ...change,
})

export function open(
  root: string,
  folders: readonly WatchFolder[] = [folderIn(root)],
  change: Partial<WatchFoldersOptions> = {},
): Watched {
  const settings = createSettings(openSettingsFile(join(root, 'settings.json')))
  settings.update({ watchFolders: [...folders] })
  const outbox = openOutbox({
    file: join(root, 'outbox.db'),
    clock: timing.clock,
    ids: () => asRecordId(randomUUID()),
  })
  const troubles: WatchTrouble[] = []
  const running: RunningWork[] = []
  const watch = createWatchFolders({
    settings,
    file: join(root, 'watch.db'),
    async start(draft, key) {
      const plan = planDraft(draft, { presets: null, drive: null, seesFiles: true })
      if (!plan.ok) return plan
      return { ok: true, ids: (await outbox.enqueue(plan.submissions, { key })).map(({ id }) => id) }
    },
    wasStarted: (key) => outbox.wasEnqueued(key),
    confirmStarted: (key) => outbox.forgetKey(key),
    running: () => running,
    resultPaths: () => [],
    newKey: randomUUID,
    timing,
    onTrouble: (trouble) => troubles.push(trouble),
    log: () => {},
    settleMs: SETTLE_MS,
    checkMs: 100,
    ...change,
  })
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await watch.close()
    outbox.close()
  }
  onTestFinished(close)
  return {
    root,
    inbox: join(root, 'in'),
    settings,
    outbox,
    watch,
    troubles,
    running,
    submitted: () => plansIn(outbox).map(namesOf),
    close,
  }
}

export async function until(what: string, holds: () => boolean, ms = 60_000): Promise<void> {
  const end = performance.now() + ms
  while (!holds()) {
    if (performance.now() > end) throw new Error(`It did not come about: ${what}`)
    await sleep(10)
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Long enough for anything that would wrongly be taken. */
export const settle = (): Promise<void> => sleep(SETTLE_MS * 4)
