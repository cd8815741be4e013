/**
 * Small pictures of photos and videos, made in a process of their own and only when they are about to be seen. What was asked
 * for last is made first: that is what is on the screen.
 */
export type Picture = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

/** A worker that makes one picture at a time; it ends by itself when it was not needed for a while. */
export type PictureWorker = {
  send(request: PictureRequest): void
  onAnswer(listener: (answer: PictureAnswer) => void): void
  onExit(listener: () => void): void
  kill(): void
}

export type PictureRequest = {
  readonly id: number
  readonly path: string
  /** The longest side, in pixels. */
  readonly pixels: number
  /** `cover` is square and cut; `inside` shows everything. */
  readonly fit: 'cover' | 'inside'
}

export type PictureAnswer = { readonly id: number; readonly webp: Uint8Array | null }

export interface Pictures {
  /** @returns undefined when there is nothing to show */
  thumbnail(path: string, pixels: number): Promise<Picture | undefined>
  preview(path: string): Promise<Picture | undefined>
  close(): void
}

export type PicturesOptions = {
  readonly startWorker: () => PictureWorker
  /** ms that one picture may take; a decoder that hangs is ended. */
  readonly patience?: number
  readonly setTimer: (run: () => void, ms: number) => NodeJS.Timeout
}

const PREVIEW_PIXELS = 1_600
const PATIENCE_MS = 20_000
/** Thumbnails of a few screens; the page keeps its own copies too. */
const REMEMBERED = 600
/** What scrolled by long ago is not worth making. */
const LONGEST_LINE = 120

type Wish = {
  readonly key: string
  readonly request: PictureRequest
  readonly resolve: (picture: Picture | undefined) => void
}

export function createPictures({ startWorker, patience = PATIENCE_MS, setTimer }: PicturesOptions): Pictures {
  const made = new Map<string, Promise<Picture | undefined>>()
  const line: Wish[] = []
  let worker: PictureWorker | undefined
  let current: Wish | undefined
  let timer: NodeJS.Timeout | undefined
  let nextId = 1

  function pictureOf(path: string, pixels: number, fit: PictureRequest['fit']): Promise<Picture | undefined> {
    const key = `${fit} ${pixels} ${path}`
    const known = made.get(key)
    if (known !== undefined) return known
    const wished = new Promise<Picture | undefined>((resolve) => {
      line.push({ key, resolve, request: { id: nextId++, path, pixels, fit } })
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
    timer = setTimer(() => worker?.kill(), patience)
    worker.send(current.request)
  }

  function follow(started: PictureWorker): PictureWorker {
    started.onAnswer(({ id, webp }) => {
      if (current?.request.id !== id) return
      settle(webp === null ? undefined : { type: 'image/webp', bytes: new Uint8Array(webp) })
    })
    started.onExit(() => {
      if (worker !== started) return
      worker = undefined
      settle(undefined)
    })
    return started
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
      for (const wish of line.splice(0)) forget(wish)
      const ended = worker
      worker = undefined
      clearTimeout(timer)
      ended?.kill()
    },
  }
}
