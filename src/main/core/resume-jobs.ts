/**
 * Resumes jobs of a built-in service that crashed, was killed or was stopped. Its unfinished jobs can be submitted again safely, because
 * the service is known to be dead (docs/decisions/interrupted-work.md). The service's log identifies finished results.
 */
import type { Placement, Upload } from '../../node/placement-notes.ts'
import type { OutputTarget } from '../../shared/model/draft.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { PartDetails, PartTitle, ResultFile } from '../../shared/model/job.ts'
import {
  titleOf,
  WAITING,
  type Acceptance,
  type DurableState,
  type PlannedSubmission,
  type Submission,
  uncertain,
} from '../outbox/index.ts'
import type { SentName } from '../aliases/index.ts'
import { completedId } from './completed-parts.ts'
import { isPlaced, readPlacementNotes, type NotesOfService } from './placement-notes.ts'
import type { Modules } from './modules.ts'
import { unconfirmed } from './service-jobs.ts'
import type { EndRecorder } from './record-jobs.ts'

export type ResumeDeps = Pick<
  Modules,
  'history' | 'outbox' | 'downloads' | 'settings' | 'aliases' | 'timing'
> & {
  readonly ends: EndRecorder
  /** Folder of the built-in services' logs of saved results. */
  readonly placed: string
  /** Whether the service in use runs the job. */
  readonly isContinued: (jobId: string) => boolean
  readonly forgetPlaced: (notes: readonly NotesOfService[]) => void
}

/** How often to check whether a service whose parent was killed has shut down, in ms. */
const RECHECK_MS = 250
/** Maximum number of resubmissions without any result. After that, the user decides, because the job may be what crashes the service. */
const MAX_RESUBMISSIONS = 2

/**
 * Resumes interrupted jobs. Call this in the process that sends, before its built-in service starts or after it has ended.
 * @param onError called if a job can't be resumed; the next launch tries again
 */
export function resumeJobs(deps: ResumeDeps, onError: (error: unknown) => void) {
  const { history, outbox, downloads, timing } = deps
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let cancel: (() => void) | undefined
  let left: readonly RecordId[] = []
  const failed = new Set<RecordId>()
  /** Jobs whose records have returned to the outbox. */
  const returnedJobs = new Set<string>()
  const began = timing.clock()

  /** Moves an accepted submission to the history. */
  function recordAccepted(submission: Submission, acceptance: Acceptance): void {
    void history.recordAcceptedSubmission(submission, acceptance).catch(onError)
    outbox.forget(submission.id)
  }

  function adopt(submission: Submission, acceptance: Acceptance): void {
    outbox.accept(submission.id, acceptance)
    recordAccepted(submission, acceptance)
    left = [...left, submission.id]
  }

  /** Resumes the jobs whose service has ended. */
  function resumeSome(): void {
    const notes = readPlacementNotes(deps.placed)
    // Handle submissions first, because a resumed job no longer belongs to its record.
    const unresolved = unconfirmed(outbox, began).filter(
      (submission) =>
        !isHandled(submission.id, () => returned({ ...deps, adopt, isOther }, submission, notes)),
    )
    left = left.filter((id) => !isHandled(id, () => resumed(id, notes)))
    if (left.length > 0 || unresolved.length > 0) cancel = timing.after(RECHECK_MS, () => attempt(resumeSome))
    else {
      if (failed.size === 0) deps.forgetPlaced(notes)
      resolve()
    }
  }

  const isOther = (jobId: string): boolean => returnedJobs.has(jobId) || history.hasJob(jobId)

  /** Runs `work`. Returns whether this process is done with the job or submission. An error doesn't affect other jobs and submissions. */
  function isHandled(id: RecordId, work: () => boolean): boolean {
    if (failed.has(id)) return true
    try {
      return work()
    } catch (error) {
      failed.add(id)
      onError(error)
      return true
    }
  }

  function resumed(id: RecordId, notes: readonly NotesOfService[]): boolean {
    const record = history.details(id)
    if (record === undefined || record.outcome !== null) return true
    const { jobId } = record.facts
    const isAlive = notes.some((service) => service.isAlive && service.jobs.has(jobId ?? ''))
    if (isAlive) return deps.isContinued(jobId ?? '')
    if (jobId !== null) returnedJobs.add(jobId)
    resume(deps, record, notes)
    return true
  }

  function attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      onError(error)
      resolve()
    }
  }

  attempt(() => {
    for (const submission of outbox.accepted()) {
      const { id, state } = submission
      if (state.kind !== 'accepted' || state.acceptance.connection !== 'builtIn') continue
      const { acceptance } = state
      isHandled(id, () => {
        recordAccepted(submission, acceptance)
        return true
      })
    }
    // Start with the last job, because each one returns to the front of the outbox.
    left = history
      .openJobs()
      .toReversed()
      .filter(({ id, connection }) => connection === 'builtIn' && !downloads.isBegun(id))
      .map(({ id }) => id)
    resumeSome()
  })
  return {
    /** Stops resuming and leaves the remaining jobs to the next launch. */
    stop(): void {
      cancel?.()
      resolve()
    },
    /** Resolves when all jobs have been handled, or when resuming was stopped or has failed. */
    done,
  }
}

