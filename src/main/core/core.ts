/**
 * The app without a window. A line uses only what stands above it; what flows back flows as events. Files come in through
 * intake, lie in the draft, go through the outbox to the service, are followed by the tracker and kept by the history; the
 * state shows it all.
 */
import { join } from 'node:path'
import { messageOf } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Connection } from '../connection/index.ts'
import type { OpenWal } from '../database/index.ts'
import { createDiskWatch, type DiskWatch } from '../disk/disk.ts'
import type { Downloads } from '../downloads/index.ts'
import { itemsOf, openDrafts, recordMissing, type Drafts } from '../drafts/index.ts'
import { openHistory, type History } from '../history/index.ts'
import { createIntake, type Intake, type IntakeTarget } from '../intake/index.ts'
import type { Tracker } from '../jobs/index.ts'
import { openOutbox, type Outbox, type Sender } from '../outbox/index.ts'
import type { Settings } from '../settings/settings.ts'
import { createStateStore, type StateStore } from '../state/state.ts'
import { createEvents, type CoreEvents, type Events, type Log } from './events.ts'
import { createRecordEndings } from './end-records.ts'
import { fetchesResultsOf, openDownloads } from './fetch-results.ts'
import { createFileAccess, createKnownPaths, type FileAccess, type KnownPaths } from './file-access.ts'
import { initialState, outputFoldersIn, projectState, type StateProjection } from './project-state.ts'
import { measureResults } from './measure-results.ts'
import { connectReactions, pollOtherProcesses } from './reactions.ts'
import { recordIds } from './record-ids.ts'
import { recordEnds, recordJobs } from './record-jobs.ts'
import { sendSubmissions } from './send-submissions.ts'
import { awaitedIn, unfinishedJobs } from './service-jobs.ts'
import { createWriteWatch } from './write-watch.ts'
import { trackJobs } from './track-jobs.ts'

/** What this process does of all that several processes with the same files could do. */
export type Role = {
  /** False: only looks, and leaves sending and fetching to another process or another time. One process does it at a time. */
  readonly sends: boolean
  /** False: the jobs of other clients are followed and not kept in the history. */
  readonly keepsForeign: boolean
  /** False: sends only what is meant for this service by name, not what waits for whichever is connected. */
  readonly takesUnaddressed: boolean
}

export const APP_ROLE: Role = { sends: true, keepsForeign: true, takesUnaddressed: true }

export type CoreOptions = {
  /** Absolute; outbox, history and downloads are kept here. */
  readonly dataDir: string
  readonly settings: Settings
  readonly connection: Connection
  readonly role: Role
  /** Where results go while nobody has chosen another place. */
  readonly defaultOutput: string
  /** Absent: names that begin with the time. */
  readonly newId?: () => string
  readonly timing: Timing
  /** How what was written gets onto the disk; absent: as the system does it. */
  readonly openWal?: OpenWal
  readonly log: Log
}

export type Core = {
  readonly events: Pick<Events<CoreEvents>, 'on'>
  readonly state: StateStore
  readonly notices: StateProjection
  readonly settings: Settings
  readonly connection: Connection
  readonly outbox: Outbox
  readonly history: History
  readonly drafts: Drafts
  readonly intake: Intake
  readonly knownPaths: KnownPaths
  readonly fileAccess: FileAccess
  readonly disk: DiskWatch
  readonly downloads: Downloads
  readonly tracker: Tracker
  readonly sender: Sender
  /** Whether anything is left that moves by itself: sending, looking for what is in doubt, fetching results. */
  busy(): boolean
  close(): Promise<void>
}

