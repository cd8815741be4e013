/**
 * The app without a window. Each module depends only on modules created before it; feedback flows through events. Files enter
 * through intake, are collected in the draft, and go through the outbox to the service. The tracker follows the jobs, the history
 * records them, and the state shows everything.
 */
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { join } from 'node:path'
import { keepFolderPrivate } from '../../node/private-files.ts'
import type { Timing } from '../../node/timing.ts'
import { outputsIn } from '../../shared/model/folder-rules.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Connection, KeyStore } from '../connection/index.ts'
import type { OpenWal } from '../database/index.ts'
import { createDiskWatch, type DiskWatch } from '../disk/disk.ts'
import { holdReserve } from './hold-reserve.ts'
import { itemsOf, openDrafts, recordMissing, type Drafts } from '../drafts/index.ts'
import { openHistory } from '../history/index.ts'
import { createDoneCheck, type DoneCheck, hashBeforeChange } from '../ledger/index.ts'
import type { JobWorker } from '../../media/start-worker.ts'
import { openVaultIn } from './open-vault.ts'
import { replaceOriginals, type Replacing, type ReplacingDeps } from './replace-originals.ts'
import { resultChecks } from './result-checks.ts'
import type { Vault } from '../vault/index.ts'
import { createIntake, type IntakeTarget } from '../intake/index.ts'
import { openOutbox, type Outbox, type SendingClaim } from '../outbox/index.ts'
import { openMounts } from '../mounts/mounts.ts'
import { openStaging } from '../staging/index.ts'
import type { Settings } from '../settings/settings.ts'
import { createStateStore, type StateStore } from '../state/state.ts'
import { createEvents, type CoreEvents, type Events } from './events.ts'
import { createRecordEndings } from './end-records.ts'
import { openDownloads } from './fetch-results.ts'
import { followDone } from './follow-done.ts'
import { hashWhenIdle } from './hash-when-idle.ts'
import { holdJobs, type JobHolding, type QuietSources } from './hold-jobs.ts'
import { createFileAccess, createKnownPaths, type FileAccess, type KnownPaths } from './file-access.ts'
import { initialState, outputFoldersIn, projectState, type StateProjection } from './project-state.ts'
import { measureResults } from './measure-results.ts'
import type { Modules, Role } from './modules.ts'
import { connectReactions, pollOtherProcesses } from './reactions.ts'
import { presetTraits } from './preset-traits.ts'
import { recordIds } from './record-ids.ts'
import { hookRules, runHooks, type RunningHooks } from './run-hooks.ts'
import { recordEnds, recordJobs } from './record-jobs.ts'
import { sendSubmissions } from './send-submissions.ts'
import { createUsedPresets, type UsedPresets } from './used-presets.ts'
import { awaitedIn, unfinishedJobs } from './service-jobs.ts'
import { createWriteWatch, type WriteWatch } from './write-watch.ts'
import { trackJobs } from './track-jobs.ts'
import { wholeJobs, type WholeJobs } from './whole-jobs.ts'

export const APP_ROLE: Role = { sends: true, keepsForeign: true, takesUnaddressed: true, usesReserve: true }

export type CoreOptions = {
  /** Absolute; contains the outbox, history and downloads databases. */
  readonly dataDir: string
  readonly settings: Settings
  readonly connection: Connection
  readonly role: Role
  /** Output folder until the user chooses one. */
  readonly defaultOutput: string
  /** Generates record ids; by default, ids that start with the time. */
  readonly newId?: () => string
  readonly timing: Timing
  /** The right to send, if the caller already holds it. */
  readonly sendingClaim?: SendingClaim | undefined
  /** How writes are flushed to disk; by default with the system's fsync. */
  readonly openWal?: OpenWal
  /** Starts a worker that checks results before they replace originals. Without it, all originals are kept. */
  readonly startChecker?: (() => JobWorker) | undefined
  /** Contains the key that signs requests after a job. */
  readonly keyStore?: KeyStore
  /** What quiet mode needs to know. Without it, jobs are never held back, because the user ran this process for them. */
  readonly quiet?: QuietSources | undefined
  /** The user's home folder; by default the system's. */
  readonly home?: string
  readonly log: Log
}

export type Core = Omit<Modules, 'events' | 'claim' | 'timing' | 'log'> &
  WholeJobs & {
    readonly events: Pick<Events<CoreEvents>, 'on'>
    readonly state: StateStore
    readonly notices: StateProjection
    readonly vault: Pick<Vault, 'isUsed' | 'keepDays' | 'totals' | 'placed'>
    readonly replacing: Omit<Replacing, 'close'>
    readonly hooks: Pick<RunningHooks, 'test' | 'status' | 'signingKey' | 'busy' | 'programFolders'>
    readonly knownPaths: KnownPaths
    readonly fileAccess: FileAccess
    readonly done: DoneCheck
    readonly quiet: Pick<JobHolding, 'startAnyway' | 'pause' | 'resume' | 'check'>
    /**
     * Whether work remains that doesn't need the user: sending, resolving unconfirmed submissions, downloading results, or replacing
     * originals.
     */
    busy(): boolean
    /** Cleans up after processes that have ended, unless another process already does. */
    settle(): Promise<void>
    /** Resolves when all records that have finished are measured, so that the ledger has their files. */
    measured(): Promise<void>
    close(): Promise<void>
  }

