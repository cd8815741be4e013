/**
 * Verifies that the results of completed jobs exist. "Completed" is only the service's claim. If the service writes to this
 * computer, this checks the files that it names.
 */
import { comparable } from '../../shared/paths.ts'
import { onceFor } from '../../shared/once.ts'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { isBelow } from '../../node/contained-path.ts'
import { hasCode } from '../../node/errors.ts'
import { type Timing, within } from '../../node/timing.ts'
import { forEachLimited } from '../../node/limited.ts'

import { fileError } from '../../shared/api/reported.ts'
import type { ServiceJob } from '../../shared/api/resources.ts'
import { failure } from '../../shared/failure/failure.ts'
import type { Poll } from './merge-poll.ts'
import type { TrackedJob } from './tracked-job.ts'

/** Time limit in ms for checking the results of one job. A folder on an unreachable share may not respond. */
const LONGEST_MS = 2_000

/** Maximum number of parallel checks. A file system doesn't get faster with more. */
const AT_ONCE = 8

/** Returns a poll without those results of our completed jobs that don't exist or are originals. */
export async function checkOutputs(
  { list, fetched }: Poll,
  tracked: readonly TrackedJob[],
  after: Timing['after'],
): Promise<Poll> {
  const checked = new Map<ServiceJob, ServiceJob>()
  for (const { jobId, title, inputs, remote, names } of tracked) {
    const job = fetched.get(jobId) ?? list.jobs.find((one) => one.jobId === jobId)
    if (title.output?.kind !== 'folder' || remote) continue
    if (job === undefined || job === 'gone' || job.status !== 'completed') continue
    const originals = [...inputs, ...names.map(({ as }) => as)]
    const found = await within(LONGEST_MS, after, findNoResults(job, title.output.path, originals))
    if (found !== undefined && found.missing.size + found.originals.size > 0) {
      checked.set(job, withoutThem(job, found, inputs[0] ?? job.fileName ?? ''))
    }
  }
  if (checked.size === 0) return { list, fetched }
  const checkedJobs = [...fetched].map(
    ([id, job]) => [id, job === 'gone' ? job : (checked.get(job) ?? job)] as const,
  )
  return {
    list: { ...list, jobs: list.jobs.map((job) => checked.get(job) ?? job) },
    fetched: new Map(checkedJobs),
  }
}

/** Paths of reported results that don't count. */
type NoResults = {
  /** Doesn't exist, is empty, or isn't a file. */
  readonly missing: ReadonlySet<string>
  readonly originals: ReadonlySet<string>
}

/**
 * Finds results that are missing from the job's folder, or are originals. Never rejects. A path outside the folder is only compared as text
 * with the originals, without accessing it.
 */
async function findNoResults(job: ServiceJob, folder: string, inputs: readonly string[]): Promise<NoResults> {
  const named = [...(job.results ?? []), ...(job.result ? [job.result] : [])].map((one) => one.outputPath)
  const roots = [folder, await realpath(folder).catch(() => folder)]
  const isHere = (path: string) => roots.some((root) => isBelow(path, root, process.platform))
  const missing = new Set(named.filter((path) => roots.some((root) => isSamePath(path, root))))
  const originals = await findOriginals(named, inputs, isHere)
  const left = named.filter((path) => isHere(path) && !originals.has(path))
  const check = async (path: string): Promise<void> => {
    if (await isMissing(path)) missing.add(path)
  }
  await forEachLimited(left, check, { atOnce: AT_ONCE })
  return { missing, originals }
}

const isSamePath = (path: string, other: string): boolean => isAbsolute(path) && relative(other, path) === ''

/** Returns the results that are inputs, regardless of how the path of their folder is written. Resolves each folder only once. */
async function findOriginals(
  named: readonly string[],
  inputs: readonly string[],
  mayAccess: (path: string) => boolean,
): Promise<ReadonlySet<string>> {
  const realFolder = onceFor((folder: string) => realpath(folder).catch(() => folder))
  const inRealFolder = async (path: string): Promise<string> =>
    join(await realFolder(dirname(resolve(path))), sameName(path))
  const known = new Set([...inputs.map(spelled), ...(await Promise.all(inputs.map(inRealFolder)))])
  const found = await Promise.all(
    named.map(async (path) => known.has(mayAccess(path) ? await inRealFolder(path) : spelled(path))),
  )
  return new Set(named.filter((path, index) => isAbsolute(path) && found[index] === true))
}

const spelled = (path: string): string => join(dirname(resolve(path)), sameName(path))

/** File names on Windows and macOS usually aren't case-sensitive, and macOS ignores Unicode normalization. */
const sameName = (path: string): string =>
  process.platform === 'linux' ? basename(path) : comparable(basename(path))

/**
 * Whether a result is missing, empty or not a file. A file that can't be checked, for example because permission is denied, isn't missing.
 */
async function isMissing(path: string): Promise<boolean> {
  try {
    const file = await stat(path)
    return !file.isFile() || file.size === 0
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR')
  }
}

/**
 * Returns the job without these results. A missing result is reported as an error. If a result is an original, its input counts as
 * unaccounted for. The remaining results keep their indexes.
 * @param input the file of a single job
 */
function withoutThem(job: ServiceJob, { missing, originals }: NoResults, input: string): ServiceJob {
  const problemOf = (file: string, path: string) =>
    missing.has(path) ? [fileError(file, failure('resultMissing', { path }))] : []
  const { result, results, ...rest } = job
  if (results === undefined) {
    return { ...rest, errors: [...(job.errors ?? []), ...problemOf(input, result?.outputPath ?? '')] }
  }
  const errors = results.flatMap(({ file, outputPath }) => problemOf(file, outputPath))
  const isNone = (path: string) => missing.has(path) || originals.has(path)
  const kept = results.map((one) => (isNone(one.outputPath) ? { ...one, outputPath: '' } : one))
  return { ...job, results: kept, errors: [...(job.errors ?? []), ...errors] }
}
