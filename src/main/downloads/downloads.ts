import type { Readers } from '../../node/file-identity.ts'
import { messageOf } from '../../node/errors.ts'
import { mountPointOf } from '../../node/mounted-disk.ts'
import type { Timing } from '../../node/timing.ts'
import { createWorkLoop, type Pause } from '../../node/work-loop.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { FileError } from '../../shared/api/resources.ts'
import { failedWith } from '../../shared/model/outcome.ts'
import type { Outcome } from '../../shared/model/job.ts'
import { createResultFetching, type DownloadService, type ResultFetchingDeps } from './fetch-result.ts'
import type { Orders, StoredOrder } from './open-orders.ts'
import { localName, partialFolder, removePartialFolder } from './place-result.ts'

export type Downloads = ReturnType<typeof createDownloads>

/** The outcome of an order. */
export type Fetched = ReturnType<typeof fetchedOf>

const ERROR_RETRY_MS = 60_000

/**
 * Downloads the results of a service that can't write to this computer, one file at a time. Each file is downloaded once, even
 * after a crash.
 */
export function createDownloads(
  deps: Pick<ResultFetchingDeps, 'onTrouble' | 'log'> & {
    readonly orders: Orders
    /** Returns undefined while no service is available. */
    readonly service: () => DownloadService | undefined
    readonly timing: Pick<Timing, 'clock' | 'after'>
    /**
     * Called when a job's downloads have ended. Must store the outcome durably before returning. May be called again after a crash.
     */
    readonly onFetched: (fetched: Fetched) => void
    /** Called when the result of `active` has changed. */
    readonly onChange: () => void
  },
) {
  const { log, orders } = deps
  const stopping = new AbortController()
  const fetching = createResultFetching({ ...deps, stopping: stopping.signal })
  let hasRetriedFailed = false
  let isClosed = false
  const loop = createWorkLoop({
    step,
    onError(error) {
      log('downloading results failed', { error: messageOf(error) })
      return ERROR_RETRY_MS
    },
    after: deps.timing.after,
  })

  async function step(): Promise<Pause> {
    if (!hasRetriedFailed) orders.tryAgain()
    hasRetriedFailed = true
    const service = deps.service()
    if (service === undefined) return null
    const order = orders.open().find((one) => one.service === service.identity)
    if (order === undefined) return null
    const file = order.files.find(({ state }) => state === 'pending')
    return file === undefined ? finish(order) : fetching.fetch(order, file, service)
  }

  async function finish(order: StoredOrder): Promise<Pause> {
    const { id, folder, files } = order
    await removePartialFolder(partialFolder(folder, id)).catch(() => undefined)
    fetching.orderFinished(id)
    deps.onFetched(fetchedOf(order))
    if (files.some(({ state }) => state === 'failed')) orders.told(id)
    else orders.forget(id)
    deps.onChange()
    return 0
  }

  function shareOf(id: RecordId): number {
    const now = fetching.now()
    return now?.id === id ? now.share : 0
  }

  /**
   * Stores where the folder's disk is mounted. Callers don't wait for this, because a folder on an unreachable network share may not
   * respond.
   */
  async function noteDisk(id: RecordId, folder: string): Promise<void> {
    try {
      const mount = await mountPointOf(folder)
      if (mount !== undefined && !isClosed) orders.diskFound(id, mount)
    } catch (error) {
      log('could not determine the disk of an output folder', { id, error: messageOf(error) })
    }
  }

  return {
    /**
     * Registers an accepted job whose results must be downloaded to this folder.
     * @param known `mount`: the folder's `mountPointOf`, determined now if missing. `readers`: the permissions that the job's originals
     * have in common
     */
    expect(
      id: RecordId,
      folder: string,
      known: { readonly mount?: string | undefined; readonly readers?: Readers | undefined } = {},
    ): void {
      orders.expect(id, folder, known.readers)
      if (known.mount === undefined) void noteDisk(id, folder)
      else orders.diskFound(id, known.mount)
    },
    isExpected: orders.isExpected,
    /** Whether the job has ended and the download of its results has begun. */
    isBegun: orders.isBegun,
    begin(order: Parameters<Orders['begin']>[0]): void {
      orders.begin(order)
      deps.onChange()
      loop.wake()
    },
    /** Drops a job that turned out to have no results. */
    forget: orders.forget,
    /** Stops retrying failed downloads. Call this before the inputs of these downloads are submitted again. */
    giveUpFailed: orders.giveUp,
    /** Returns the progress of each order that hasn't been reported as finished. `share` is the progress of the current file, 0..1. */
    active: () =>
      orders
        .open()
        .filter(({ told }) => !told)
        .map(({ id, service, jobId, files }) => ({
          id,
          service,
          jobId,
          done: files.filter(({ state }) => state === 'here').map(({ file }) => file),
          total: files.length,
          share: shareOf(id),
        })),
    /**
     * Whether anything remains to be downloaded from the current service, or from any service while none is available. Includes failed
     * downloads that haven't been retried yet.
     */
    busy(): boolean {
      const service = deps.service()
      const left = hasRetriedFailed ? orders.open() : [...orders.open(), ...orders.failed()]
      return left.some((order) => service === undefined || order.service === service.identity)
    },
    start: (): void => loop.start(),
    /** Call this when the service may be available again. */
    wake: (): void => loop.wake(),
    /** Stops downloading. Pending downloads can still be queried until `close`. */
    async stop(): Promise<void> {
      stopping.abort()
      await loop.stop()
    },
    close(): void {
      isClosed = true
    },
  }
}

/** Returns the outcome of an order that has no pending downloads. */
function fetchedOf({ id, jobId, outcome, endedAt, files, problems, told }: StoredOrder) {
  const results = files.flatMap(({ index, file, path, state }) =>
    state === 'here' && path !== null ? [{ index, file, outputPath: path }] : [],
  )
  const missing = files.flatMap(({ file, remotePath, problem, state }) =>
    state === 'here' ? [] : [{ file: file || localName(remotePath, jobId), ...(problem ?? { error: '' }) }],
  )
  const allProblems = [...problems, ...missing]
  return {
    id,
    outcome: outcomeAfter(outcome, results.length, allProblems, missing),
    endedAt,
    results,
    problems: allProblems,
    /** True if the order was already reported as finished, and its failed files were retried. */
    again: told,
  }
}

/** Returns the job's outcome, depending on which of its results were downloaded. */
function outcomeAfter(
  outcome: Outcome,
  fetched: number,
  problems: readonly FileError[],
  missing: readonly FileError[],
): Outcome {
  if (missing.length === 0 || (outcome.kind !== 'done' && outcome.kind !== 'problems')) return outcome
  if (fetched === 0) return failedWith(missing[0])
  return { kind: 'problems', results: fetched, problems: problems.length, uploaded: outcome.uploaded }
}
