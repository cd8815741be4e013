/** Runs watched folders: submits new files like a draft and ignores results of our own jobs. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { failure } from '../../shared/failure/failure.ts'
import { connectionTo, type ConnectionView } from '../../shared/model/connection.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import { placesIn, type WatchFolder } from '../../shared/model/watch-folder.ts'
import { because } from '../../shared/service-error.ts'
import type { StartOptions } from '../drafts/index.ts'
import type { History } from '../history/index.ts'
import { needsUser, type Submission } from '../outbox/index.ts'
import type { Line } from './line.ts'
import { isVaultOutput, type Vault } from '../vault/index.ts'
import { finishedJob, processedElsewhere, refusedJob, withdrawnJob } from './finished-jobs.ts'
import { createWatchFolders, type WatchFolders, type WatchFoldersOptions } from '../watch/index.ts'

/** Age in ms at which an untracked job no longer delays new files. */
const ABANDONED_MS = 24 * 60 * 60 * 1000

/** Results may go to many folders, because a watched folder can't ask the user. */
const HOW_TO_START = { grace: 0, confirmed: ['manyFolders'], split: false } satisfies StartOptions

export function startWatching({
  core,
  target,
  ...options
}: Pick<WatchFoldersOptions, 'timing' | 'onTrouble' | 'log'> & {
  readonly core: Line
  /** The service that receives all files; by default, each folder's own service. */
  readonly target?: string
}): WatchFolders {
  const allPresets = () =>
    JSON.stringify(
      [core.connection.view(), ...core.state.get().services].map(({ kind, presets }) => [kind, presets]),
    )
  const watch = createWatchFolders({
    settings: core.settings,
    store: core.processed,
    start: (draft, key) =>
      core.drafts.startDraft(draft, {
        ...HOW_TO_START,
        key,
        ...(target === undefined ? {} : { target }),
      }),
    wasStarted: (key) => core.outbox.wasEnqueued(key),
    confirmStarted: (key) => core.outbox.forgetKey(key),
    isUnderWay: createUnderWayCheck(core),
    busyFolders: () => [
      ...busyFolders(core.state.get(), core.history.unfinished(), options.timing.clock()),
      ...core.hooks.programFolders(),
    ],
    endedInto: (folder, since) =>
      core.history.endedInto(folder, since).flatMap((record) => finishedJob(record) ?? []),
    endedWatched: (since) => core.history.endedWatched(since).flatMap((record) => finishedJob(record) ?? []),
    takePlaced: core.takePlaced,
    inVaults: inVaultsOf(core.vault),
    mounts: core.mounts,
    newKey: randomUUID,
    serviceOf: watchedService(core, target),
    ...options,
  })
  const note = (record: PartDetails) => {
    const job = finishedJob(record)
    if (job !== undefined) watch.noteFinished(job)
  }
  core.events.on('partWithdrawn', note)
  core.events.on('partFinished', (record) => {
    note(record)
    if ((record.watched ?? null) !== null) for (const id of refusedIn(core)) withdrawIfProcessed(core, id)
  })
  const refusals = noteRefusals(core, watch, options.timing.clock)
  const redirect = () => redirectUnsaved(core, watch, options.timing.clock())
  core.events.on('outboxChanged', refusals)
  for (const event of ['settingsChanged', 'outboxChanged'] as const) core.events.on(event, redirect)
  refusals()
  redirect()
  let known = allPresets()
  for (const event of ['connectionChanged', 'linesChanged'] as const)
    core.events.on(event, () => {
      const now = allPresets()
      if (now === known) return
      known = now
      watch.presetsChanged()
    })
  return watch
}

/**
 * Creates a function that finds the service for the files of a watched folder.
 * @param target the service that receives all files; by default the one of each folder
 */
export const watchedService =
  ({ connection, state }: Pick<Line, 'connection' | 'state'>, target: string | undefined) =>
  ({ service }: Pick<WatchFolder, 'service'>): ConnectionView => {
    const services = target === undefined ? state.get().services : []
    return connectionTo({ connection: connection.view(), services }, service)
  }

export const inVaultsOf =
  ({ placed }: Pick<Vault, 'placed'>): NonNullable<WatchFoldersOptions['inVaults']> =>
  async (isKnown) => {
    const { jobs, results, originals } = await placed(isKnown)
    const noted = ({ sha256: content, ...file }: (typeof results)[number]) => ({ ...file, content })
    return { jobs, results: results.map(noted), returned: originals.map(noted) }
  }

const refusedIn = ({ state }: Pick<Line, 'state'>): readonly RecordId[] =>
  state.get().outbox.flatMap((entry) => (entry.state.kind === 'refused' ? [entry.id] : []))

