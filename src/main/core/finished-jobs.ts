/** Describes ended jobs and refused submissions to the watched folders. */
import { lstatSync, statSync } from 'node:fs'
import { hasCode } from '../../node/errors.ts'
import type { FileError } from '../../shared/api/resources.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import { because } from '../../shared/service-error.ts'
import { failedInputs, problemsByInput } from '../history/index.ts'
import { isSameFile, printOf } from '../ledger/index.ts'
import type { Submission } from '../outbox/index.ts'
import { isVaultOutput } from '../vault/index.ts'
import type { FinishedJob } from '../watch/index.ts'

export function finishedJob(record: PartDetails): FinishedJob | undefined {
  const { output, outcome, endedAt, watched = null } = record
  if (outcome === null || endedAt === null) return undefined
  // The vault is never watched. It notes each result that it moves to an original's path.
  const outputFolder = output?.kind === 'folder' && !isVaultOutput(output.path) ? output.path : null
  if (outputFolder === null && watched === null) return undefined
  return {
    id: record.id,
    outputFolder,
    watched,
    ...(watched === null ? { gone: [], later: [] } : unprocessedInputs(record)),
    inputs: endedInputs(record),
    isUntouched: isUntouchedIn(record),
    cancelled: outcome.kind === 'cancelled',
    results: record.results.map((result) => result.outputPath),
    // A withdrawn submission hasn't created anything.
    complete: outcome.kind === 'done' || record.facts.service === 'builtIn' || record.facts.jobId === null,
    since: record.createdAt,
    until: endedAt,
  }
}

/** Returns the inputs, except those that the watched folder submits again because the user has changed its output. */
function endedInputs(record: PartDetails): readonly string[] {
  const problems = problemsByInput(record)
  return record.inputs
    .filter((item) => problems.get(item)?.failure?.code !== 'outputChanged')
    .map(({ path }) => path)
}

/**
 * Describes a refused submission of a watched folder, including which of its files are missing or were replaced; undefined for any other
 * submission.
 */
export function refusedJob(submission: Submission, now: number): FinishedJob | undefined {
  const { id, plan, state } = submission
  if (state.kind !== 'refused' || plan.watched === undefined) return undefined
  const { failure } = state.refusal
  const gone = plan.items.filter((item) => isGone(item, failure)).map(({ path }) => path)
  // A different ID, because the user may send the submission again.
  return { ...withdrawnJob(submission, plan.watched, now), id: `${id} refused`, gone }
}

/** Describes a submission of a watched folder that is removed because its files are submitted again. */
export const withdrawnJob = ({ id, plan, title }: Submission, watched: string, now: number): FinishedJob => ({
  id: `${id} withdrawn`,
  outputFolder: null,
  watched,
  gone: plan.items.map(({ path }) => path),
  later: [],
  inputs: [],
  results: [],
  complete: true,
  since: title.createdAt,
  until: now,
})

/**
 * Lists the files of a refused submission that were moved before it was sent, with the paths at which the watched folder's jobs have
 * processed them.
 * @returns undefined unless all of them are processed
 */
export function processedElsewhere(
  { plan, state }: Submission,
  ended: readonly PartDetails[],
): readonly FileError[] | undefined {
  if (state.kind !== 'refused' || state.refusal.why !== 'inputsGone' || plan.watched === undefined)
    return undefined
  const processed = ended
    .filter(
      ({ watched, preset, variations }) =>
        watched === plan.watched && preset === plan.preset && variations >= plan.variations,
    )
    .flatMap(processedInputs)
  const explained = plan.items.flatMap((item) => {
    const other = processed.find(({ print }) => isSamePrint(print, item.print))
    return other === undefined ? [] : [movedTo(item, other)]
  })
  return explained.length === plan.items.length && explained.length > 0 ? explained : undefined
}

const isSamePrint = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && isSameFile(a, b)

function movedTo({ path: file }: MediaItem, { path }: MediaItem): FileError {
  const { message: error, failure: why } = because(failure('processedElsewhere', { path }))
  return { file, error, failure: why }
}

