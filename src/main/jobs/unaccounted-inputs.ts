import { normalize } from 'node:path'
import { reported } from '../../shared/api/reported.ts'
import type { FileError, FileProblem, ServiceJob } from '../../shared/api/resources.ts'
import { failure } from '../../shared/failure/failure.ts'
import { comparableName, type SentRequest } from '../../shared/model/job-fit.ts'
import { resultsOf, saysItsOutcome } from '../../shared/model/outcome.ts'
import { baseName } from '../../shared/paths.ts'

const UNREPORTED = reported(failure('inputUnaccounted'))

type Sent = Pick<SentRequest, 'inputs' | 'variations' | 'renamed'>

/**
 * Returns the inputs of a completed job that lack results although the service reported no error for them. Each input needs an
 * error or one result per requested variation. The status `completed` says nothing about individual files (section 2), and the
 * service may omit optional fields.
 * @param skipped inputs that the service refused on acceptance
 */
export function unaccountedInputs(
  job: ServiceJob,
  sent: Sent,
  skipped: readonly FileError[] = [],
): readonly FileError[] {
  if (job.status !== 'completed' || typeof job.drive?.uploadError === 'string') return []
  const results = distinctResultsOf(job, sent.inputs)
  const upload = job.drive?.uploadResult ?? null
  const delivered = upload === null ? 0 : upload.uploaded + upload.errors.length
  const lost = upload === null || upload.cancelled === true ? 0 : Math.max(0, results.length - delivered)
  // The upload result doesn't show which results are missing.
  const undelivered = results.slice(results.length - lost).map(({ file }) => problem(file, UNREPORTED))
  const accounted = Math.max(delivered, results.length) + (job.errors?.length ?? 0)
  if (sent.inputs.length === 0) return [...undelivered, ...uncounted(job, accounted)]
  const expected = (sent.inputs.length - skipped.length) * sent.variations
  // The service may omit the results. If enough files were uploaded to the drive, none are missing.
  if (results.length === 0 && delivered > 0 && accounted >= expected) return undelivered
  return [...undelivered, ...unmentioned(job, sent, skipped)]
}

/** Returns each result file once, even if it is listed for several inputs. Leaves out originals. */
function distinctResultsOf(job: ServiceJob, inputs: readonly string[]): ReturnType<typeof resultsOf> {
  const originals = new Set(inputs.map((path) => normalize(path)))
  const results = resultsOf(job).filter(({ outputPath }) => !originals.has(normalize(outputPath)))
  return [...new Map(results.map((result) => [normalize(result.outputPath), result])).values()]
}

const problem = (path: string, why: FileProblem): FileError => ({ file: baseName(path), ...why })

/** Handles jobs whose inputs are unknown, as with a drive folder. The number of inputs may still be known. */
function uncounted(job: ServiceJob, accounted: number): readonly FileError[] {
  const expected = job.totalFiles ?? job.progress.totalFiles ?? (saysItsOutcome(job) ? 0 : 1)
  const missing = expected - accounted
  if (missing <= 0) return []
  const why = missing === 1 ? UNREPORTED : reported(failure('inputsUnaccounted', { count: missing }))
  return [problem(job.fileName ?? '', why)]
}

/** The results and failures of all inputs with the same name. */
type Account = {
  readonly inputs: readonly string[]
  /** Number of inputs that failed or were skipped. */
  failed: number
  results: number
}

function unmentioned(job: ServiceJob, { inputs, variations, renamed }: Sent, skipped: readonly FileError[]) {
  const results = distinctResultsOf(job, inputs).map(({ file }) => comparableName(file))
  const failures = [...skipped, ...(job.errors ?? [])].map(({ file }) => comparableName(file))
  const accounts = new Map<string, Account>()
  for (const [name, paths] of Map.groupBy(inputs, comparableName)) {
    accounts.set(name, { inputs: paths, failed: 0, results: 0 })
  }
  const otherFailures = new Set<string>()
  for (const file of failures) {
    const account = accounts.get(file)
    if (account === undefined) otherFailures.add(file)
    else account.failed += 1
  }
  const others = results.filter((file) => !accounts.has(file))
  for (const file of results) {
    const account = accounts.get(file)
    if (account !== undefined) account.results += 1
  }
  const isNamed = [...accounts.values()].some((one) => one.results + one.failed > 0)
  const byStem = Map.groupBy(accounts, ([name]) => stemOf(name))
  const unmatched = others.filter((file) => {
    const near = stemsOf(file).flatMap((stem) => byStem.get(stem) ?? [])
    const account = near.find(([, one]) => missingOf(one, variations) > 0)?.[1]
    if (account !== undefined) account.results += 1
    return account === undefined
  })
  // A single job's result may have any name, and a service may rename uploads. In both cases, only the number of results is
  // checked.
  const isSingle = job.type === 'single' && inputs.length === 1
  const hasOtherNames = isSingle || (renamed && !isNamed)
  const unattributed = unmatched.filter((file) => hasOtherNames || file === '')
  const failed = hasOtherNames ? otherFailures.size : 0
  const missing = [...accounts.values()].flatMap((one) => problemsOf(one, variations, job))
  return missing.slice(0, Math.max(0, missing.length - inputsOf(unattributed, variations) - failed))
}

const missingOf = ({ inputs, failed, results }: Account, variations: number): number =>
  (inputs.length - failed) * variations - results

function problemsOf(
  account: Account,
  variations: number,
  { error, failure: known }: Pick<ServiceJob, 'error' | 'failure'>,
): readonly FileError[] {
  const missing = Math.ceil(missingOf(account, variations) / variations)
  if (missing <= 0) return []
  const { results: made, inputs } = account
  const reason = error === undefined ? UNREPORTED : { error, failure: known }
  const why =
    made === 0 ? reason : reported(failure('resultsMissing', { made, count: inputs.length * variations }))
  return inputs.slice(-missing).map((path) => problem(path, why))
}

/** Returns how many inputs the results with unrelated names can account for: at most one per name, each with all its variations. */
function inputsOf(files: readonly string[], variations: number): number {
  const nameless = files.filter((file) => file === '').length
  const names = new Set(files.filter((file) => file !== '')).size
  return Math.min(names + nameless, Math.floor(files.length / variations))
}

/**
 * Returns the possible stems of the input that a result was created from: the result's own stem, then shorter and shorter prefixes
 * of it.
 */
function stemsOf(result: string): readonly string[] {
  const stem = stemOf(result)
  const ends = [...stem.matchAll(/[^\p{L}\p{N}]/gu)].map(({ index }) => index).toReversed()
  return [stem, ...ends.map((end) => stem.slice(0, end))]
}

const stemOf = (name: string): string =>
  name.lastIndexOf('.') > 0 ? name.slice(0, name.lastIndexOf('.')) : name
