import { join } from 'node:path'
import { messageOf } from '../../node/errors.ts'
import type { Pause } from '../../node/work-loop.ts'
import { isSameServiceTime } from '../../shared/api/service-time.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ServiceError } from '../../shared/service-error.ts'
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

/** The service that may be asked now. */
export type DownloadService = {
  readonly api: Pick<ServiceApi, 'download' | 'job'>
  /** Only the service that made the results has them. */
  readonly identity: string
}

/** The file that is being received; `share` 0..1. */
export type ReceivingNow = { readonly id: RecordId; readonly share: number }

export type ResultFetching = {
  readonly now: () => ReceivingNow | undefined
  /** Brings one result to its place, or writes down why it is not there. */
  fetch(order: StoredOrder, file: StoredFile, service: DownloadService): Promise<Pause>
  /** Its partial folder has gone with it. */
  orderFinished(id: RecordId): void
}

export type ResultFetchingDeps = {
  readonly orders: Orders
  /** Aborted when what is under way is given up. */
  readonly stopping: AbortSignal
  readonly onTrouble: (error: ServiceError, from: DownloadService['api']) => void
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000
/** A file that breaks this often is told as a problem. */
const MAX_ATTEMPTS = 4

/** Fetches single results: each first into a partial folder, and from there, whole, to its place. */
export function createResultFetching(deps: ResultFetchingDeps): ResultFetching {
  const { orders, stopping, log } = deps
  const attempts = new Map<string, number>()
  const prepared = new Set<RecordId>()
  let failures = 0
  let now: ReceivingNow | undefined

  async function fetch(order: StoredOrder, file: StoredFile, service: DownloadService): Promise<Pause> {
    const folder = partialFolder(order.folder, order.id)
    const partial = join(folder, `${file.index}`)
    try {
      await prepare(order.id, folder)
    } catch (error) {
      return missing(order, file, 'failed', messageOf(error))
    }
    const isReceived = await exists(partial)
    const isPlaced = file.path !== null && !isReceived && (await exists(file.path))
    if (!isPlaced && !isReceived) {
      const error = await receive(order, file, service, partial)
      if (error !== undefined) return failed(order, file, error, service)
    }
    try {
      const name = await trueName(partial, localName(file.remotePath, order.jobId))
      const path = await placeResult(partial, order.folder, name, file.path, (at) =>
        orders.intend(order.id, file.index, at),
      )
      orders.here(order.id, file.index, path)
    } catch (error) {
      return missing(order, file, 'failed', messageOf(error))
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
    { id, jobId, jobCreatedAt }: StoredOrder,
    { index }: StoredFile,
    { api }: DownloadService,
    partial: string,
  ): Promise<ServiceError | undefined> {
    become({ id, share: 0 })
    const other =
      jobCreatedAt === undefined ? undefined : await whyNotThisJob(api, jobId, jobCreatedAt, stopping)
    if (other !== undefined) {
      now = undefined
      return other
    }
    const saved = await api.download(jobId, {
      index,
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
    log('result not fetched', { id: order.id, index: file.index, error: error.kind })
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
        return attempt < MAX_ATTEMPTS ? backOff() : missing(order, file, 'failed', error.message)
      }
      case 'notFound':
        return missing(order, file, 'gone', error.message)
      default:
        return missing(order, file, 'failed', error.message)
    }
  }

  function backOff(): Pause {
    failures += 1
    return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10))
  }

  function missing(order: StoredOrder, file: StoredFile, state: 'failed' | 'gone', problem: string): Pause {
    orders.missing(order.id, file.index, state, problem)
    deps.onChange()
    return 0
  }

  return {
    now: () => now,
    fetch,
    orderFinished: (id) => void prepared.delete(id),
  }
}

/** A service that was restarted may have given the id to a job of somebody else, whose files are none of ours. */
async function whyNotThisJob(
  api: DownloadService['api'],
  jobId: string,
  createdAt: string,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const read = await api.job(jobId, { signal })
  if (!read.ok) return read.error.kind === 'badResponse' ? undefined : read.error
  if (isSameServiceTime(read.value.createdAt, createdAt)) return undefined
  return { kind: 'notFound', message: 'The service has forgotten this job, and another one has its id.' }
}
