/**
 * A line to one service: its connection, the submissions sent there and the jobs tracked there. Files enter through intake, are collected
 * in the draft, and go through the outbox to the service. The tracker follows the jobs, the history records them, and the state shows
 * everything.
 */
import type { Notice } from '../../shared/model/notice.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { BuiltInEnd, Connection } from '../connection/index.ts'
import { createDiskWatch, type DiskWatch } from '../disk/disk.ts'
import { itemsOf, openDrafts, type Drafts } from '../drafts/index.ts'
import { createIntake, type IntakeTarget } from '../intake/index.ts'
import { createDoneCheck, type DoneCheck } from '../ledger/index.ts'
import type { Settings } from '../settings/settings.ts'
import { createStateStore, type StateStore } from '../state/state.ts'
import type { Vault } from '../vault/index.ts'
import type { ProcessedFiles } from '../watch/index.ts'
import { createEvents, type CoreEvents, type Events } from './events.ts'
import type { Orders } from '../downloads/index.ts'
import { openDownloads } from './fetch-results.ts'
import { createFileAccess, createKnownPaths, type FileAccess, type KnownPaths } from './file-access.ts'
import { followDone } from './follow-done.ts'
import { holdJobs, type JobHolding, type QuietSources } from './hold-jobs.ts'
import type { Measuring } from './measure-results.ts'
import type { Modules } from './modules.ts'
import type { PlacedReader } from './placement-notes.ts'
import { presetTraits } from './preset-traits.ts'
import { initialState, outputFoldersIn, projectState, type StateProjection } from './project-state.ts'
import { connectReactions } from './reactions.ts'
import { type EndRecorder, recordJobs } from './record-jobs.ts'
import type { Replacing } from './replace-originals.ts'
import type { RunningHooks } from './run-hooks.ts'
import { sendSubmissions } from './send-submissions.ts'
import { awaitedIn, unfinishedJobs } from './service-jobs.ts'
import { trackJobs } from './track-jobs.ts'
import type { UsedPresets } from './used-presets.ts'
import type { WholeJobs } from './whole-jobs.ts'
import type { WriteWatch } from './write-watch.ts'

/** What all lines of an owner share. */
export type Shared = Pick<Modules, 'timing' | 'log' | 'outbox' | 'history' | 'aliases' | 'mounts'> & {
  readonly dataDir: string
  readonly presetFolder: string
  readonly newId: () => RecordId
  /**
   * Events about records and stores, and the `connectionChanged` of every line. Other events about a service are emitted only on its line.
   */
  readonly events: Events<CoreEvents>
  /** Returns where the damaged database of downloads, watched folders and replaced originals was moved; null if it wasn't damaged. */
  readonly stateAside: () => string | null
  readonly orders: Orders
  readonly processed: ProcessedFiles
  readonly takePlaced: PlacedReader
  readonly vault: Vault
  readonly usedPresets: UsedPresets
  readonly writes: WriteWatch
  readonly ends: EndRecorder
  readonly measuring: Measuring
  readonly replacing: Replacing
  readonly hooks: RunningHooks
  /** The lines other than the main one, by service. */
  readonly others: Map<string, Line>
}

export type LineOptions = {
  readonly settings: Settings
  readonly connection: Connection
  /** Output folder until the user chooses one. */
  readonly defaultOutput: string
  readonly quiet?: QuietSources | undefined
  /** ID of the service; undefined for the main line, whose service the settings name. */
  readonly service?: string
}

/** A line without the operations on whole jobs, which can span several lines. */
export type OwnLine = Omit<Modules, 'events' | 'timing' | 'log'> & {
  readonly events: Pick<Events<CoreEvents>, 'on'>
  readonly state: StateStore
  readonly notices: StateProjection
  readonly processed: ProcessedFiles
  readonly takePlaced: PlacedReader
  readonly vault: Pick<Vault, 'isUsed' | 'keepDays' | 'totals' | 'placed'>
  readonly replacing: Omit<Replacing, 'close'>
  readonly hooks: Omit<RunningHooks, 'start' | 'stop'>
  readonly knownPaths: KnownPaths
  readonly fileAccess: FileAccess
  readonly done: DoneCheck
  readonly quiet: Pick<JobHolding, 'startAnyway' | 'pause' | 'resume' | 'check'>
  /**
   * Whether any work can continue without the user: sending, resolving unconfirmed submissions, downloading results, or replacing
   * originals.
   */
  busy(): boolean
  /** Resolves when all finished records have been measured. The ledger then contains their files. */
  measured(): Promise<void>
  /** @param builtIn whether to stop the built-in service or leave it to the next owner */
  close(builtIn?: BuiltInEnd): Promise<void>
}

export type Line = OwnLine & WholeJobs

/** Shared events that every line passes on. */
const SHARED_FACTS = [
  'partFinished',
  'outboxChanged',
  'historyChanged',
  'dataDiskChanged',
  'databaseSetAside',
  'originalsChanged',
  'originalsReleased',
  'originalsReplaced',
  'hookTried',
  'jobFinished',
  'partWithdrawn',
  'linesChanged',
] as const satisfies (keyof CoreEvents)[]

