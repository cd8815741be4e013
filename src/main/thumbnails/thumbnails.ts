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
  preview(path: string): Promise<Picture | undefined>
  close(): void
}

export type ThumbnailsOptions = {
  readonly startWorker: () => PictureWorker
  /** ms that one picture may take; a decoder that hangs is ended. */
  readonly patience?: number
  readonly setTimer: (run: () => void, ms: number) => NodeJS.Timeout
}

const PREVIEW_PIXELS = 1_600
const PATIENCE_MS = 20_000
/** Thumbnails of a few screens; of the large ones, those that are compared to and fro. The page keeps copies too. */
const REMEMBERED = { cover: 600, inside: 6 } as const
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

type Made = Map<string, Promise<Picture | undefined>>

export function createThumbnails({
  startWorker,
  patience = PATIENCE_MS,
  setTimer,
}: ThumbnailsOptions): Thumbnails {
  const made: Record<ThumbnailRequest['fit'], Made> = { cover: new Map(), inside: new Map() }
  const line: Wish[] = []
  let worker: PictureWorker | undefined
  let current: Wish | undefined
  let timer: NodeJS.Timeout | undefined
  let nextId = 1

  function pictureOf(
    path: string,
    pixels: number,
    fit: ThumbnailRequest['fit'],
  ): Promise<Picture | undefined> {
    const key = `${pixels} ${path}`
    const known = made[fit].get(key)
    if (known !== undefined) return known
    const wished = new Promise<Picture | undefined>((resolve) => {
      line.push({ key, resolve, request: { id: nextId++, path, pixels, fit }, endings: 0 })
      for (const dropped of line.splice(0, Math.max(0, line.length - LONGEST_LINE))) forget(dropped)
    })
    remember(fit, key, wished)
    makeNext()
    return wished
  }

  function remember(fit: ThumbnailRequest['fit'], key: string, picture: Promise<Picture | undefined>): void {
    made[fit].set(key, picture)
    const oldest = made[fit].keys().next()
    if (made[fit].size > REMEMBERED[fit] && oldest.done !== true) made[fit].delete(oldest.value)
  }

  /** It can be asked for again. */
  function forget({ key, request, resolve }: Wish): void {
    made[request.fit].delete(key)
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
    thumbnail: (path, pixels) => pictureOf(path, pixels, 'cover'),
    preview: (path) => pictureOf(path, PREVIEW_PIXELS, 'inside'),
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
