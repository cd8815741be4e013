/** Derives jobs from their parts, with their titles and states. */
import type { AppState } from './app-state.ts'
import type { RecordId } from './ids.ts'
import type { Job, Outcome, Part, PartAt, PartDetails, PartTitle, WithParts } from './job.ts'
import { outcomeOfParts } from './job-outcome.ts'

type Unfinished = 'now' | 'next' | 'waiting' | 'sending' | 'refused' | 'unsure' | 'uploading'

export type JobState = Unfinished | Outcome['kind']

/** Returns a job that doesn't wait for its turn. */
export const jobOf = (parts: Job['parts']): Job => ({ parts, turn: null })

/** Returns the job that these details describe. @param details of the first part, or of any part to show it alone */
export function jobOfDetails(details: PartDetails): Job {
  const [first = details, ...others] = details.parts
  return jobOf([first, ...others])
}

/** Returns the place of a part that is a whole job. */
export const onlyPlace = ({ id, photos, videos }: Pick<PartTitle, 'id' | 'photos' | 'videos'>) =>
  ({ id, part: 0, parts: 1, photos, videos, presets: 1, folders: 1 }) as const satisfies PartTitle['place']

/** Returns the title of the first part with the counts of all parts. The preset is null if the parts have different presets. */
export function titleOf({ parts: [first] }: Job): PartTitle {
  const { id, photos, videos, presets } = first.place
  return {
    ...first,
    id,
    photos,
    videos,
    // There may be more files than photos and videos, because the kinds of other clients' files and of files in a drive aren't known.
    files: first.files === null ? null : Math.max(first.files, photos + videos),
    preset: presets > 1 ? null : first.preset,
  }
}

export const idOf = ({ parts: [first] }: Job): RecordId => first.place.id

/** States in order of urgency. A job has the most urgent state of its parts. */
const URGENCY: readonly Unfinished[] = ['unsure', 'refused', 'now', 'next', 'sending', 'waiting', 'uploading']

export function stateOf({ parts }: Pick<Job, 'parts'>): JobState {
  const states = parts.map(stateOfPart)
  const state = URGENCY.find((candidate) => states.includes(candidate))
  if (state === undefined) return outcomeOfParts(parts)?.kind ?? 'next'
  return state === 'next' && isBetweenParts(parts) ? 'now' : state
}

export function stateOfPart(part: Part): JobState {
  switch (part.at) {
    case 'outbox':
      return part.state.kind === 'unknown' ? 'unsure' : part.state.kind
    case 'service':
      if (part.stage.kind === 'queued') return 'next'
      return part.stage.kind === 'uploading' ? 'uploading' : 'now'
    case 'history':
      // The submission has left the outbox but isn't at the service yet.
      return part.outcome?.kind ?? 'next'
  }
}

/** Whether a part has ended and the next one is about to start. The job then counts as running, so that its row doesn't jump. */
const isBetweenParts = (parts: readonly Part[]): boolean =>
  parts.some(hasEnded) &&
  parts.some((part) => part.at === 'service' && part.stage.kind === 'queued' && part.stage.position === 1)

/** Returns the part that determines the job's state: the one that needs the user, runs or comes next, otherwise the first. */
export function currentPart({ parts }: Pick<Job, 'parts'>): Part {
  for (const state of URGENCY) {
    const part = parts.find((candidate) => stateOfPart(candidate) === state)
    if (part !== undefined) return part
  }
  return parts[0]
}

/** Whether the built-in service has paused the job, or the part of it that would run. */
export function isHeld(job: Job): boolean {
  const part = currentPart(job)
  return part.at === 'service' && part.held !== undefined
}

export const hasEnded = (part: Part): part is PartAt<'history'> =>
  part.at === 'history' && part.outcome !== null

/** Whether the user must decide what happens to the part. */
export const needsUser = (part: Part): part is PartAt<'outbox'> =>
  part.at === 'outbox' && (part.state.kind === 'refused' || part.state.kind === 'unknown')

/** Returns the parts that haven't ended and don't need the user. */
export const openPartsIn = ({ parts }: WithParts): readonly Part[] =>
  parts.filter((part) => !hasEnded(part) && !needsUser(part))

/** Returns the part that the service is processing or canceling. */
export const runningPart = ({ parts }: WithParts): PartAt<'service'> | undefined =>
  parts
    .filter((part) => part.at === 'service')
    .find(({ stage }) => stage.kind === 'processing' || stage.kind === 'cancelling')

/**
 * Returns the jobs with unfinished parts, in the order of their first unfinished part: at the service first, then in the outbox. Each
 * part is in exactly one job.
 */
export function unfinishedJobs(state: Pick<AppState, 'jobs' | 'outbox' | 'endedParts'>): readonly Job[] {
  const found = new Map<RecordId, [Part, ...Part[]]>()
  for (const list of [state.jobs, state.outbox]) {
    for (const part of list) {
      const others = found.get(part.place.id)
      if (others === undefined) found.set(part.place.id, [part])
      else others.push(part)
    }
  }
  for (const part of state.endedParts) found.get(part.place.id)?.push(part)
  return withTurns([...found.values()].map((parts) => jobOf(inOrder(parts))))
}

/** Sorts the parts by their place in the job. If a part is listed twice, the first entry counts. */
function inOrder(parts: [Part, ...Part[]]): Job['parts'] {
  if (parts.length === 1) return parts
  const byPlace = new Map(parts.toReversed().map((part) => [part.place.part, part]))
  const [first = parts[0], ...others] = [...byPlace.values()].toSorted((a, b) => a.place.part - b.place.part)
  return [first, ...others]
}

/** Numbers the waiting jobs of each service, in the order in which they run. */
function withTurns(jobs: readonly Job[]): readonly Job[] {
  const turns = new Map<Job, Job['turn']>()
  const waiting = jobs.filter((job) => WAITING_STATES.has(stateOf(job)))
  for (const line of Map.groupBy(waiting, ({ parts: [first] }) => first.service).values()) {
    const next = line.find(waitsForTurn)
    for (const [index, job] of line.entries())
      turns.set(job, { place: index + 1, of: line.length, isNext: job === next })
  }
  return jobs.map((job) => ({ ...job, turn: turns.get(job) ?? null }))
}

const WAITING_STATES: ReadonlySet<JobState> = new Set(['next', 'waiting', 'sending'])

/** Whether the job waits only for the jobs ahead of it. */
function waitsForTurn(job: Job): boolean {
  const part = currentPart(job)
  if (part.at !== 'outbox' || part.state.kind !== 'waiting') return true
  return part.state.because === 'turn' || part.state.because === 'queueFull'
}

/** Returns the number of jobs that are waiting to be sent. Their earlier parts may have ended. */
export const countWaiting = (jobs: readonly Job[]): number =>
  jobs.filter((job) => stateOf(job) === 'waiting').length
