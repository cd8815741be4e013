/**
 * Small pictures of photos and videos, made in a process of their own and only when they are about to be seen. What was asked
 * for last is made first: that is what is on the screen. The process is started as soon as files are expected, because its start
 * takes longer than a picture.
 */
import type { ThumbnailRequest } from '../../media/protocol.ts'
import type { PictureWorker } from '../../media/start-worker.ts'

export type Picture = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

export interface Thumbnails {
  /** Files are about to come, such as those of a drag that has entered the window. */
  prepare(): void
  /** Has pictures made that will be asked for in a moment; the first first. */
  foresee(paths: readonly string[], pixels: number): void
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
/** Most of a picture keeps one core busy. */
const AT_ONCE = 2
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
  timer?: NodeJS.Timeout
}

export function createThumbnails({
  startWorker,
  patience = PATIENCE_MS,
  setTimer,
}: ThumbnailsOptions): Thumbnails {
  const made = new Map<string, Promise<Picture | undefined>>()
  const line: Wish[] = []
  /** By the ids of their requests. */
  const current = new Map<number, Wish>()
  let worker: PictureWorker | undefined
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
    for (let wish = nextWish(); wish !== undefined; wish = nextWish()) {
      const begun = wish
      current.set(begun.request.id, begun)
      begun.timer = setTimer(() => giveUp(begun), patience)
      prepare()
      worker?.send(begun.request)
    }
  }

  /** One that a worker has ended with is made alone, so that no other has to pay for it. */
  function nextWish(): Wish | undefined {
    const next = line.at(-1)
    if (next === undefined || current.size >= AT_ONCE) return undefined
    const isSuspect = [next, ...current.values()].some(({ endings }) => endings > 0)
    return isSuspect && current.size > 0 ? undefined : line.pop()
  }

  function prepare(): void {
    worker ??= follow(startWorker())
  }

  /** Which of two keeps a worker from answering shows when each of them is made alone. */
  function giveUp(wish: Wish): void {
    if (current.size === 1) wish.endings = MOST_ENDINGS
    worker?.kill()
  }

  function follow(started: PictureWorker): PictureWorker {
    started.onMessage(({ id, webp }) => {
      const wish = current.get(id)
      if (wish === undefined) return
      settle(wish, webp === null ? undefined : { type: 'image/webp', bytes: new Uint8Array(webp) })
      makeNext()
    })
    started.onExit(() => {
      if (worker !== started) return
      worker = undefined
      for (const wish of current.values()) tryAgain(wish)
      makeNext()
    })
    return started
  }

  function tryAgain(wish: Wish): void {
    wish.endings += 1
    if (wish.endings >= MOST_ENDINGS) return settle(wish, undefined)
    clearTimeout(wish.timer)
    current.delete(wish.request.id)
    line.push(wish)
  }

  function settle(wish: Wish, picture: Picture | undefined): void {
    clearTimeout(wish.timer)
    current.delete(wish.request.id)
    wish.resolve(picture)
  }

  return {
    prepare,
    foresee(paths, pixels) {
      // Whatever is asked for while others are being made waits, the last one for the shortest time.
      const inTurn = [...paths.slice(0, AT_ONCE), ...paths.slice(AT_ONCE).toReversed()]
      for (const path of inTurn) void thumbnail(path, pixels)
    },
    thumbnail,
    close() {
      const unmade = [...current.values(), ...line.splice(0)]
      const ended = worker
      current.clear()
      worker = undefined
      for (const wish of unmade) {
        clearTimeout(wish.timer)
        forget(wish)
      }
      ended?.kill()
    },
  }
}
