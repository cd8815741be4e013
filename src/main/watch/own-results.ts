/**
 * Prevents results from being processed again in watched folders. A file is our result if its content was noted: by the built-in
 * service before it placed the file, by the vault, or when another service reported it. Names, dates and folders prove nothing. New
 * files wait in folders that jobs are writing to, until those jobs have ended and everything is noted.
 */
import { lstatSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, dirname, extname } from 'node:path'
import { DAY_MS } from '../../shared/durations.ts'
import { hasCode } from '../../node/errors.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'
import { partlyRealPath } from '../../node/trusted-path.ts'
import { succeeds, ifPossible } from '../../node/if-possible.ts'
import { plainName } from '../../shared/paths.ts'
import { fingerprintOf, type FoundFile, withContent } from './fingerprint.ts'
import { isInside } from './ignore-rules.ts'
import type { ProcessedFiles } from './processed-files.ts'
import type { Unfinished } from './retry-records.ts'
import type { Doubt, NotedResult } from './result-records.ts'

export type FinishedJob = {
  readonly id: string
  /** Absolute local path; null if no results are in a folder that can be watched. */
  readonly outputFolder: string | null
  /** ID of the watched folder that the inputs are from. */
  readonly watched: string | null
  /** Paths of the inputs without results that were no longer there, or had been replaced. */
  readonly gone: readonly string[]
  /** Inputs that failed for a possibly temporary reason, and may be retried later. */
  readonly later: readonly Unfinished[]
  readonly inputs: readonly string[]
  /** Whether an input is still as it was when it was submitted. */
  readonly isUntouched?: ((path: string) => boolean) | undefined
  /** Paths of the results that the service has reported. */
  readonly results: readonly string[]
  /** Whether the user canceled the job, so that inputs without results aren't processed. */
  readonly cancelled?: boolean
  /** Whether all results are known: reported, or noted by the built-in service before it placed them. */
  readonly complete: boolean
  /** Milliseconds since 1970. */
  readonly since: number
  readonly until: number
}

/**
 * Where a file comes from. `doubtful`: another service may have created it without reporting it. Such a file is processed, but unreported
 * results of its job aren't.
 */
export type FileOrigin = 'foreign' | 'doubtful' | 'result' | 'unclear'

export type OwnResults = ReturnType<typeof createOwnResults>

export type OwnJobs = {
  /** Returns the local folders to which our jobs and planned submissions may write results at any time. */
  readonly busyFolders: () => readonly string[]
  /**
   * Returns the jobs that wrote to this output folder and have finished since the given time. Includes the jobs that
   * have left `busyFolders`.
   * @param since milliseconds since 1970
   */
  readonly endedInto: (outputFolder: string, since: number) => readonly FinishedJob[]
  /** Returns the jobs whose files are from watched folders and that have ended since a time in ms since 1970. */
  readonly endedWatched: (since: number) => readonly FinishedJob[]
  /** Calls `keep` with what built-in services have noted since the last call. The notes may be deleted once `keep` has returned. */
  readonly takePlaced: (keep: (results: readonly NotedResult[]) => void) => void
  /** Returns the results and originals that the vaults have placed. @param isKnown whether the files of a job are known */
  readonly inVaults?: (isKnown: (job: string) => boolean) => Promise<{
    readonly jobs: readonly string[]
    readonly results: readonly NotedResult[]
    readonly returned: readonly NotedResult[]
  }>
}

/** Tolerance in ms. Network disks have their own clocks. */
const CLOCK_SLACK_MS = 10_000
/**
 * Time in ms by which a query for finished jobs starts before a file's last change, or before the end of the last recorded job. The query
 * then also covers older files.
 */
const LEARNED_MS = DAY_MS
/** Maximum time in ms between the end of a job, by the service's clock, and the time when it is recorded. */
const LATE_MS = 120_000

/** Records what built-in services have noted about their results. */
export function notePlaced(store: ProcessedFiles, results: readonly NotedResult[]): void {
  store.noteResults(results)
  store.noteRead(results.flatMap(({ from }) => from ?? []))
}

async function learnFrom(inVaults: OwnJobs['inVaults'], store: ProcessedFiles): Promise<void> {
  const found = await inVaults?.((job) => store.hasLearned(job))
  // Most users don't have a vault.
  if (found !== undefined && found.jobs.length > 0) store.learn(found.jobs, found.results, found.returned)
}