export function openCore(options: CoreOptions): Core {
  const { settings, connection, role, timing, log, dataDir } = options
  keepFolderPrivate(dataDir)
  const makeReserve = holdReserve(dataDir, role.usesReserve)
  const newId = recordIds(timing.clock, options.newId)

  const events = createEvents<CoreEvents>(log)
  const presetFolder = join(dataDir, 'service', 'presets')
  const { outbox, history, usedPresets, writes } = openStores(options, presetFolder, newId, events)
  const done = createDoneCheck({ history, connection, presetFolder, clock: timing.clock })
  const vault = openVaultIn(options, events)
  const mounts = openMounts(join(dataDir, 'mounts.json'), timing.clock, log)
  const drafts = openDrafts({
    ...options,
    done,
    outbox,
    vault,
    mounts,
    history,
    onDraft: events.tell('draftChanged'),
    onFacts: events.tell('draftFactsRead'),
    ids: newId,
    presetTraits: () => presetTraits(dataDir, connection),
    keepPresets: usedPresets.keepAll,
  })
  const state = createStateStore(initialState(settings, connection, drafts.store.view()))
  const intake = createIntake({
    into: targetOf(drafts),
    onProgress: events.tell('intakeProgressed'),
    takesBuiltInFormats: () => connection.view().kind !== 'external',
  })
  const staging = openStagingFor(dataDir, { outbox, history, timing, log })
  const disk = watchOutputDisks(state, options, events)
  // A process without a service must not prevent others from sending.
  const claim = () => role.sends && connection.view().kind !== null && outbox.claim()
  const ends = recordEnds(history, events.tell('workFinished'))
  const base = {
    settings,
    connection,
    outbox,
    history,
    drafts,
    intake,
    staging,
    disk,
    mounts,
    events,
    claim,
    timing,
    log,
  }
  const downloads = openDownloads(dataDir, base, ends.fetched)
  const jobs = recordJobs({ ...base, downloads }, ends, role.keepsForeign)
  const files = createFileAccessFor(state)
  const measuring = measureResults({ ...base, vault, access: files.fileAccess })
  const endings = createRecordEndings(dataDir, { ...base, downloads, ends })
  const unfinished = () => unfinishedJobs({ ...base, downloads })
  const ifSender = (work: () => Promise<void>) => whileSender(outbox, claim, work)
  const settle = () => ifSender(endings.settled)
  const tracker = trackJobs({
    ...base,
    newId,
    known: unfinished(),
    mayBeOurs: awaitedIn(base, timing.clock()),
    record: jobs,
    isHeld: () => quiet.held() !== null,
  })
  const quiet = holdJobs({ ...base, tracker }, options.quiet)
  const sender = sendSubmissions(base, role, quiet, jobs.recordAcceptance(tracker), usedPresets.keep)

  const modules = { ...base, downloads, tracker, sender }
  const replacing = openReplacing(options, { ...base, vault, dataDir, ifSender, usedPresets })
  const hooks = runHooks(modules, options)
  const troubles = diskTroubles(dataDir, writes, disk, replacing)
  const notices = projectState({ ...modules, ...troubles, quiet, state })
  const stops = [
    connectReactions(modules, unfinished),
    recordMissing({ outbox, history, after: timing.after, log }),
    ...emitChanges(modules),
    endings.stop,
    quiet.close,
    followDone({ ...base, done, show: (doneFiles) => state.set({ doneFiles }) }),
  ]
  if (role.sends) {
    replacing.start()
    sender.start()
    stops.push(noteMounts(modules))
    downloads.start()
    void measuring.now()
    // A command ends soon, so it leaves this to the app.
    if (role.keepsForeign) stops.push(hashWhenIdle(modules))
    stops.push(pollOtherProcesses(base, settle))
  }

  return {
    ...modules,
    done,
    quiet,
    vault,
    replacing,
    hooks,
    state,
    ...wholeJobs(modules),
    notices,
    ...files,
    busy: () => sender.busy() || downloads.busy() || replacing.busy(),
    settle,
    measured: measuring.now,
    async close() {
      for (const stop of stops) stop()
      await Promise.all([replacing.close(), hooks.stop()])
      notices.close()
      writes.close()
      await measuring.stop()
      await vault.close()
      await closeInOrder(modules, endings.close)
      makeReserve()
    },
  }
}

const watchOutputDisks = (state: StateStore, { timing, log }: CoreOptions, events: Events<CoreEvents>) =>
  createDiskWatch({
    folders: () => outputFoldersIn(state.get()),
    after: timing.after,
    log,
    onChange: events.tell('diskChanged'),
  })

const openReplacing = (
  options: CoreOptions,
  modules: Omit<ReplacingDeps, 'after' | 'onReplaced' | keyof ReturnType<typeof resultChecks>> & {
    readonly usedPresets: UsedPresets
  },
): Replacing =>
  replaceOriginals({
    ...modules,
    after: options.timing.after,
    // A process that only reads leaves the originals to others.
    ifSender: options.role.sends ? modules.ifSender : async () => undefined,
    ...resultChecks({ ...options, ...modules }),
    onReplaced: modules.events.tell('originalsReplaced'),
  })

