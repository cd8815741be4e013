/** Compares a submission with a job at the service to decide whether the submission created the job. */
import type { ServiceJob } from '../api/resources.ts'
import { mediaKindOf } from '../media-types.ts'
import { baseName } from '../paths.ts'
import type { PartTitle } from './job.ts'

/** The request that was sent to the service. */
export type SentRequest = Pick<PartTitle, 'preset' | 'variations' | 'driveInput' | 'output'> & {
  /** Paths on this computer; empty for Drive input or if the paths aren't known. */
  readonly inputs: readonly string[]
  /** Whether the service may rename the inputs, as it does with uploads. */
  readonly renamed: boolean
}

export type Fit = 'fits' | 'maybe' | 'no'

/**
 * Rates how well a job matches a submission.
 * @param uploaded the service's names for uploaded inputs
 */
export function fitOf(job: ServiceJob, sent: SentRequest, uploaded: readonly string[] = []): Fit {
  const fits = [presetFit(job, sent), driveFit(job, sent)]
  if (sent.driveInput === null) {
    fits.push(nameFit(namesIn(job), sent, uploaded), countFit(job, sent), typeFit(job, sent))
  }
  if (fits.includes('no')) return 'no'
  return fits.includes('maybe') ? 'maybe' : 'fits'
}

/**
 * Whether a job with our ID clearly comes from another submission: another preset, folder or file, or more files than sent. Ignores
 * current files and results, because the spec doesn't define the names in them.
 */
export function contradicts(job: ServiceJob, sent: SentRequest): boolean {
  const fits = [presetFit(job, sent), driveFit(job, sent)]
  return fits.includes('no') || hasOtherFiles(job, sent)
}

/** Whether a job reports a file that wasn't sent, or more files than were sent. */
export const hasOtherFiles = (job: ServiceJob, sent: SentRequest): boolean =>
  sent.inputs.length > 0 &&
  [nameFit(mediaNames([job.fileName]), sent, []), countFit(job, sent)].includes('no')

/** Normalizes the Unicode form of a file name, because systems may encode an umlaut in two ways. */
export const comparableName = (path: string): string => baseName(path).normalize('NFC')

/** Compares the presets. A job reports the exact name (section 2), but the spec doesn't say what a job without a preset reports. */
const presetFit = (job: ServiceJob, { preset }: SentRequest): Fit =>
  preset !== null && job.preset !== preset ? 'no' : 'fits'

const differs = (said: string | null | undefined, meant: string | null): boolean =>
  typeof said === 'string' && said !== meant

/** Compares the Drive folders. `drive` and its fields are optional, so missing ones don't rule out a match. */
function driveFit({ drive }: ServiceJob, { driveInput, output }: SentRequest): Fit {
  const driveOutput = output?.kind === 'drive' ? output.folderId : null
  return differs(drive?.inputFolderId, driveInput) || differs(drive?.outputFolderId, driveOutput)
    ? 'no'
    : 'fits'
}

/** Returns the file names that a job has reported so far, without folders. */
const namesIn = (job: ServiceJob): readonly string[] =>
  mediaNames([
    job.fileName,
    job.progress.fileName,
    ...(job.results ?? []).map(({ file }) => file),
    ...(job.errors ?? []).map(({ file }) => file),
  ])

/** Keeps only media file names, because a batch may be named "3 files". */
const mediaNames = (said: readonly (string | undefined)[]): readonly string[] =>
  said.flatMap((name) =>
    name === undefined || mediaKindOf(name) === undefined ? [] : [comparableName(name)],
  )

function nameFit(
  names: readonly string[],
  { inputs, renamed, variations }: SentRequest,
  uploaded: readonly string[],
): Fit {
  if (names.length === 0) return 'fits'
  const meant = new Set([...inputs, ...uploaded].map(comparableName))
  const matching = names.filter((name) => meant.has(name)).length
  if (matching === names.length) return 'fits'
  // The service may choose its own names for uploads and variations.
  return matching > 0 || renamed || variations > 1 ? 'maybe' : 'no'
}

/**
 * Compares the number of files. Fewer files than sent may still match, because the service may have skipped some. Whether variations
 * count as files isn't specified.
 */
function countFit({ totalFiles }: ServiceJob, { inputs, variations }: SentRequest): Fit {
  if (totalFiles === undefined) return 'fits'
  if (totalFiles === inputs.length || totalFiles === inputs.length * variations) return 'fits'
  return totalFiles < inputs.length * variations ? 'maybe' : 'no'
}

/** Compares the type with the number of files. The spec doesn't define exactly when a job is `single` or `batch`. */
function typeFit({ type }: ServiceJob, { inputs, variations }: SentRequest): Fit {
  if (inputs.length > 1 && type === 'single') return 'maybe'
  if (inputs.length === 1 && variations === 1 && type === 'batch') return 'maybe'
  return 'fits'
}