export function openCore(options: CoreOptions): Core {
  const { settings, connection, role, timing, log, dataDir } = options
  const newId = recordIds(options)

  const events = createEvents<CoreEvents>(log)
  const { outbox, history, writes } = openStores(options, newId, events)
  const drafts = openDrafts({
    outbox,
    history,
    settings,
    connection,
    defaultOutput: options.defaultOutput,
    timing,
    onDraft: events.tell('draftChanged'),
    log,
  })
  const state = createStateStore(initialState(settings, connection, drafts.store.view()))
  const intake = createIntake({ into: targetOf(drafts), onProgress: events.tell('intakeProgressed') })
  const disk = createDiskWatch({
    folders: () => outputFoldersIn(state.get()),
    after: timing.after,
    log,
    onChange: events.tell('diskChanged'),
  })
  const claim = () => role.sends && outbox.claim()
  const ends = recordEnds({ history, onEnd: events.tell('workFinished') })
  const downloads = openDownloads({
    dataDir,
    history,
    connection,
    timing,
    claim,
    onFetched: (results) => ends.fetched(results),
    onChange: events.tell('fetchingChanged'),
    log,
  })
  const jobs = recordJobs({
    history,
    downloads,
    ends,
    clock: timing.clock,
    keepsForeign: role.keepsForeign,
    fetches: fetchesResultsOf(downloads, history, connection),
    connection,
  })
  const endMeasuring = measureResults({ events, history, log })
  const endings = createRecordEndings({ ...options, history, outbox, downloads, claim })
  const unfinished = () => unfinishedJobs({ history, connection, downloads, claim })
  const tracker = trackJobs({
    connection,
    timing,
    newId,
    known: unfinished(),
    isSpokenFor: awaitedIn(outbox, history, timing.clock()),
    record: jobs,
    onRead: events.tell('jobsRead'),
    onList: events.tell('listRead'),
    onUnwritten: (error) => log('reading not written', { error: messageOf(error) }),
    log,
  })
  const sender = sendSubmissions({
    outbox,
    history,
    settings,
    connection,
    timing,
    takesUnaddressed: role.takesUnaddressed,
    disk,
    accept: jobs.recordAcceptance(tracker),
    onAccepted: events.tell('submissionAccepted'),
    onChange: events.tell('sendingChanged'),
    log,
  })

  const fullDisk = () => (writes.isFull() ? dataDir : disk.full())
  const dataGone = () => (writes.isInPlace() ? null : dataDir)
  const shown = { settings, connection, outbox, history, downloads, tracker, sender, fullDisk, dataGone }
  const notices = projectState({ ...shown, state, events, log })
  connectReactions({ events, connection, drafts, downloads, tracker, sender, unfinished })
  const stops = [
    recordMissing({ outbox, history, after: timing.after, log }),
    ...tellChanges({ connection, outbox, settings }, events),
    endings.stop,
  ]
  if (role.sends) {
    sender.start()
    downloads.start()
    const onWrote = events.tell('otherProcessWrote')
    stops.push(pollOtherProcesses({ outbox, claim, timing, onClaimed: endings.claimed, onWrote }))
  }

  const modules = { settings, connection, outbox, history, drafts, intake, disk, downloads, tracker, sender }
  return {
    ...modules,
    events,
    state,
    notices,
    ...knownFiles(state),
    busy: () => sender.busy() || downloads.busy(),
    async close() {
      for (const stop of stops) stop()
      notices.close()
      writes.close()
      await endMeasuring()
      await closeInOrder(modules, endings.close)
    },
  }
}

/** @returns functions that end the telling */
const tellChanges = (
  { connection, outbox, settings }: Pick<Core, 'connection' | 'outbox' | 'settings'>,
  events: Events<CoreEvents>,
): (() => void)[] => [
  connection.onChange(events.tell('connectionChanged')),
  connection.onBuiltInJobEnded(events.tell('builtInJobEnded')),
  outbox.onChange(events.tell('outboxChanged')),
  settings.onChange(events.tell('settingsChanged')),
]

/** Files that arrive while the app runs join the draft. */
const targetOf = ({ store }: Drafts): IntakeTarget => ({
  paths: () => itemsOf(store.view()).map(({ path }) => path),
  add: (items, rejected) => store.add(items, rejected),
})

function knownFiles(state: StateStore): Pick<Core, 'knownPaths' | 'fileAccess'> {
  const knownPaths = createKnownPaths(() => state.get())
  return { knownPaths, fileAccess: createFileAccess({ known: knownPaths, platform: process.platform }) }
}

/** What survives the app: the outbox with what is still to be sent, and the history with everything. */
function openStores(
  { dataDir, timing, openWal, log }: CoreOptions,
  ids: () => RecordId,
  events: Events<CoreEvents>,
) {
  const { clock, after } = timing
  const writes = createWriteWatch(after, events.tell('dataDiskChanged'))
  const outbox = openOutbox({
    file: join(dataDir, 'outbox.db'),
    clock,
    ids,
    writes,
    openWal,
  })
  const history = openHistory({
    file: join(dataDir, 'history.db'),
    clock,
    writes,
    openWal,
    log,
    onChange: events.tell('historyChanged'),
    onSetAside: (keptAs) => events.tell('databaseSetAside')({ what: 'history', keptAs }),
  })
  writes.watch({ outbox, history })
  return { outbox, history, writes }
}

type Closing = Pick<
  Core,
  'drafts' | 'intake' | 'disk' | 'tracker' | 'sender' | 'downloads' | 'connection' | 'outbox' | 'history'
>

/** What writes ends before what is written to. */
async function closeInOrder(modules: Closing, onServiceEnd: () => void): Promise<void> {
  modules.intake.stop()
  modules.disk.close()
  modules.tracker.close()
  await modules.drafts.close()
  await modules.sender.stop()
  await modules.downloads.stop()
  await modules.connection.close()
  onServiceEnd()
  modules.downloads.close()
  modules.outbox.close()
  modules.history.close()
}