type ReturnDeps = Pick<ResumeDeps, 'outbox' | 'settings' | 'aliases'> & {
  readonly adopt: (submission: Submission, acceptance: Acceptance) => void
  /** Whether a job belongs to another record, which may have returned to the outbox by now. */
  readonly isOther: (jobId: string) => boolean
}

/**
 * Resolves a submission whose service has ended. Accepts it if the notes show which job it became. Sends it again if no job in the notes
 * matches, it uses only local folders, and the settings and its number of attempts allow this. Otherwise, the user decides.
 * @returns false if the service may still be shutting down, or if this process hasn't noticed yet that the service has ended
 */
function returned(deps: ReturnDeps, submission: Submission, notes: readonly NotesOfService[]): boolean {
  const { id, plan, state, attempts } = submission
  if (state.kind === 'sending') return false
  if (state.kind !== 'unknown') return true
  const { outbox } = deps
  const { at, baseUrl, unsent = [] } = state.attempt
  if (notes.some(({ isAlive, begunAt }) => isAlive && begunAt <= at)) return false
  const jobs = resultJobsOf({ id, plan }, state, notes, deps)
  const [only, ...more] = jobs
  const isWanted = deps.settings.view().interrupted === 'resume' && attempts <= MAX_RESUBMISSIONS
  const isLocal = plan.output.kind === 'folder' && plan.driveInput === null
  if (only !== undefined && more.length === 0 && isCertainly(only, id, notes, deps)) {
    const job = { jobId: only, skipped: unsent }
    deps.adopt(submission, { ...job, baseUrl, connection: 'builtIn', acceptedAt: at })
  } else if (isLocal && isWanted && only === undefined) outbox.backToWaiting(id)
  else outbox.leaveToUser(id, [])
  return true
}

/** Returns the IDs of jobs whose results may belong to the submission. */
function resultJobsOf(
  { id, plan }: Pick<Submission, 'id' | 'plan'>,
  { attempt: { at, known } }: DurableState<'unknown'>,
  notes: readonly NotesOfService[],
  { aliases, isOther }: Pick<ReturnDeps, 'aliases' | 'isOther'>,
): readonly string[] {
  const own = ownNamesOf(aliases.namesOf(id))
  const inputs = new Set(plan.items.map(({ path }) => path))
  const fits = ({ preset, folder }: Partial<Record<'preset' | 'folder', string | undefined>>) =>
    (plan.preset === null || preset === undefined || preset === plan.preset) &&
    (folder === undefined || (plan.output.kind === 'folder' && folder === plan.output.path))
  const jobs = notes
    .filter(({ notedAt }) => notedAt >= at)
    .flatMap(({ placements, ...service }) =>
      placements
        .filter(({ jobId }) => fits(service.jobs.get(jobId) ?? {}))
        .filter((one) => inputs.has(own(one.input)) && isPlaced(one, plan.mount) !== false)
        .map(({ jobId }) => jobId),
    )
  return [...new Set(jobs)].filter(
    (jobId) => !known.some((other) => other.jobId === jobId) && !isOther(jobId),
  )
}

