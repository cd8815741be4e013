/** Reads the headers of a draft's files, to tell before the start what their results will lose. Runs only while the user can see that. */
import type { Log } from '../../node/log.ts'
import { messageOf } from '../../node/errors.ts'
import type { ForeseenFile } from '../../shared/loss/foreseen.ts'
import type { Loss } from '../../shared/loss/loss.ts'
import { chooseSamples, type SizedFile } from './choose-samples.ts'
import type { EstimateInput } from './estimator.ts'

export type ForeseerOptions = {
  /** Returns the files and the settings that apply now; undefined if nothing can be read. */
  readonly input: () => EstimateInput | undefined
  /** Reads one header. Rejects if reading was stopped. */
  readonly readFile: (file: SizedFile, signal: AbortSignal) => Promise<readonly Loss[]>
  readonly onChange: () => void
  readonly log: Log
}

export interface Foreseer {
  setVisible(isVisible: boolean): void
  /** Call this when the input may have changed. */
  refresh(): void
  /** Returns the files that are known to lose something. */
  found(): readonly ForeseenFile[]
  /** Resolves when there is nothing left to read. */
  whenIdle(): Promise<void>
  close(): void
}

/** The maximum number of files per kind. Of more files, a selection of all formats and sizes is read. */
const MOST_FILES = 250

export function createForeseer({ input, readFile, onChange, log }: ForeseerOptions): Foreseer {
  let isVisible = false
  let isClosed = false
  let key = ''
  let known = new Map<string, readonly Loss[]>()
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
    return chooseSamples(now.files, MOST_FILES)
  }

  async function readAll(): Promise<void> {
    for (;;) {
      const file = isVisible && !isClosed ? filesNow().find(({ path }) => !known.has(path)) : undefined
      if (file === undefined) return
      await read(file)
    }
  }

  async function read(file: SizedFile): Promise<void> {
    const wanted = key
    const { signal } = (current = new AbortController())
    let losses: readonly Loss[] = []
    try {
      losses = await readFile(file, signal)
    } catch (error) {
      if (!signal.aborted) log('header not read', { error: messageOf(error) })
    }
    if (signal.aborted || wanted !== key) return
    known.set(file.path, losses)
    if (losses.length > 0) onChange()
  }

  function begin(): void {
    running = running.then(readAll)
  }

  return {
    setVisible(next) {
      isVisible = next
      if (next) begin()
      else current?.abort()
    },
    refresh() {
      if (isVisible) begin()
    },
    found: () =>
      filesNow().flatMap(({ path }) => {
        const losses = known.get(path) ?? []
        return losses.length === 0 ? [] : [{ path, losses }]
      }),
    whenIdle: () => running,
    close() {
      isClosed = true
      current?.abort()
    },
  }
}