/** Creates a function that treats files as new at their current paths if their submission was refused because they were moved. */
function noteRefusals(
  core: Pick<Line, 'state' | 'outbox' | 'history' | 'withdrawPart'>,
  watch: Pick<WatchFolders, 'noteFinished'>,
  clock: () => number,
): () => void {
  let noted = new Set<RecordId>()
  return () => {
    const refused = refusedIn(core)
    const fresh = refused.filter((id) => !noted.has(id))
    // Set this first: withdrawing changes the outbox, which calls this function again.
    noted = new Set(refused)
    for (const id of fresh) {
      const submission = core.outbox.get(id)
      const job = submission && refusedJob(submission, clock())
      if (job !== undefined) watch.noteFinished(job)
      withdrawIfProcessed(core, id)
    }
  }
}

/** Treats files whose results can't be saved as new again after the user has changed their watched folder's output. */
function redirectUnsaved(
  { state, outbox, withdrawPart }: Pick<Line, 'state' | 'outbox' | 'withdrawPart'>,
  watch: Pick<WatchFolders, 'list' | 'noteFinished'>,
  now: number,
): void {
  const unsaved = state.get().outbox.flatMap(({ id }) => {
    const submission = outbox.get(id)
    return submission !== undefined && isUnsaved(submission) ? submission : []
  })
  for (const submission of unsaved) {
    const { id, plan } = submission
    const folder = watch.list().find((one) => one.id === plan.watched)
    // Rules that can't be read may name this output.
    if (folder === undefined || folder.rules === 'unreadable') continue
    const output = plan.chosen?.output ?? plan.output
    const places = placesIn(folder, folder.rules === 'none' ? undefined : folder.rules)
    if (places.some((place) => isDeepStrictEqual(place, output))) continue
    const { message: error, failure: why } = because(failure('outputChanged'))
    // Note this first. Otherwise, a crash could cause the files to be submitted twice.
    watch.noteFinished(withdrawnJob(submission, folder.id, now))
    withdrawPart(
      id,
      plan.items.map(({ path: file }) => ({ file, error, failure: why })),
    )
  }
}

const isUnsaved = ({ state }: Submission): boolean =>
  state.kind === 'waiting'
    ? state.unsaved !== undefined
    : state.kind === 'refused' && state.refusal.failure?.code === 'outputUnusable'

/** Removes a refused submission whose files were moved before it was sent, once the files are processed at their new paths. */
function withdrawIfProcessed(
  { outbox, history, withdrawPart }: Pick<Line, 'outbox' | 'history' | 'withdrawPart'>,
  id: RecordId,
): void {
  const submission = outbox.get(id)
  if (submission?.state.kind !== 'refused' || submission.state.refusal.why !== 'inputsGone') return
  const why = processedElsewhere(submission, history.endedWatched(submission.title.createdAt))
  if (why !== undefined) withdrawPart(id, why)
}

/** Creates a function that checks whether a file is in an unfinished submission of a watched folder. */
function createUnderWayCheck({ outbox, history }: Pick<Line, 'outbox' | 'history'>) {
  /** Caches the submission found for each path, because the same files are checked repeatedly until their submission ends. */
  const found = new Map<string, RecordId>()

  const isOpen = (id: RecordId) => isWaiting(outbox.get(id)) || history.details(id)?.outcome === null

  function find(watched: string, path: string): RecordId | undefined {
    const has = (items: readonly MediaItem[]) => items.some((item) => item.path === path)
    // Read the outbox first, because an accepted submission leaves it once it is in the history.
    for (const page of outbox.pages())
      for (const one of page)
        if (one.plan.watched === watched && isWaiting(one) && has(one.plan.items)) return one.id
    return history.openJobs().find(({ id }) => {
      const record = history.details(id)
      return record?.watched === watched && has(record.inputs)
    })?.id
  }

  return (watched: string, path: string): boolean => {
    const known = found.get(path)
    const id = known !== undefined && isOpen(known) ? known : find(watched, path)
    if (id === undefined) found.delete(path)
    else found.set(path, id)
    return id !== undefined
  }
}

/** Whether a submission in the outbox continues without the user. An accepted one doesn't count, because it moves to the history. */
const isWaiting = (submission: Submission | undefined): boolean =>
  submission !== undefined && submission.state.kind !== 'accepted' && !needsUser(submission)

/**
 * Returns the folders to which jobs and submissions may write soon. Leaves out abandoned jobs, and submissions that are refused, wait for
 * the user's decision or are postponed, because they would delay new files for too long.
 * @param unfinished the history's unfinished jobs, which include those of other services
 */
export function busyFolders(
  { outbox, jobs }: Pick<AppState, 'outbox' | 'jobs'>,
  unfinished: ReturnType<History['unfinished']>,
  now: number,
): readonly string[] {
  const coming = outbox.filter(
    ({ state }) =>
      state.kind !== 'refused' &&
      !(state.kind === 'unknown' && !state.checking) &&
      !(state.kind === 'waiting' && state.unsaved !== undefined),
  )
  const elsewhere = unfinished
    .filter(({ acceptedAt, title }) => (acceptedAt ?? title.createdAt) > now - ABANDONED_MS)
    .map(({ title }) => title)
  return [...coming, ...jobs, ...elsewhere].flatMap(({ output }) =>
    output?.kind === 'folder' && !isVaultOutput(output.path) ? [output.path] : [],
  )
}
