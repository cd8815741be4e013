/**
 * The app without its window: the stores, a line to each service (see `line.ts`), and the modules that act when jobs end. Each module
 * depends only on modules created before it, and reports back through events.
 */
import { join } from 'node:path'
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { keepFolderPrivate } from '../../node/private-files.ts'
import type { Timing } from '../../node/timing.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import { outputsIn } from '../../shared/model/folder-rules.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Damage } from '../../shared/model/notice.ts'
import { createConnection, type Connection, type ConnectionDeps, type KeyStore } from '../connection/index.ts'
import type { OpenWal } from '../database/index.ts'
import { createOrders } from '../downloads/index.ts'
import { recordMissing } from '../drafts/index.ts'
import { openHistory } from '../history/index.ts'
import { hashBeforeChange } from '../ledger/index.ts'
import type { Tracker } from '../jobs/index.ts'
import { openMounts } from '../mounts/mounts.ts'
import { openOutbox } from '../outbox/index.ts'
import { openAliases } from '../aliases/index.ts'
import type { Settings } from '../settings/settings.ts'
import { createProcessedFiles, notePlaced } from '../watch/index.ts'
import { createEvents, type CoreEvents, type Events } from './events.ts'
import { dropSent } from './drop-sent.ts'
import { createRecordEndings } from './end-records.ts'
import { createFileAccess } from './file-access.ts'
import { hashWhenIdle } from './hash-when-idle.ts'
import { holdReserve } from './hold-reserve.ts'
import type { QuietSources } from './hold-jobs.ts'
import { openLine, type Line, type LineOptions, type OwnLine, type Shared } from './line.ts'
import { createLines, type Lines } from './lines.ts'
import { measureResults } from './measure-results.ts'
import type { Modules } from './modules.ts'
import { openState } from './open-state.ts'
import { openVaultIn } from './open-vault.ts'
import { createPlacedReader, forgetPlacementNotes, placedFolderIn } from './placement-notes.ts'
import { recordEnds } from './record-jobs.ts'
import { recordIds } from './record-ids.ts'
import { replaceOriginals } from './replace-originals.ts'
import { resultChecks } from './result-checks.ts'
import { hookRules, runHooks } from './run-hooks.ts'
import { createUsedPresets } from './used-presets.ts'
import { wholeJobs } from './whole-jobs.ts'
import { writeMetrics } from './write-metrics.ts'
import { createWriteWatch } from './write-watch.ts'

export type CoreOptions = Pick<LineOptions, 'defaultOutput'> & {
  /** Absolute; contains the databases. Only one process may open it. */
  readonly dataDir: string
  readonly settings: Settings
  readonly connection: Connection
  /** Connects to services other than the main one; missing if the owner has no other lines. */
  readonly connecting?: Pick<ConnectionDeps, 'keyStore' | 'builtIn' | 'onKey'>
  /** Generates record IDs; by default, IDs that start with the time. */
  readonly newId?: () => string
  readonly timing: Timing
  /** How writes are flushed to disk; by default with the system's fsync. */
  readonly openWal?: OpenWal
  /** Starts a worker that checks results before they replace originals. Without it, all originals are kept. */
  readonly startChecker?: (() => WorkerProcess) | undefined
  /** Contains the key that signs requests after a job, and the receivers' addresses. */
  readonly keyStore?: KeyStore
  readonly quiet?: QuietSources | undefined
  /** The user's home folder; by default the system's. */
  readonly home?: string
  readonly log: Log
  /** Called before any work left by the previous owner is handled. */
  readonly onOpen?: (stores: Pick<Modules, 'outbox'>) => void
}

/** The line to the service that the settings name, and everything that doesn't depend on a service. */
export type Core = Line & {
  readonly lines: Omit<Lines, 'close'>
  /** Resolves when all work left by the previous owner has been handled. */
  settled(): Promise<void>
}