/** Opens a line. The main line also sends submissions that aren't addressed to a service. */
export function openLine(shared: Shared, options: LineOptions): OwnLine {
  const { dataDir, outbox, history, vault, aliases, mounts, timing, log, ends, replacing, hooks, measuring } =
    shared
  const { settings, connection, service } = options
  const isMain = service === undefined
  const others: ReadonlyMap<string, Line> = isMain ? shared.others : new Map()
  const isListed = (one: string | null | undefined) =>
    settings.view().otherServices.some((listed) => listed.service === one)
  /** Returns the line to a draft's service; undefined if that isn't one of the other services in the settings. */
  const lineOf = (one: string | undefined) => (isListed(one) ? others.get(one ?? '') : undefined)
  const serviceOf = (draft: Pick<Draft, 'service'>) =>
    (lineOf(draft.service)?.connection ?? connection).view()
  const events = createEvents<CoreEvents>(log)
  const stops = SHARED_FACTS.map((fact) => shared.events.on(fact, events.tell(fact)))
  const done = createDoneCheck({ ...shared, connection, clock: timing.clock })
  const drafts = openDrafts({
    ...shared,
    ...options,
    done,
    onDraft(draft) {
      state.set({ draft })
      events.tell('draftChanged')(draft)
    },
    onFacts: (draftFacts) => state.set({ draftFacts }),
    ids: shared.newId,
    presetTraits: (names) => presetTraits(dataDir, connection, names),
    keepPresets: shared.usedPresets.keepAll,
    draftsOf: (one) => lineOf(one)?.drafts,
    newJobService() {
      const { newJobService: chosen } = settings.view()
      return isMain && chosen !== null && isListed(chosen) ? chosen : undefined
    },
    serviceOf,
  })
  const state = createStateStore(initialState(settings, connection, drafts.store.view()))
  const intake = createIntake({
    into: targetOf(drafts),
    onProgress: (progress) => state.set({ intake: progress }),
    onAdded: events.tell('filesAdded'),
    takesBuiltInFormats: () => serviceOf(drafts.store.view()).kind !== 'external',
  })
  const disk = watchOutputDisks(state, shared, events)
  const base = {
    settings,
    connection,
    outbox,
    history,
    drafts,
    intake,
    aliases,
    disk,
    mounts,
    events,
    timing,
    log,
  }
  const downloads = openDownloads(shared.orders, base, ends.fetched)
  const jobs = recordJobs({ ...base, downloads }, ends, () => isMain || isListed(service))
  const unfinished = () => unfinishedJobs({ ...base, downloads })
  const tracker = trackJobs({
    ...base,
    newId: shared.newId,
    known: unfinished(),
    mayBeOurs: awaitedIn(base, timing.clock()),
    record: jobs,
    isHeld: () => quiet.held() !== null,
  })
  const quiet = holdJobs({ ...base, tracker }, options.quiet)
  const sender = sendSubmissions(base, isMain, quiet, jobs.recordAcceptance(tracker), shared.usedPresets.keep)
  const modules = { ...base, downloads, tracker, sender }
  const notices = projectState({
    ...shared,
    ...modules,
    diskNotices: diskNotices(shared, disk),
    quiet,
    state,
    service,
    others,
  })
  const knownPaths = createKnownPaths(() => state.get())
  stops.push(
    connectReactions(modules, unfinished),
    connection.onChange(events.tell('connectionChanged')),
    connection.onChange(shared.events.tell('connectionChanged')),
    connection.onBuiltInJobEnded(events.tell('builtInJobEnded')),
    settings.onChange(events.tell('settingsChanged')),
    quiet.close,
    followDone({ ...base, done, serviceOf, show: (doneFiles) => state.set({ doneFiles }) }),
  )
  sender.start()
  downloads.start()

  return {
    ...modules,
    done,
    quiet,
    processed: shared.processed,
    takePlaced: shared.takePlaced,
    vault,
    replacing,
    hooks,
    state,
    notices,
    knownPaths,
    fileAccess: createFileAccess(knownPaths),
    busy: () => sender.busy() || downloads.busy() || replacing.busy(),
    measured: measuring.now,
    async close(builtIn) {
      for (const stop of stops) stop()
      notices.close()
      intake.stop()
      disk.close()
      tracker.close()
      await drafts.close()
      await sender.stop()
      await downloads.stop()
      await connection.close(builtIn)
      downloads.close()
    },
  }
}

const watchOutputDisks = (
  state: StateStore,
  { timing, log }: Pick<Shared, 'timing' | 'log'>,
  events: Events<CoreEvents>,
): DiskWatch =>
  createDiskWatch({
    folders: () => outputFoldersIn(state.get()),
    after: timing.after,
    log,
    onChange: events.tell('diskChanged'),
  })

/** Passes accepted files to the draft as it is at the time of the call. */
const targetOf = ({ store }: Drafts): IntakeTarget => ({
  paths: () => itemsOf(store.view()).map(({ path }) => path),
  add: (items, rejected) => store.add(items, rejected),
})

/** Returns the notices about disks and the data folder. Only one full disk has a notice, the data folder's disk first. */
const diskNotices =
  (
    { dataDir: folder, writes, replacing }: Pick<Shared, 'dataDir' | 'writes' | 'replacing'>,
    disk: Pick<DiskWatch, 'full'>,
  ) =>
  (): readonly Notice[] => {
    const why = writes.trouble()
    const full = why === 'full' ? folder : (disk.full() ?? replacing.fullDisk())
    return [
      ...(writes.isInPlace() ? [] : [{ kind: 'dataGone', folder } as const]),
      ...(why === null || why === 'full' ? [] : [{ kind: 'dataNotWritten', folder, why } as const]),
      ...(full === null ? [] : [{ kind: 'diskFull', folder: full } as const]),
    ]
  }
