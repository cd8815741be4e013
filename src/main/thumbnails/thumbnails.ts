/**
 * Small pictures of photos and videos, made in a process of their own and only when they are about to be seen. What was asked
 * for last is made first: that is what is on the screen.
 */
import type { ThumbnailRequest } from '../../media/protocol.ts'
import type { PictureWorker } from '../../media/start-worker.ts'

export type Picture = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

export interface Thumbnails {
  /** @returns undefined when there is nothing to show */
  thumbnail(path: string, pixels: number): Promise<Picture | undefined>
  close(): void
}

export type ThumbnailsOptions = {
  readonly startWorker: () => PictureWorker
  /** ms that one picture may take; a decoder that hangs is ended. */
  readonly patience?: number
  readonly setTimer: (run: () => void, ms: number) => NodeJS.Timeout
}

const PATIENCE_MS = 20_000
/** Those of a few screens. The page keeps copies too. */
const REMEMBERED = 600
/** A worker that was idle may leave just when it is asked: that is no fault of the file. */
const MOST_ENDINGS = 2
/** What scrolled by long ago is not worth making. */
const LONGEST_LINE = 120

type Wish = {
  readonly key: string
  readonly request: ThumbnailRequest
  readonly resolve: (picture: Picture | undefined) => void
  /** How many workers have ended with it. */
  endings: number
}

export function createThumbnails({
  startWorker,
  patience = PATIENCE_MS,
  setTimer,
}: ThumbnailsOptions): Thumbnails {
  const made = new Map<string, Promise<Picture | undefined>>()
  const line: Wish[] = []
  let worker: PictureWorker | undefined
  let current: Wish | undefined
  let timer: NodeJS.Timeout | undefined
  let nextId = 1

  function thumbnail(path: string, pixels: number): Promise<Picture | undefined> {
    const key = `${pixels} ${path}`
    const known = made.get(key)
    if (known !== undefined) return known
    const wished = new Promise<Picture | undefined>((resolve) => {
      line.push({ key, resolve, request: { id: nextId++, path, pixels }, endings: 0 })
      for (const dropped of line.splice(0, Math.max(0, line.length - LONGEST_LINE))) forget(dropped)
    })
    remember(key, wished)
    makeNext()
    return wished
  }

  function remember(key: string, picture: Promise<Picture | undefined>): void {
    made.set(key, picture)
    const oldest = made.keys().next()
    if (made.size > REMEMBERED && oldest.done !== true) made.delete(oldest.value)
  }

  /** It can be asked for again. */
  function forget({ key, resolve }: Wish): void {
    made.delete(key)
    resolve(undefined)
  }

  function makeNext(): void {
    if (current !== undefined) return
    current = line.pop()
    if (current === undefined) return
    worker ??= follow(startWorker())
    timer = setTimer(giveUp, patience)
    worker.send(current.request)
  }

  function giveUp(): void {
    if (current !== undefined) current.endings = MOST_ENDINGS
    worker?.kill()
  }

  function follow(started: PictureWorker): PictureWorker {
    started.onMessage(({ id, webp }) => {
      if (current?.request.id !== id) return
      settle(webp === null ? undefined : { type: 'image/webp', bytes: new Uint8Array(webp) })
    })
    started.onExit(() => {
      if (worker !== started) return
      worker = undefined
      tryAgain()
    })
    return started
  }

  function tryAgain(): void {
    if (current === undefined) return
    current.endings += 1
    if (current.endings >= MOST_ENDINGS) return settle(undefined)
    clearTimeout(timer)
    line.push(current)
    current = undefined
    makeNext()
  }

  function settle(picture: Picture | undefined): void {
    clearTimeout(timer)
    current?.resolve(picture)
    current = undefined
    makeNext()
  }

  return {
    thumbnail,
    close() {
      const unmade = current === undefined ? line.splice(0) : [current, ...line.splice(0)]
      const ended = worker
      current = undefined
      worker = undefined
      clearTimeout(timer)
      for (const wish of unmade) forget(wish)
      ended?.kill()
    },
  }
}
