import { messageOf } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import { createWorkLoop, type Pause } from '../../node/work-loop.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { FileError } from '../../shared/api/resources.ts'
import type { Outcome } from '../../shared/model/outcome.ts'
import type { Fetched, FetchingNow, FetchOrder } from './fetch-order.ts'
import { createResultFetching, type DownloadService } from './fetch-result.ts'
import { openOrders, type StoredOrder } from './open-orders.ts'
import { localName, partialFolder, removePartialFolder } from './place-result.ts'

export type DownloadsDeps = {
  /** What is still to be fetched is kept here; absolute. */
  readonly file: string
  /** Undefined while none can be asked. */
  readonly service: () => DownloadService | undefined
  /** Whether this process is the one that fetches; several may share the file. */
  readonly claim: () => boolean
  readonly timing: Pick<Timing, 'clock' | 'after'>
  /**
   * Called when nothing more is coming. Has to be on the disk when it returns; may be told again after a crash.
   */
  readonly onFetched: (fetched: Fetched) => void
  readonly onTrouble: (error: ServiceError, from: DownloadService['api']) => void
  /** What `active` gives has changed. */
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/**
 * Brings the results of a service that does not see this computer's files here: one file at a time, none twice, and none
 * lost by a crash.
 */
export interface Downloads {
  /** Where a damaged file was put when this one was begun; null if all was well. */
  readonly setAside: string | null
  /** A job was accepted whose results will have to be fetched into this folder. */
  expect(id: RecordId, folder: string): void
  isExpected(id: RecordId): boolean
  /** The job is over, and its results are on their way. */
  isBegun(id: RecordId): boolean
  begin(order: FetchOrder): void
  /** There is nothing to fetch after all. */
  forget(id: RecordId): void
  active(): readonly FetchingNow[]
  /** Whether something can be fetched from the service in use. */
  busy(): boolean
  start(): void
  /** The service may be there again, or another process may have left something to do. */
  wake(): void
  /** Fetches no more. What is still to be fetched can be asked for until `close`. */
  stop(): Promise<void>
  close(): void
}

const ERROR_RETRY_MS = 60_000

export function createDownloads(deps: DownloadsDeps): Downloads {
  const { log } = deps
  const orders = openOrders(deps.file, deps.timing.clock)
  const giveUp = new AbortController()
  const fetching = createResultFetching({ ...deps, orders, stopping: giveUp.signal })
  let triedAgain = false
  const loop = createWorkLoop({
    claim: deps.claim,
    step,
    onError(error) {
      log('results could not be fetched', { error: messageOf(error) })
      return ERROR_RETRY_MS
    },
    after: deps.timing.after,
  })

  async function step(): Promise<Pause> {
    if (!triedAgain) orders.tryAgain()
    triedAgain = true
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

  return {
    setAside: orders.setAside,
    expect: (id, folder) => orders.expect(id, folder),
    isExpected: (id) => orders.isExpected(id),
    isBegun: (id) => orders.isBegun(id),
    begin(order) {
      orders.begin(order)
      deps.onChange()
      loop.wake()
    },
    forget: (id) => orders.forget(id),
    active: () =>
      orders
        .open()
        .filter(({ told }) => !told)
        .map(({ id, jobId, files }) => ({
          id,
          jobId,
          done: files.filter(({ state }) => state === 'here').map(({ file }) => file),
          total: files.length,
          share: shareOf(id),
        })),
    busy() {
      const service = deps.service()
      return orders.open().some((order) => service === undefined || order.service === service.identity)
    },
    start: () => loop.start(),
    wake: () => loop.wake(),
    async stop() {
      giveUp.abort()
      await loop.stop()
    },
    close: () => orders.close(),
  }
}

/** What came of an order of which nothing more is coming. */
function fetchedOf({ id, jobId, outcome, endedAt, files, problems, told }: StoredOrder): Fetched {
  const results = files.flatMap(({ index, file, path, state }) =>
    state === 'here' && path !== null ? [{ index, file, outputPath: path }] : [],
  )
  const missing = files.flatMap(({ file, remotePath, problem, state }) =>
    state === 'here' ? [] : [{ file: file || localName(remotePath, jobId), error: problem ?? '' }],
  )
  const allProblems = [...problems, ...missing]
  return {
    id,
    outcome: outcomeAfter(outcome, results.length, allProblems, missing),
    endedAt,
    results,
    problems: allProblems,
    again: told,
  }
}

/** The outcome of a job once it is known which of its results arrived. */
function outcomeAfter(
  outcome: Outcome,
  fetched: number,
  problems: readonly FileError[],
  missing: readonly FileError[],
): Outcome {
  if (missing.length === 0 || (outcome.kind !== 'done' && outcome.kind !== 'problems')) return outcome
  if (fetched === 0) return { kind: 'failed', reason: missing[0]?.error ?? '' }
  return { kind: 'problems', results: fetched, problems: problems.length, uploaded: outcome.uploaded }
}