function processedInputs(record: PartDetails): readonly MediaItem[] {
  const { inputs, outcome, skipped, problems } = record
  if (outcome?.kind !== 'done' && outcome?.kind !== 'problems') return []
  const failed = new Set(failedInputs({ ...record, problems: [...skipped, ...problems] }))
  return inputs.filter((item) => !failed.has(item))
}

/**
 * Whether a watched folder's job has inputs without results, and all of them were moved, deleted or replaced. The folder processes moved
 * inputs at their new paths.
 */
export function lacksOnlyGone(record: PartDetails): boolean {
  const ended = { ...record, problems: [...record.skipped, ...record.problems] }
  const { gone } = unprocessedInputs(record)
  const failed = failedInputs(ended)
  return (
    (record.watched ?? null) !== null && failed.length > 0 && failed.every(({ path }) => gone.includes(path))
  )
}

/**
 * Maximum number of attempts for a file if the file itself may be why its worker was killed, or why its result was unexpected or wasn't
 * saved.
 */
const MOST_UNCLEAR = 3

function unprocessedInputs(record: PartDetails): Pick<FinishedJob, 'gone' | 'later'> {
  const { outcome, skipped } = record
  // The user decided not to process these files.
  if (outcome?.kind === 'cancelled') return { gone: [], later: [] }
  const ended = { ...record, problems: [...skipped, ...record.problems] }
  const ofJob = outcome?.kind === 'failed' ? outcome.failure : undefined
  const problems = problemsByInput(ended)
  const failed = failedInputs(ended).map((item) => ({ item, why: problems.get(item)?.failure ?? ofJob }))
  const gone = new Set(
    failed.flatMap(({ item, why }) => (isGone(item, why) && !isUntouched(item) ? item.path : [])),
  )
  const later = failed.flatMap(({ item: { path }, why }) => {
    const most = gone.has(path) ? undefined : mostAttempts(why)
    return most === undefined ? [] : { path, most }
  })
  return { gone: [...gone], later }
}

/** Returns the maximum number of attempts for a file with this failure; null for no limit, undefined if it isn't retried. */
function mostAttempts(why: Failure | undefined): number | null | undefined {
  switch (why?.code) {
    case 'tooLittleSpace':
    case 'diskFull':
    case 'diskRemoved':
    case 'folderFull':
    case 'folderNotReal':
    case 'folderNotWritable':
    // The following failures also occur if the service can't see an existing file, for example because of its sandbox.
    case 'fileReplaced':
    case 'originalsGone':
      return null
    case 'fileUnreadable':
      return why.values.reason.code === 'missing' ? null : undefined
    case 'resultNotSavedIn':
      return why.values.reason.code === 'unknown' ? MOST_UNCLEAR : null
    case 'resultUnexpected':
    case 'workerKilled':
      return MOST_UNCLEAR
    default:
      return undefined
  }
}

function isUntouchedIn({ inputs }: PartDetails): FinishedJob['isUntouched'] {
  const items = new Map(inputs.map((item) => [item.path, item]))
  return (path) => {
    const item = items.get(path)
    return item !== undefined && isUntouched(item)
  }
}

/** Whether a file has been at its path, unchanged, since it was submitted. A rename changes its print. */
function isUntouched({ path, print }: MediaItem): boolean {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return print !== undefined && stats !== undefined && printOf(stats, Infinity)?.print === print
}

/**
 * Whether a file without results was missing or replaced. Checks the path as well, because other services describe this failure only in
 * their own words.
 */
function isGone({ path }: MediaItem, failure: Failure | undefined): boolean {
  if (failure?.code === 'fileReplaced' || failure?.code === 'originalsGone') return true
  if (failure?.code === 'fileUnreadable' && failure.values.reason.code === 'missing') return true
  try {
    lstatSync(path)
    return false
  } catch (error) {
    return hasCode(error, 'ENOENT')
  }
}