export function createOwnResults(
  store: ProcessedFiles,
  { busyFolders, endedInto, endedWatched, takePlaced, inVaults }: OwnJobs,
  onForgotten: (folder: string, paths: readonly string[]) => void,
) {
  /** For each folder, the period in which all finished jobs are known. */
  const learned = new Map<string, { readonly from: number; readonly to: number }>()
  const real = new Map<string, string>()
  const reading = createSerialQueue(() => undefined)

  const realNow = (folder: string): string => real.get(folder) ?? folder

  /** Resolves links in the paths of `busyFolders`, takes new notes, and reads results that other services have reported. */
  async function refresh(): Promise<void> {
    for (const folder of new Set(busyFolders())) real.set(folder, await partlyRealPath(folder))
    takeNoted()
    await reading.next(() => readResults(store))
  }

  const takeNoted = () => takePlaced((results) => notePlaced(store, results))

  /**
   * Loads jobs that ended while no folders were watched. Call this after `busyFolders`, so that a job that finishes in between isn't
   * missed.
   * @param asked folders already queried for this group, with the start of the queried period
   */
  function learnEnded({ path, fingerprint: { changed } }: FoundFile, asked: Map<string, number>): void {
    const since = changed - CLOCK_SLACK_MS
    for (const folder of foldersAbove(path)) {
      const named = [...real].filter(([, now]) => now === folder).map(([name]) => name)
      for (const name of new Set([folder, ...named]))
        if ((asked.get(name) ?? Number.POSITIVE_INFINITY) > since)
          asked.set(name, learnEndedInto(name, since))
    }
  }

  /** Loads the jobs that wrote to a folder and have ended. @returns the start of the period in which all finished jobs are known */
  function learnEndedInto(folder: string, since: number): number {
    const known = learned.get(folder)
    const covers = known !== undefined && known.from <= since ? known : undefined
    const from = covers?.from ?? since - LEARNED_MS
    const ended = endedInto(folder, covers === undefined ? from : covers.to - LATE_MS)
    for (const job of ended) noteEarlier(job)
    const to = ended.reduce((last, { until }) => Math.max(last, until), known?.to ?? from)
    learned.set(folder, { from, to })
    return from
  }

  /** Records a job that ended earlier. A file that has changed since then may not be its result. */
  const noteEarlier = (job: FinishedJob): void =>
    noteJob(job, ({ fingerprint }) => fingerprint.changed <= job.until + CLOCK_SLACK_MS)

  function noteJob(job: FinishedJob, isAsReported: (file: FoundFile) => boolean): void {
    if (store.hasJob(job.id)) return
    const { watched, gone, since } = job
    const { unread, doubt } = resultsOf(store, realNow, job, isAsReported)
    let forgotten: string[] = []
    store.noteJob(job, unread, doubt, () => {
      if (watched === null) return
      forgotten = gone.flatMap((path) => [path, ...store.forgetTaken(watched, path, since)])
      const left = job.cancelled === true ? [] : job.inputs.filter((path) => !gone.includes(path))
      forgotten.push(...left.flatMap((path) => store.endInput(watched, path, since, fingerprintNow(path))))
      noteRetries(store, watched, job)
    })
    if (watched !== null && forgotten.length > 0) onForgotten(watched, forgotten)
  }

  const isNoted = (file: FoundFile): boolean =>
    file.content !== undefined &&
    (store.hasResult(file.fingerprint.size, file.content) || store.isReturned(file))

  return {
    /**
     * Imports what the vaults know, then refreshes. Call it before a folder is scanned: the database of processed files may be new, or
     * restored from an older copy.
     */
    learn: (): Promise<void> => learnFrom(inVaults, store).then(refresh),

    refresh,

    /**
     * Whether a file is a noted result or a returned original. Reads the file only if one of these has its size. Doesn't look for jobs that
     * have ended unnoticed.
     */
    async isResult(file: FoundFile): Promise<boolean> {
      if (!store.mayBeResult(file.fingerprint.size)) return false
      const read = await withContent(file)
      return read !== undefined && isNoted(read)
    },

    /**
     * Whether jobs with all of these presets have read the current version of this file. That happens if the file changes after it was
     * submitted but before the jobs read it.
     */
    isRead(folder: string, file: FoundFile, presets: readonly string[]): boolean {
      if (!store.wasTaken(folder, file.path)) return false
      takeNoted()
      return store.wasRead(file, presets)
    },

    /** Creates a classifier for one group of files. */
    createClassifier() {
      const busy = new Set(busyFolders().flatMap((folder) => [folder, realNow(folder)]))
      const asked = new Map<string, number>()
      return {
        /**
         * Whether our jobs may be writing to the file's folder or a folder above, so that its origin is unclear until they have ended.
         * Results can be in subfolders, because a preset may preserve the inputs' folder structure.
         */
        isBusyAt: (path: string): boolean => foldersAbove(path).some((folder) => busy.has(folder)),
        /** Returns where a file comes from. @param file a file that has been read */
        originOf: (file: FoundFile): FileOrigin => {
          if (isNoted(file)) return 'result'
          learnEnded(file, asked)
          // Results of the jobs that were just loaded may not have been read yet.
          return store.isUnread(file.path) ? 'unclear' : originInDoubt(store, file)
        },
      }
    },

    /**
     * Records a finished job durably before returning. Call it before the job leaves `busyFolders`, so that its results are never
     * unknown.
     */
    note(job: FinishedJob): void {
      takeNoted()
      noteJob(job, () => true)
      void reading.next(() => readResults(store))
    },

    /** Records the jobs of watched folders that ended while no folders were watched. */
    noteMissed(): void {
      takeNoted()
      endedWatched(store.lastJob() - LEARNED_MS).forEach(noteEarlier)
    },

    /** Resolves when no result is being read. */
    close: (): Promise<void> => reading.close(),
  }
}

