/**
 * Notices copied images in automatic mode. Electron doesn't report changes, so this polls the clipboard twice a second. Reading the
 * names of formats is cheap. Reading an image isn't, because another app may have to encode it for each reader.
 */
import { messageOf } from '../../../node/errors.ts'
import type { Timing } from '../../../node/timing.ts'
import {
  bytesIn,
  copiedIn,
  markIn,
  mayBeAutomatic,
  printOf,
  type ReadableClipboard,
  typesIn,
} from './copied.ts'
import { IMAGE } from './formats.ts'

export type ClipboardWatchOptions = {
  readonly clipboard: ReadableClipboard
  readonly after: Timing['after']
  /** In ms, never goes backward. */
  readonly elapsed: () => number
  /**
   * Processes the image with this print. Resolves when its result is on the clipboard, or when there won't be one. Called once for
   * each copied image.
   */
  readonly onImage: (print: string) => Promise<void>
  readonly log: (message: string) => void
}

export type ClipboardWatch = ReturnType<typeof watchClipboard>

const INTERVAL_MS = 500
/**
 * The pause before an unchanged image is read again, as a multiple of the duration of a read. Reading takes at most 2% of a core unless the
 * pause is at its maximum.
 */
const REST = 50
/** Maximum pause in ms. Even on a busy computer, the next screenshot must not wait longer. */
const LONGEST_REST_MS = 10_000

export function watchClipboard(options: ClipboardWatchOptions) {
  const { clipboard, after, elapsed, log } = options
  let round = 0
  let cancel: (() => void) | undefined

  /** Starts or stops watching. What is on the clipboard when watching starts isn't processed. */
  function setOn(isOn: boolean): void {
    if (isOn === (cancel !== undefined)) return
    cancel?.()
    cancel = undefined
    round += 1
    if (isOn) follow(round, createComparison(options))
  }

  function follow(own: number, comparison: ReturnType<typeof createComparison>): void {
    const lookAgain = async (): Promise<void> => {
      try {
        const print = await comparison.newImage()
        if (print !== undefined) {
          await options.onImage(print)
          await comparison.noteResult()
        }
      } catch (error) {
        log(`could not read the clipboard: ${messageOf(error)}`)
      }
      if (own === round) cancel = after(INTERVAL_MS, () => void lookAgain())
    }
    cancel = () => {}
    void lookAgain()
  }

  return { setOn, close: (): void => setOn(false) }

  function createComparison({ clipboard: board }: Pick<ClipboardWatchOptions, 'clipboard'>) {
    /** The print of the last content; undefined at first, '' if it wasn't an image that automatic mode may process. */
    let seen: string | undefined
    /** The print of Mediatray's last result. A clipboard manager may drop the mark from it, but not the image. */
    let ownImage: string | undefined
    let types = ''
    let readAt = Number.NEGATIVE_INFINITY

    async function newImage(): Promise<string | undefined> {
      const items = await board.read()
      const before = types
      types = typesIn(items).join('\n')
      if (!mayBeAutomatic(items)) {
        seen = ''
        return undefined
      }
      if (types === before && elapsed() < readAt) return undefined
      const start = elapsed()
      const print = printOf(await copiedIn(items))
      readAt = elapsed() + Math.min(LONGEST_REST_MS, REST * (elapsed() - start))
      const isNew = seen !== undefined && print !== seen && print !== ownImage && print !== ''
      seen = print
      return isNew ? print : undefined
    }

    async function noteResult(): Promise<void> {
      const items = await clipboard.read()
      if ((await markIn(items)) === undefined) return
      ownImage = printOf({ kind: 'image', bytes: await bytesIn(items, IMAGE) })
    }

    return { newImage, noteResult }
  }
}
