/**
 * Reads the headers of a draft's files to determine, before the job starts, what their results will lose. Runs only while the user can see
 * the losses.
 */
import type { Log } from '../../node/log.ts'
import { messageOf } from '../../node/errors.ts'
import {
  contentsOf,
  type FileContents,
  type ForeseenFile,
  type Foresight,
  NOTHING_FORESEEN,
} from '../../shared/loss/foreseen.ts'
import { createChooser, keyOf, type SizedFile } from './choose-samples.ts'
import type { EstimateInput } from './estimator.ts'

export type Foreseer = ReturnType<typeof createForeseer>

/** The maximum number of files per kind. If there are more, a selection of all formats and sizes is read. */
const MOST_FILES = 250

export function createForeseer(options: {
  /** Returns the files and the settings that apply now; undefined if nothing can be read. */
  readonly input: () => EstimateInput | undefined
  /** Reads one header. Rejects if reading was stopped. */
  readonly readFile: (file: SizedFile, signal: AbortSignal) => Promise<Foresight>
  readonly onChange: () => void
  readonly log: Log
}) {
  const { input, readFile, onChange, log } = options
  let isVisible = false
  let isClosed = false
  let key = ''
  const choose = createChooser()
  let known = new Map<string, Foresight>()
  let running: Promise<void> = Promise.resolve()
  let current: AbortController | undefined

  /** Returns the files to read, and forgets what was found with other settings. */
  function filesNow(): readonly SizedFile[] {
    const now = input()
    // Variations differ from their original on purpose.
    if (now === undefined || now.variations > 1) return []
    if (now.key !== key) {
      key = now.key
      known = new Map()
    }
    return choose(now.files, MOST_FILES)
  }

  async function readAll(): Promise<void> {
    for (;;) {
      const file = isVisible && !isClosed ? filesNow().find((one) => !known.has(keyOf(one))) : undefined
      if (file === undefined) return
      await read(file)
    }
  }

  async function read(file: SizedFile): Promise<void> {
    const wanted = key
    const { signal } = (current = new AbortController())
    let foresight = NOTHING_FORESEEN
    try {
      foresight = await readFile(file, signal)
    } catch (error) {
      if (!signal.aborted) log('header not read', { error: messageOf(error) })
    }
    if (signal.aborted || wanted !== key) return
    known.set(keyOf(file), foresight)
    if (foresight.losses.length > 0 || contentsIn(file).length > 0) onChange()
  }

  function contentsIn(file: SizedFile): readonly FileContents[] {
    const { holds, losses } = known.get(keyOf(file)) ?? NOTHING_FORESEEN
    return contentsOf(file.path, holds, losses)
  }

  function begin(): void {
    running = running.then(readAll)
  }

  return {
    setVisible(next: boolean): void {
      isVisible = next
      if (next) begin()
      else current?.abort()
    },
    /** Call this when the input may have changed. */
    refresh(): void {
      if (isVisible) begin()
    },
    /** Returns the files that are known to lose something. */
    found: (): readonly ForeseenFile[] =>
      filesNow().flatMap((file) => {
        const { losses } = known.get(keyOf(file)) ?? NOTHING_FORESEEN
        return losses.length === 0 ? [] : [{ path: file.path, losses }]
      }),
    /** Returns the pages, chapters and HDR of files that have been read. */
    contents: (): readonly FileContents[] => filesNow().flatMap(contentsIn),
    /** Resolves when there is nothing left to read. */
    whenIdle: (): Promise<void> => running,
    close(): void {
      isClosed = true
      current?.abort()
    },
  }
}