/** Whether the job is certainly the submission's: the notes contain the job's preset, and no other submission matches. */
function isCertainly(
  jobId: string,
  id: RecordId,
  notes: readonly NotesOfService[],
  deps: ReturnDeps,
): boolean {
  const isIdentified = notes.some(({ jobs }) => jobs.get(jobId)?.preset !== undefined)
  const rivals = deps.outbox.unresolved().filter((other) => other.id !== id)
  const fits = ({ state, ...other }: Submission) =>
    state.kind === 'unknown' && resultJobsOf(other, state, notes, deps).includes(jobId)
  return isIdentified && !rivals.some(fits)
}

function resume(deps: ResumeDeps, record: PartDetails, notes: readonly NotesOfService[]): void {
  const { history, outbox, ends, timing } = deps
  const { id } = record
  const draft = history.draftFrom(id, 'all', 'part')
  const { output } = record
  if (draft === undefined || output === null) return ends.ended(id, { kind: 'forgotten' }, timing.clock())

  const { isRemote, resent, mount, presetHash } = history.sending(id)
  const own = ownNamesOf(deps.aliases.namesOf(id))
  const { jobId } = record.facts
  const here = output.kind === 'drive' ? uploadedBy(notes, jobId) : placedBy(notes, jobId, mount)
  const placed = isRemote ? [] : here
  const account = accountOf(
    record,
    placed.map((one) => ({ ...one, input: own(one.input) })),
  )
  const inOutbox = outbox.get(id)
  // An earlier process crashed between `putBack` and `recordReturned` below.
  if (inOutbox?.plan.items.length === account.left.length) return history.recordReturned(inOutbox, 1)
  // If the outbox is older than the history, its submission still contains all files.
  if (inOutbox !== undefined) outbox.drop([id])
  if (account.left.length === 0 && draft.source.kind === 'files') {
    return endCompleted(deps, id, account.results, output)
  }
  // The user canceled the job, and the service ended first.
  if (outbox.cancelRequests.has(id)) {
    const results = [...account.results, ...account.partial]
    history.recordResults(id, results, [])
    const outcome = { kind: 'cancelled', results: results.length } as const
    return ends.ended(id, outcome, timing.clock())
  }
  const { variations, grouping } = draft
  const whole: PlannedSubmission = {
    items: record.inputs,
    driveInput: draft.source.kind === 'drive' ? draft.source.folderId : null,
    preset: draft.presets[0] ?? null,
    output,
    variations,
    grouping,
    ...(record.place.parts === 1 ? {} : { place: record.place }),
    ...(record.chosen === null ? {} : { chosen: record.chosen }),
    ...(record.watched ? { watched: record.watched } : {}),
    ...(record.by === undefined ? {} : { by: record.by }),
    target: 'builtIn',
    ...(isRemote ? { upload: true } : {}),
    ...(mount === undefined ? {} : { mount }),
    ...(presetHash === undefined ? {} : { presetHash }),
  }
  const place = account.complete.length > 0 ? recordCompleted(deps, record, whole, account) : whole.place
  const plan = { ...whole, items: account.left, ...(place === undefined ? {} : { place }) }
  const service = notes.find(({ jobs }) => jobs.has(jobId ?? ''))
  const isOrderly = service?.isOrderly === true
  const again = account.complete.length > 0 ? 1 : isOrderly ? resent : resent + 1
  // There may be no user to ask about a watched folder's files. When in doubt, process them again rather than never.
  const isKnown = account.partial.length === 0 || plan.watched !== undefined
  const isSafe = service !== undefined && isKnown && plan.driveInput === null
  // After a crash, the setting decides, because the job may have caused it.
  const isWanted = isOrderly || (deps.settings.view().interrupted === 'resume' && again <= MAX_RESUBMISSIONS)
  const state = isSafe && isWanted ? WAITING : unconfirmedState(record, timing.clock())
  outbox.putBack({ id, createdAt: record.createdAt, plan, state })
  history.recordReturned(recordOf(id, plan, record), again)
  // Record these results in case the submission is removed.
  if (account.partial.length > 0) history.recordResults(id, account.partial, [])
}

/** Creates a function that maps a path as the service received it to the user's own file. */
function ownNamesOf(names: readonly SentName[]): (path: string) => string {
  const byAlias = new Map(names.map(({ path, as }) => [as, path]))
  return (path) => byAlias.get(path) ?? path
}