/** Does what only one process may do at a time, unless another one has the right to send. */
async function whileSender(outbox: Outbox, claim: () => boolean, work: () => Promise<void>): Promise<void> {
  if (!outbox.claim()) return
  try {
    await work()
  } finally {
    if (!claim()) outbox.releaseClaim()
  }
}

/** @returns functions that stop the notifications */
const emitChanges = ({
  connection,
  outbox,
  settings,
  events,
}: Pick<Modules, 'connection' | 'outbox' | 'settings' | 'events'>): (() => void)[] => [
  connection.onChange(events.tell('connectionChanged')),
  connection.onBuiltInJobEnded(events.tell('builtInJobEnded')),
  outbox.onChange(events.tell('outboxChanged')),
  settings.onChange(events.tell('settingsChanged')),
]

/** Files that arrive while the app runs are added to the draft. */
const targetOf = ({ store }: Drafts): IntakeTarget => ({
  paths: () => itemsOf(store.view()).map(({ path }) => path),
  add: (items, rejected) => store.add(items, rejected),
})

function createFileAccessFor(state: StateStore): Pick<Core, 'knownPaths' | 'fileAccess'> {
  const knownPaths = createKnownPaths(() => state.get())
  return { knownPaths, fileAccess: createFileAccess(knownPaths) }
}

/** Opens the durable stores: the outbox with unsent submissions, the history with all records, and the presets that jobs use. */
function openStores(
  { dataDir, settings, role, timing, sendingClaim, openWal, log }: CoreOptions,
  presetFolder: string,
  ids: () => RecordId,
  events: Events<CoreEvents>,
) {
  const { clock, after } = timing
  const writes = createWriteWatch(after, events.tell('dataDiskChanged'))
  const outbox = openOutbox({
    file: join(dataDir, 'outbox.db'),
    clock,
    ids,
    writes: writes.listener('outbox'),
    openWal,
    claim: sendingClaim,
    drains: role.keepsForeign && role.only === undefined,
  })
  const history = openHistory({
    file: join(dataDir, 'history.db'),
    clock,
    writes: writes.listener('history'),
    openWal,
    hooks: hookRules({ settings, outbox }),
    log,
    onChange: events.tell('historyChanged'),
    onSetAside: (keptAs) => events.tell('databaseSetAside')({ what: 'history', keptAs }),
  })
  const usedPresets = createUsedPresets(presetFolder, writes.listener('usedPresets'))
  writes.watch({ outbox, history, usedPresets })
  return { outbox, history, usedPresets, writes }
}

/** The notices about disks. A full disk has a separate notice. */
const diskTroubles = (
  folder: string,
  writes: WriteWatch,
  disk: Pick<DiskWatch, 'full'>,
  replacing: Pick<Replacing, 'fullDisk'>,
) => ({
  fullDisk: () => (writes.trouble() === 'full' ? folder : (disk.full() ?? replacing.fullDisk())),
  notWritten() {
    const why = writes.trouble()
    return why === null || why === 'full' ? null : { folder, why }
  },
  dataGone: () => (writes.isInPlace() ? null : folder),
})

/** A record is open from its submission until it has ended or was removed. */
const openStagingFor = (
  dataDir: string,
  { outbox, history, timing, log }: Pick<Modules, 'outbox' | 'history' | 'timing' | 'log'>,
) =>
  openStaging({
    folder: join(dataDir, 'staged'),
    isOpen: (id) => outbox.get(id) !== undefined || history.details(id)?.outcome === null,
    // The files' earlier entries are kept with their contents.
    beforeLinkChange: (path, signal) =>
      hashBeforeChange(path, { ledger: history.ledger, clock: timing.clock, signal }).catch(
        (error: unknown) => log('content not hashed', { error: messageOf(error) }),
      ),
    log,
  })

/** Notes the disks of the chosen folders while they are there, even if no job uses them yet. */
function noteMounts({ settings, mounts }: Pick<Modules, 'settings' | 'mounts'>): () => void {
  function note(): void {
    const { watchFolders, folderRules, defaultOutput } = settings.view()
    const rules = Object.values(folderRules).flatMap(outputsIn)
    const outputs = [defaultOutput, ...rules, ...watchFolders.map(({ output }) => output)]
    for (const output of outputs) if (output?.kind === 'folder') void mounts.of(output.path)
  }
  note()
  return settings.onChange(note)
}

/** Stops writers before it closes the stores that they write to. */
async function closeInOrder(modules: Modules, onServiceEnd: () => void): Promise<void> {
  modules.intake.stop()
  modules.disk.close()
  modules.tracker.close()
  await modules.drafts.close()
  await modules.mounts.close()
  await modules.sender.stop()
  await modules.downloads.stop()
  await modules.connection.close()
  onServiceEnd()
  await modules.staging.close()
  modules.downloads.close()
  modules.outbox.close()
  modules.history.close()
}