/** Reads the results that other services have reported. */
async function readResults(store: ProcessedFiles): Promise<void> {
  for (const noted of store.unreadResults()) {
    const { path, fingerprint } = noted
    const { content } = (await withContent(noted)) ?? {}
    if (content === undefined && (await isOutOfReach(path))) continue
    const at = fingerprint.changed
    store.endReading(path, content === undefined ? undefined : { path, size: fingerprint.size, content, at })
  }
}

function noteRetries(
  store: ProcessedFiles,
  watched: string,
  { inputs, later, gone, isUntouched = () => false, since, until }: FinishedJob,
): void {
  const failed = new Set(later.map(({ path }) => path))
  const ended = inputs.filter((path) => !failed.has(path))
  store.endRetries(watched, ended, since)
  // The user has submitted files that the folder would have retried.
  const isRetry = (path: string) => !store.wasTaken(watched, path) && !store.isRetried(watched, path)
  const left = ended.filter((path) => !gone.includes(path) && isRetry(path) && isUntouched(path))
  if (left.length > 0)
    store.leave(
      watched,
      left.flatMap((path) => fingerprintNow(path) ?? []),
    )
  for (const file of later)
    if (store.noteFailed(watched, file, until)) store.forgetTaken(watched, file.path, since)
}

function resultsOf(
  store: ProcessedFiles,
  realNow: (folder: string) => string,
  job: FinishedJob,
  isAsReported: (file: FoundFile) => boolean,
) {
  const { outputFolder, inputs, results, complete, since, until } = job
  if (outputFolder === null) return { unread: [], doubt: undefined }
  const folder = realNow(outputFolder)
  const places = new Set(results.map((path) => realResult(path, outputFolder, folder)))
  const unread = [...places].flatMap((path) => {
    // A result that was noted before it was placed needn't be read. Another file may be at its path now.
    const found = store.hasResultAt(path, since) ? undefined : fingerprintNow(path)
    return found !== undefined && isAsReported(found) ? found : []
  })
  const stems = [...new Set(inputs.map(stemOf))]
  const isRepeated = inputs.some((path) => store.wasDoubtful(path))
  const doubt: Doubt = { outputFolder: folder, stems, since, until, isRepeated }
  return { unread, doubt: complete || inputs.length === 0 ? undefined : doubt }
}

/** Classifies a file that was not noted. */
function originInDoubt(
  store: Pick<ProcessedFiles, 'doubtsIn'>,
  { path, fingerprint: { changed } }: FoundFile,
): FileOrigin {
  const doubts = foldersAbove(path)
    .flatMap((folder) => store.doubtsIn(folder))
    .filter(({ since, until }) => changed >= since - CLOCK_SLACK_MS && changed <= until + CLOCK_SLACK_MS)
  // Without this limit, a service that fails repeatedly would get its own results as inputs forever.
  if (doubts.some(({ isRepeated, stems }) => isRepeated && stems.some((stem) => isNamedAfter(path, stem))))
    return 'result'
  return doubts.length > 0 ? 'doubtful' : 'foreign'
}

function fingerprintNow(path: string): FoundFile | undefined {
  const stats = ifPossible(() => lstatSync(path, { bigint: true }))
  return stats?.isFile() === true ? { path, fingerprint: fingerprintOf(stats) } : undefined
}

/** Whether the file can't be reached now, for example because its disk is disconnected. It may be there later. */
async function isOutOfReach(path: string): Promise<boolean> {
  if (!(await succeeds(lstat(dirname(path))))) return true
  return lstat(path).then(
    () => false,
    (error: unknown) => !hasCode(error, 'ENOENT'),
  )
}

const realResult = (path: string, named: string, real: string): string =>
  isInside(path, named) ? real + path.slice(named.length) : path

/** Returns all parent folders, nearest first. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
}

/** Normalizes a name the way the built-in service does for its results. */
const stemOf = (path: string): string => plainName(basename(path, extname(path)))

/**
 * Whether a file is named after an input: `tower.jpg` matches `tower-web-2048.jpg` and `tower_1.jpg`, but not `tower2.jpg` or
 * itself.
 */
function isNamedAfter(path: string, stem: string): boolean {
  const own = stemOf(path)
  return own.length > stem.length && own.startsWith(stem) && !/[\p{L}\p{N}]/u.test(own.charAt(stem.length))
}