type NotedResult = Upload &
  Pick<Partial<Placement>, 'quality'> & {
    /** Whether the result is known to be saved; false if its file can't be accessed now. */
    readonly isCertain: boolean
  }

const placedBy = (
  notes: readonly NotesOfService[],
  jobId: string | null,
  mount: string | undefined,
): readonly NotedResult[] =>
  notes
    .flatMap(({ placements }) => placements.filter((one) => one.jobId === jobId))
    .flatMap((one) => {
      const found = isPlaced(one, mount)
      return found === false ? [] : { ...one, isCertain: found === true }
    })

/**
 * Returns the results that have arrived in a cloud drive. After an interrupted upload, the next upload recognizes the file there by its
 * content.
 */
const uploadedBy = (notes: readonly NotesOfService[], jobId: string | null): readonly NotedResult[] =>
  notes
    .flatMap(({ uploads }) => uploads.filter((one) => one.jobId === jobId))
    .map((one) => ({ ...one, isCertain: true }))

type Account = {
  /** Inputs for which all results exist. */
  readonly complete: readonly MediaItem[]
  readonly left: readonly MediaItem[]
  /** Results of the inputs in `complete`. */
  readonly results: readonly ResultFile[]
  /**
   * Results of inputs that have only some of their variations, or whose results can't be accessed now. The missing variations can't
   * be requested separately.
   */
  readonly partial: readonly ResultFile[]
}

function accountOf({ inputs, variations }: PartDetails, placed: readonly NotedResult[]): Account {
  const resultsOf = (item: MediaItem) => placed.filter(({ input }) => input === item.path)
  const isComplete = (item: MediaItem) =>
    resultsOf(item).filter(({ isCertain }) => isCertain).length >= variations
  const complete = inputs.filter(isComplete)
  const left = inputs.filter((item) => !isComplete(item))
  const filesOf = (items: readonly MediaItem[]) =>
    items
      .flatMap(resultsOf)
      .map(({ input, path, quality }, index) => ({ file: input, outputPath: path, quality, index }))
  return { complete, left, results: filesOf(complete), partial: filesOf(left) }
}

/**
 * Moves the completed inputs and their results to a separate record, which counts as done. That record and the record of the remaining
 * inputs are parts of one job. The user sees a single job, which ends once.
 * @param whole the job with all of its inputs
 * @returns the place of the rest
 */
function recordCompleted(
  deps: ResumeDeps,
  record: PartDetails,
  whole: PlannedSubmission,
  { complete, results }: Account,
): PartTitle['place'] {
  const { history } = deps
  const id = completedId(record.id, record.facts.jobId ?? '')
  const { place } = record
  if ((history.details(id)?.outcome ?? null) !== null) return place
  const [first = record.id] = history.wholeJob(record.id)
  const others = history.details(first)?.parts.map((other) => other.place.part) ?? []
  const part = Math.max(place.parts, ...others.map((other) => other + 1))
  const rest = { ...place, parts: part + 1 }
  // Record the rest first. Otherwise, the job would seem to have ended.
  history.recordSubmission(recordOf(record.id, { ...whole, place: rest }, record))
  history.recordSubmission(recordOf(id, { ...whole, items: complete, place: { ...rest, part } }, record))
  endCompleted(deps, id, results, whole.output)
  return rest
}

const recordOf = (id: RecordId, plan: PlannedSubmission, { createdAt }: PartDetails) => ({
  title: titleOf(id, plan, createdAt),
  plan,
})

function endCompleted(
  { history, ends, timing }: ResumeDeps,
  id: RecordId,
  results: readonly ResultFile[],
  output: OutputTarget,
): void {
  history.recordResults(id, results, [])
  const uploaded = output.kind === 'drive' ? results.length : null
  ends.ended(id, { kind: 'done', results: results.length, uploaded }, timing.clock())
}

/** Returns the state of an interrupted job's submission that isn't sent again automatically: the user must send it again or remove it. */
function unconfirmedState({ facts }: PartDetails, at: number): DurableState {
  const service = { service: 'builtIn', connection: 'builtIn', baseUrl: facts.baseUrl ?? '' } as const
  const attempt = { at, ...service, known: [], uploaded: null }
  return { ...uncertain(attempt, { cause: 'crash', message: '' }), leftToUser: true }
}
