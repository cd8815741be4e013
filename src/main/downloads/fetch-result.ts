import type { Log } from '../../node/log.ts'
import { join } from 'node:path'
import { codeOf, messageOf } from '../../node/errors.ts'
import { openToReaders } from '../../node/result-permissions.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import { whyNotWritable } from '../../node/file-failure.ts'
import type { Pause } from '../../node/work-loop.ts'
import { reported } from '../../shared/api/reported.ts'
import type { FileProblem } from '../../shared/api/resources.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import { isSameServiceTime } from '../../shared/api/service-time.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { resultsOf } from '../../shared/model/outcome.ts'
import { because, type ServiceError } from '../../shared/service-error.ts'
import type { ServiceApi } from '../service-api/index.ts'
import type { Orders, StoredFile, StoredOrder } from './open-orders.ts'
import {
  exists,
  localName,
  partialFolder,
  placeResult,
  preparePartialFolder,
  trueName,
} from './place-result.ts'

/** The service that is currently available. */
export type DownloadService = {
  readonly api: Pick<ServiceApi, 'download' | 'job'>
  /** Identifies the service. Results exist only at the service that created them. */
  readonly identity: string
}

/** The record whose file is being received; `share` is the file's progress (0..1). */
export type ReceivingNow = { readonly id: RecordId; readonly share: number }

export type ResultFetchingDeps = {
  readonly orders: Orders
  /** Aborted when pending downloads should stop. */
  readonly stopping: AbortSignal
  readonly onTrouble: (error: ServiceError, from: DownloadService['api']) => void
  readonly onChange: () => void
  readonly log: Log
}

type Missing = 'failed' | 'gone'

const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000
/**
 * Maximum number of attempts to download a file that a reachable service fails to deliver. After that, the file is reported as a
 * problem.
 */
const MAX_ATTEMPTS = 4

/** Downloads individual results. Each result is received in a partial folder and moved to its final path when it is complete. */
export function createResultFetching(deps: ResultFetchingDeps) {
  const { orders, stopping, log } = deps
  const attempts = new Map<string, number>()
  const prepared = new Set<RecordId>()
  let failures = 0
  let now: ReceivingNow | undefined

  /**
   * Downloads one result and moves it to its final path. If that fails, records why the result is missing, or returns the delay before the
   * next attempt.
   */
  async function fetch(order: StoredOrder, file: StoredFile, service: DownloadService): Promise<Pause> {
    const folder = partialFolder(order.folder, order.id)
    const partial = join(folder, `${file.index}`)
    try {
      await requireDisk(order)
      await prepare(order.id, folder)
    } catch (error) {
      return missing(order, file, 'failed', notSaved(error))
    }
    const isReceived = await exists(partial)
    const isPlaced = file.path !== null && !isReceived && (await exists(file.path))
    if (!isPlaced && !isReceived) {
      const error = await receive(order, file, service, partial)
      if (error !== undefined) return failed(order, file, error, service)
    }
    try {
      await requireDisk(order)
      if (order.readers !== undefined && (await exists(partial))) await openToReaders(partial, order.readers)
      const name = await trueName(partial, localName(file.remotePath, order.jobId))
      const path = await placeResult(partial, order.folder, name, file.path, (at) =>
        orders.intend(order.id, file.index, at),
      )
      orders.here(order.id, file.index, path)
    } catch (error) {
      return missing(order, file, 'failed', notSaved(error))
    }
    deps.onChange()
    return 0
  }

  async function prepare(id: RecordId, folder: string): Promise<void> {
    if (prepared.has(id)) return
    await preparePartialFolder(folder)
    prepared.add(id)
  }

  async function receive(
    order: StoredOrder,
    file: StoredFile,
    { api }: DownloadService,
    partial: string,
  ): Promise<ServiceError | undefined> {
    const { id, jobId } = order
    become({ id, share: 0 })
    const other = await checkSameJob(api, order, file, stopping)
    if (other !== undefined) {
      now = undefined
      return other
    }
    const saved = await api.download(jobId, {
      index: file.index,
      to: { file: partial },
      signal: stopping,
      onProgress: ({ received, total }) => {
        const share = total === undefined || total === 0 ? 0 : Math.floor((received / total) * 100) / 100
        if (now?.share !== share) become({ id, share })
      },
    })
    now = undefined
    if (!saved.ok) return saved.error
    failures = 0
    return undefined
  }

  function become(next: ReceivingNow): void {
    now = next
    deps.onChange()
  }

  function failed(
    order: StoredOrder,
    file: StoredFile,
    error: ServiceError,
    { api }: DownloadService,
  ): Pause {
    if (stopping.aborted) return 0
    log('result not downloaded', { id: order.id, index: file.index, error: error.kind })
    switch (error.kind) {
      case 'notReachable':
      case 'unauthorized':
        deps.onTrouble(error, api)
        return backOff()
      case 'noAnswer':
      case 'serverError':
      case 'aborted': {
        deps.onTrouble(error, api)
        const key = `${order.id} ${file.index}`
        const attempt = (attempts.get(key) ?? 0) + 1
        attempts.set(key, attempt)
        return attempt < MAX_ATTEMPTS ? backOff() : missing(order, file, 'failed', problemOf(error))
      }
      default:
        return missing(order, file, error.kind === 'notFound' ? 'gone' : 'failed', problemOf(error))
    }
  }

  function backOff(): Pause {
    failures += 1
    return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10))
  }

  function missing(order: StoredOrder, file: StoredFile, state: Missing, problem: FileProblem): Pause {
    orders.missing(order.id, file.index, state, problem)
    deps.onChange()
    return 0
  }

  return {
    now: (): ReceivingNow | undefined => now,
    fetch,
    /** Forgets the partial folder of a finished order, because the folder has been removed. */
    orderFinished: (id: RecordId): void => void prepared.delete(id),
  }
}

/** @throws if the folder's disk was removed, so that nothing is written to its empty mount point */
async function requireDisk({ folder, mount }: StoredOrder): Promise<void> {
  if (await isTakenAway(mount)) throw new FailureError(failure('diskRemoved', { folder }))
}

const problemOf = ({ message, failure: known }: ServiceError): FileProblem => ({
  error: message,
  failure: known,
})

function notSaved(error: unknown): FileProblem {
  if (error instanceof FailureError) return reported(error.failure)
  return reported(
    codeOf(error) === ''
      ? failure('resultNotFetchedWhy', { detail: messageOf(error) })
      : failure('resultNotFetched', { reason: whyNotWritable(error) }),
  )
}

/**
 * Checks that the ID still belongs to this job. After a restart, the service may have reused it for another client's job, whose files must
 * not be downloaded.
 */
async function checkSameJob(
  api: DownloadService['api'],
  { jobId, jobCreatedAt }: StoredOrder,
  { index, remotePath }: StoredFile,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  if (jobCreatedAt === null) return undefined
  const read = await api.job(jobId, { signal })
  if (!read.ok) return read.error.kind === 'badResponse' ? undefined : read.error
  const results = resultsOf(read.value)
  const isElsewhere =
    results.length > 0 && !results.some((one) => one.index === index && one.outputPath === remotePath)
  if (isSameServiceTime(read.value.createdAt, jobCreatedAt) && !isElsewhere) return undefined
  return { kind: 'notFound', ...because(failure('jobReplaced')) }
}
