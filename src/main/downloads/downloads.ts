import { join } from 'node:path'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { ServiceApi } from '../service-api/index.ts'
import { outcomeAfter, type Fetched, type FetchingNow, type FetchOrder } from './fetch-order.ts'
import { openOrders, type StoredFile, type StoredOrder } from './open-orders.ts'
import {
  exists,
  localName,
  placeResult,
  prepareStaging,
  removeStaging,
  stagingFolder,
} from './place-result.ts'

/** The service that may be asked now. */
export type DownloadService = {
  readonly api: Pick<ServiceApi, 'download'>
  /** Only the service that made the results has them. */
  readonly identity: string
}

export type DownloadsDeps = {
  /** What is still to be fetched is kept here; absolute. */
  readonly file: string
  /** Undefined while none can be asked. */
  readonly service: () => DownloadService | undefined
  /** Whether this process is the one that fetches; several may share the file. */
  readonly claim: () => boolean
  /** ms since 1970. */
  readonly clock: () => number
  /** Runs something once after some ms. @returns a function that prevents it */
  readonly after: (ms: number, run: () => void) => () => void
  /**
   * Called when nothing more is coming. Has to be on the disk when it returns; may be told again after a crash.
   */
  readonly onFetched: (fetched: Fetched) => void
  readonly onTrouble: (error: ServiceError) => void
  /** What `active` gives has changed. */
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/**
 * Brings the results of a service that does not see this computer's files here: one file at a time, none twice, and none
 * lost by a crash.
 */
export interface Downloads {
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
  stop(): Promise<void>
}

const CLAIM_RETRY_MS = 2_000
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000
/** A file that breaks this often is told as a problem. */
const MAX_ATTEMPTS = 4

/** ms until the next step by itself; null: until woken. */
type Pause = number | null

export function createDownloads(deps: DownloadsDeps): Downloads {
  const { log } = deps
  const orders = openOrders(deps.file, deps.clock)
  const stopping = new AbortController()
  const attempts = new Map<string, number>()
  const prepared = new Set<RecordId>()
  let running: Promise<void> | undefined
  let wakeUp: (() => void) | undefined
  let woken = false
  let triedAgain = false
  let failures = 0
  let now: { readonly id: RecordId; readonly share: number } | undefined

  async function step(): Promise<Pause> {
    if (!deps.claim()) return CLAIM_RETRY_MS
    if (!triedAgain) orders.tryAgain()
    triedAgain = true
    const service = deps.service()
    if (service === undefined) return null
    const order = orders.open().find((one) => one.service === service.identity)
    if (order === undefined) return null
    const file = order.files.find(({ state }) => state === 'pending')
    if (file === undefined) return finish(order)
    return fetchFile(order, file, service)
  }

  async function fetchFile(order: StoredOrder, file: StoredFile, { api }: DownloadService): Promise<Pause> {
    const { id, jobId, folder } = order
    const staging = stagingFolder(folder, id)
    const staged = join(staging, `${file.index}`)
    const problem = await ready(id, staging)
    if (problem !== undefined) return missing(order, file, 'failed', problem)

    const earlier = file.path !== null && !(await exists(staged)) && (await exists(file.path))
    if (!earlier && !(await exists(staged))) {
      now = { id, share: 0 }
      deps.onChange()
      const saved = await api.download(jobId, {
        index: file.index,
        to: { file: staged },
        signal: stopping.signal,
        onProgress: ({ received, total }) => {
          const share = total === undefined || total === 0 ? 0 : Math.floor((received / total) * 100) / 100
          if (now?.share === share) return
          now = { id, share }
          deps.onChange()
        },
      })
      now = undefined
      if (!saved.ok) return failed(order, file, saved.error)
      failures = 0
    }
    try {
      const name = localName(file.remotePath, jobId)
      const path = await placeResult(staged, folder, name, file.path, (at) =>
        orders.intend(id, file.index, at),
      )
      orders.here(id, file.index, path)
    } catch (error) {
      return missing(order, file, 'failed', messageOf(error))
    }
    deps.onChange()
    return 0
  }

  async function ready(id: RecordId, staging: string): Promise<string | undefined> {
    if (prepared.has(id)) return undefined
    try {
      await prepareStaging(staging)
      prepared.add(id)
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }

  function failed(order: StoredOrder, file: StoredFile, error: ServiceError): Pause {
    if (stopping.signal.aborted) return 0
    log('result not fetched', { id: order.id, index: file.index, error: error.kind })
    switch (error.kind) {
      case 'notReachable':
      case 'unauthorized':
        deps.onTrouble(error)
        return backOff()
      case 'noAnswer':
      case 'serverError':
      case 'aborted': {
        deps.onTrouble(error)
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

  async function finish(order: StoredOrder): Promise<Pause> {
    const { id, outcome, endedAt, files, told } = order
    const results = files.flatMap(({ index, file, path, state }) =>
      state === 'here' && path !== null ? [{ index, file, outputPath: path }] : [],
    )
    const lost = files.flatMap(({ file, remotePath, problem, state }) =>
      state === 'here' ? [] : [{ file: file || localName(remotePath, order.jobId), error: problem ?? '' }],
    )
    const problems = [...order.problems, ...lost]
    await removeStaging(stagingFolder(order.folder, id)).catch(() => undefined)
    prepared.delete(id)
    deps.onFetched({
      id,
      outcome: outcomeAfter(outcome, results.length, problems, lost),
      endedAt,
      results,
      problems,
      again: told,
    })
    if (files.some(({ state }) => state === 'failed')) orders.told(id)
    else orders.forget(id)
    deps.onChange()
    return 0
  }

  function wake(): void {
    woken = true
    wakeUp?.()
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false
      const pause = await step().catch((error: unknown) => {
        log('results could not be fetched', { error: messageOf(error) })
        return LONGEST_RETRY_MS
      })
      if (!woken && !stopping.signal.aborted && pause !== 0) await sleep(pause)
    }
  }

  function sleep(ms: Pause): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = ms === null ? undefined : deps.after(ms, resolve)
    wakeUp = resolve
    return promise.finally(() => cancel?.())
  }

  return {
    expect: (id, folder) => orders.expect(id, folder),
    isExpected: (id) => orders.isExpected(id),
    isBegun: (id) => orders.isBegun(id),
    begin(order) {
      orders.begin(order)
      deps.onChange()
      wake()
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
          share: now?.id === id ? now.share : 0,
        })),
    busy() {
      const service = deps.service()
      return orders.open().some((order) => service === undefined || order.service === service.identity)
    },
    start() {
      running ??= run()
    },
    wake,
    async stop() {
      stopping.abort()
      wake()
      await running
      orders.close()
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