export function openCore(options: CoreOptions): Core {
  const { settings, timing, log, dataDir } = options
  keepFolderPrivate(dataDir)
  const events = createEvents<CoreEvents>(log)
  const shared = openShared(options, events)
  const { outbox, history, aliases, vault, replacing, hooks, measuring, writes } = shared
  options.onOpen?.(shared)
  const own = openLine(shared, options)
  const tracker = combined(own, shared.others)
  const whole = wholeJobs({ ...shared, tracker })
  const line: Line = { ...own, ...whole }
  let isVisible = false
  const lines = createLines({
    main: line,
    others: shared.others,
    settings,
    events,
    open(service, lineSettings) {
      const connection = connect(lineSettings, service, options)
      const other = openLine(shared, { ...options, settings: lineSettings, connection, service })
      other.tracker.setVisible(isVisible)
      return { ...other, ...whole }
    },
  })
  const across = acrossLines(line, lines)
  const endings = createRecordEndings(dataDir, {
    ...shared,
    connection: options.connection,
    downloads: line.downloads,
    lineToBuiltIn: () => lines.to('builtIn') ?? line,
    settings,
    forgetPlaced(notes) {
      // Pass the notes on first, because the watched folders may not have read them yet.
      shared.takePlaced((results) => notePlaced(shared.processed, results))
      forgetPlacementNotes(notes)
    },
  })
  const stops = [
    dropSent(shared),
    recordMissing({ outbox, history, after: timing.after, log }),
    endings.stop,
    noteMounts(shared, settings),
    hashWhenIdle({
      ...shared,
      isIdle: () => tracker.jobs().length === 0 && !lines.all().some(({ sender }) => sender.busy()),
    }),
  ]
  const stopMetrics = writeMetrics({ ...shared, settings, state: line.state })
  replacing.start()
  hooks.start()
  void measuring.now()

  return {
    ...line,
    ...across,
    tracker: {
      ...across.tracker,
      setVisible(next) {
        isVisible = next
        across.tracker.setVisible(next)
      },
    },
    lines,
    settled: endings.settled,
    async close(builtIn) {
      for (const stop of stops) stop()
      await Promise.all([replacing.close(), hooks.stop()])
      writes.close()
      await measuring.stop()
      await stopMetrics()
      await vault.close()
      await lines.close(builtIn)
      await line.close(builtIn)
      await shared.mounts.close()
      endings.close()
      await aliases.close()
      outbox.close()
      history.close()
      shared.closeState()
    },
  }
}

/** Creates the connection of another line. Only the line to the built-in service can stop that service. */
function connect(settings: Settings, service: string, { connecting, timing }: CoreOptions): Connection {
  if (connecting === undefined) throw new Error('This core has only its main line.')
  const { builtIn, ...others } = connecting
  return createConnection({ ...others, settings, timing, ...(service === 'builtIn' ? { builtIn } : {}) })
}

const isOf =
  (id: RecordId) =>
  (tracker: Tracker): boolean =>
    tracker.jobs().some((job) => job.id === id)

/** Combines the trackers of all lines. Cancels each job at its service. */
function combined(main: OwnLine, others: ReadonlyMap<string, OwnLine>): Pick<Tracker, 'jobs' | 'cancel'> {
  const all = () => [main, ...others.values()].map(({ tracker }) => tracker)
  return {
    jobs: () => all().flatMap((tracker) => tracker.jobs()),
    cancel: (id) => (all().find(isOf(id)) ?? main.tracker).cancel(id),
  }
}

/** Returns the operations that the owner applies to all lines, and the one that resolves a submission on the line that was sending it. */
function acrossLines(
  { tracker, sender, quiet, outbox }: Line,
  lines: Lines,
): Pick<Line, 'tracker' | 'sender' | 'quiet' | 'busy'> {
  const each = (act: (line: Line) => void) => lines.all().forEach(act)
  return {
    tracker: {
      ...tracker,
      setVisible: (isVisible) => each((line) => line.tracker.setVisible(isVisible)),
      suspend: () => each((line) => line.tracker.suspend()),
      resume: () => each((line) => line.tracker.resume()),
    },
    sender: {
      ...sender,
      wake: () => each((line) => line.sender.wake()),
      resolve(id, resolution) {
        const state = outbox.get(id)?.state
        const line = state?.kind === 'unknown' ? lines.to(state.attempt.service) : undefined
        return (line?.sender ?? sender).resolve(id, resolution)
      },
    },
    quiet: {
      ...quiet,
      startAnyway: (id) => each((line) => line.quiet.startAnyway(id)),
      check: () => each((line) => line.quiet.check()),
    },
    busy: () => lines.all().some((line) => line.busy()),
  }
}

