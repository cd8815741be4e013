/**
 * Creates thumbnails of photos and videos on demand in a separate process. The most recent request is processed first, because its
 * file is on the screen. The process is started as soon as files are expected, because starting it takes longer than creating a
 * thumbnail.
 */
import type { ThumbnailRequest } from '../../media/protocol.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import { superviseWorker, WorkerEnded } from '../../media/supervise-worker.ts'
import type { FileIdentity } from '../../node/file-identity.ts'
import { wasEndedFromOutside } from '../../node/ended-from-outside.ts'
import type { Timing } from '../../node/timing.ts'
import type { EncodedImage } from '../../shared/thumbnail-url.ts'

export type Thumbnails = ReturnType<typeof createThumbnails>

/** How long an idle process is kept, in ms. */
const IDLE_MS = 30_000
/** Time limit per thumbnail, in ms. A decoder that exceeds it is killed. */
const TIMEOUT_MS = 20_000
/** Maximum number of concurrent requests. Decoding one thumbnail mostly keeps one core busy. */
const AT_ONCE = 2
/** Number of cached thumbnails, enough for a few screens. The page also caches them. */
const REMEMBERED = 600
/** Number of worker exits after which a request fails. One isn't enough: an idle worker may exit just as it receives a request. */
const MOST_ENDINGS = 2
/** Maximum number of queued requests. Older ones have long scrolled out of view and are dropped. */
const LONGEST_QUEUE = 120

type Request = {
  readonly key: string
  readonly request: ThumbnailRequest
  readonly resolve: (image: EncodedImage | undefined) => void
  /** Number of workers that exited during this request. */
  endings: number
}

export function createThumbnails(options: {
  readonly startWorker: () => WorkerProcess
  readonly after: Timing['after']
}) {
  const { startWorker, after } = options
  const made = new Map<string, Promise<EncodedImage | undefined>>()
  const queue: Request[] = []
  const current = new Set<Request>()
  let isClosed = false
  // `tryAgain` decides which requests to repeat.
  const worker = superviseWorker(startWorker, { idleMs: IDLE_MS, repeats: () => false })

  /**
   * @param identity of the file that was added or checked; absent to accept the file that is there now
   * @returns undefined if there is no thumbnail
   */
  function thumbnail(
    path: string,
    pixels: number,
    identity?: FileIdentity,
  ): Promise<EncodedImage | undefined> {
    const key = `${pixels} ${path}`
    const known = made.get(key)
    if (known !== undefined) return known
    const requested = new Promise<EncodedImage | undefined>((resolve) => {
      queue.push({ key, resolve, request: { path, identity, pixels }, endings: 0 })
      for (const dropped of queue.splice(0, Math.max(0, queue.length - LONGEST_QUEUE))) forget(dropped)
    })
    remember(key, requested)
    makeNext()
    return requested
  }

  function remember(key: string, image: Promise<EncodedImage | undefined>): void {
    made.set(key, image)
    const oldest = made.keys().next()
    if (made.size > REMEMBERED && oldest.done !== true) made.delete(oldest.value)
  }

  /** Drops a request, so that its thumbnail can be requested again. */
  function forget({ key, resolve }: Request): void {
    made.delete(key)
    resolve(undefined)
  }

  function makeNext(): void {
    for (let request = nextRequest(); request !== undefined; request = nextRequest()) {
      current.add(request)
      void make(request)
    }
  }

  async function make(request: Request): Promise<void> {
    const timeout = new AbortController()
    /** If two requests are running, each is retried alone to find out which one hangs. */
    const cancelTimeout = after(TIMEOUT_MS, () => {
      if (current.size === 1) request.endings = MOST_ENDINGS
      timeout.abort()
    })
    try {
      const bytes = await worker.ask('thumbnail', request.request, { signal: timeout.signal })
      request.resolve({ type: 'image/webp', bytes })
    } catch (error) {
      if (isClosed) forget(request)
      else if (error instanceof WorkerEnded || timeout.signal.aborted) tryAgain(request, error)
      else request.resolve(undefined)
    }
    cancelTimeout()
    current.delete(request)
    makeNext()
  }

  /** Returns the next request to process. A request during which a worker exited runs alone, so that it can't affect another request. */
  function nextRequest(): Request | undefined {
    const next = queue.at(-1)
    if (next === undefined || current.size >= AT_ONCE) return undefined
    const isSuspect = [next, ...current.values()].some(({ endings }) => endings > 0)
    return isSuspect && current.size > 0 ? undefined : queue.pop()
  }

  /**
   * Repeats a request during which a worker exited. The second time, the file may be the reason, so the request fails. If something else
   * killed the worker, the thumbnail can be requested again instead.
   */
  function tryAgain(request: Request, why: unknown): void {
    request.endings += 1
    if (request.endings < MOST_ENDINGS) queue.push(request)
    else if (why instanceof WorkerEnded && wasEndedFromOutside(why.ending)) forget(request)
    else request.resolve(undefined)
  }

  return {
    /** Starts the worker in advance, for example when a drag enters the window. */
    prepare: worker.prepare,
    /** Creates thumbnails that will be requested soon, in the given order. */
    prefetch(files: readonly Pick<ThumbnailRequest, 'path' | 'identity'>[], pixels: number): void {
      // The queue is processed last in, first out, so the remaining files are reversed.
      const ordered = [...files.slice(0, AT_ONCE), ...files.slice(AT_ONCE).toReversed()]
      for (const { path, identity } of ordered) void thumbnail(path, pixels, identity)
    },
    thumbnail,
    close(): void {
      isClosed = true
      for (const request of queue.splice(0)) forget(request)
      worker.discard()
    },
  }
}