/** Opens the durable stores and the modules that handle the records of all services. */
function openShared(
  options: CoreOptions,
  events: Events<CoreEvents>,
): Shared & { readonly closeState: () => void } {
  const { dataDir, settings, timing, openWal, log } = options
  const { clock, after } = timing
  const newId = recordIds(clock, options.newId)
  const presetFolder = join(dataDir, 'service', 'presets')
  const writes = createWriteWatch(after, events.tell('dataDiskChanged'))
  const reserve = holdReserve(dataDir)
  const noteDamage = (what: Damage['what']) => (keptAs: string) =>
    events.tell('databaseSetAside')({ what, keptAs })
  const outbox = openOutbox({
    file: join(dataDir, 'outbox.db'),
    clock,
    ids: newId,
    writes: writes.listener('outbox'),
    openWal,
    onSetAside: noteDamage('outbox'),
  })
  const history = openHistory({
    file: join(dataDir, 'history.db'),
    clock,
    writes: writes.listener('history'),
    openWal,
    keepsLogSmall: reserve.isNearlyFull,
    hooks: hookRules({ settings, outbox }),
    log,
    onChange: events.tell('historyChanged'),
    onSetAside: noteDamage('history'),
  })
  outbox.onChange(events.tell('outboxChanged'))
  const usedPresets = createUsedPresets(presetFolder, writes.listener('usedPresets'))
  const file = join(dataDir, 'state.db')
  const state = openState(file, clock, noteDamage('state'))
  const { connection } = state
  const processed = createProcessedFiles(connection, clock)
  const takePlaced = createPlacedReader(placedFolderIn(dataDir))
  writes.watch({ outbox, history, usedPresets, state })
  const stores = { dataDir, presetFolder, newId, events, timing, log, outbox, history, usedPresets, writes }
  const aliases = openAliasesFor(stores)
  const vault = openVaultIn({ file, connection }, options, processed, events)
  return {
    ...stores,
    stateAside: state.setAside,
    orders: createOrders(connection),
    processed,
    takePlaced,
    closeState() {
      state.close()
      reserve.restore()
    },
    aliases,
    vault,
    mounts: openMounts(join(dataDir, 'mounts.json'), clock, log),
    ends: recordEnds(history, events.tell('partFinished')),
    measuring: measureResults({
      ...stores,
      aliases,
      vault,
      access: createFileAccess({ find: () => undefined }),
    }),
    replacing: replaceOriginals({
      ...stores,
      aliases,
      vault,
      after,
      ...resultChecks(stores, options.startChecker),
      onReplaced: events.tell('originalsReplaced'),
    }),
    hooks: runHooks({ ...stores, settings, processed }, options.keyStore),
    others: new Map(),
  }
}

/** Opens the aliases. A record needs its aliases from its submission until it has ended or is removed. */
function openAliasesFor(stores: Pick<Shared, 'dataDir' | 'outbox' | 'history' | 'timing' | 'log'>) {
  const { dataDir, outbox, history, timing, log } = stores
  return openAliases({
    folder: join(dataDir, 'staged'),
    isOpen: (id: RecordId) => outbox.get(id) !== undefined || history.details(id)?.outcome === null,
    // Hash the file first, so that the ledger still recognizes its content afterward.
    beforeLinkChange: (path, signal) =>
      hashBeforeChange(path, { ledger: history.ledger, clock: timing.clock, signal }).catch(
        (error: unknown) => log('content not hashed', { error: messageOf(error) }),
      ),
    log,
  })
}

/** Notes the disks of the chosen folders while they are connected, even if no job uses them yet. @returns a function that stops this */
function noteMounts({ mounts }: Pick<Modules, 'mounts'>, settings: Settings): () => void {
  function note(): void {
    const { watchFolders, folderRules, defaultOutput } = settings.view()
    const rules = Object.values(folderRules).flatMap(outputsIn)
    const outputs = [defaultOutput, ...rules, ...watchFolders.map(({ output }) => output)]
    for (const output of outputs) if (output?.kind === 'folder') void mounts.of(output.path)
  }
  note()
  return settings.onChange(note)
}
