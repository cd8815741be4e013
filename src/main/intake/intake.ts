/**
 * Adds files from incoming paths to a draft, one request at a time, in order. The state shows the progress. If a request contains more
 * files than the cap, the user is asked before the rest is added.
 */
import { createTurns } from '../../node/serial-queue.ts'
import type { IntakeProgress } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { findMedia, type FindAnswer } from './find-media.ts'

export type FoundMedia = {
  readonly items: readonly MediaItem[]
  readonly rejected: readonly RejectedItem[]
}

export type IntakeTarget = {
  /** Returns paths that are already present. */
  paths(): readonly string[]
  add(items: readonly MediaItem[], rejected: readonly RejectedItem[]): void
}

export type Added = { readonly taken: number; readonly refused: number }

export type Intake = ReturnType<typeof createIntake>

export function createIntake(options: {
  readonly into: IntakeTarget
  readonly onProgress: (progress: IntakeProgress | null) => void
  readonly onAdded: (added: Added) => void
  /** Maximum number of files to add without asking the user. */
  readonly cap?: number
  /** Whether the service in use processes the formats that only the built-in service processes. */
  readonly takesBuiltInFormats?: () => boolean
}) {
  const { into, onProgress, cap, takesBuiltInFormats } = options
  const inTurn = createTurns()
  let stopping = new AbortController()
  /** The search in progress. */
  let current: AbortController | undefined
  let asked: ((answer: FindAnswer) => void) | undefined

  const stopAsking = () => asked?.('stop')

  async function run(
    paths: readonly string[],
    signal: AbortSignal,
    onBatch?: (batch: FoundMedia) => void,
  ): Promise<FoundMedia> {
    const items: MediaItem[] = []
    const rejected: RejectedItem[] = []
    signal.addEventListener('abort', stopAsking, { once: true })
    const ask = () =>
      new Promise<FindAnswer>((resolve) => {
        asked = resolve
        if (signal.aborted) stopAsking()
      })
    try {
      const limits = {
        ...(cap === undefined ? {} : { cap }),
        takesBuiltInFormats: takesBuiltInFormats?.() ?? true,
      }
      for await (const batch of findMedia(paths, { signal, ask, already: into.paths(), ...limits })) {
        items.push(...batch.items)
        rejected.push(...batch.rejected)
        onBatch?.(batch)
        onProgress(batch.progress)
      }
    } finally {
      signal.removeEventListener('abort', stopAsking)
      asked = undefined
      onProgress(null)
    }
    return { items, rejected }
  }

  /**
   * Finds files, after earlier searches have ended, and returns them to the caller.
   * @param onBatch called while files are being found, so that a long list can be shown gradually
   */
  function findNext(paths: readonly string[], onBatch?: (batch: FoundMedia) => void): Promise<FoundMedia> {
    const all = stopping.signal
    return inTurn(() => {
      current = new AbortController()
      return run(paths, AbortSignal.any([all, current.signal]), onBatch)
    })
  }

  const report = ({ items, rejected }: FoundMedia) =>
    options.onAdded({ taken: items.length, refused: rejected.length })

  return {
    /** Adds the files found under these paths to the target. */
    async add(paths: readonly string[]): Promise<void> {
      if (paths.length > 0) report(await findNext(paths, ({ items, rejected }) => into.add(items, rejected)))
    },
    addFound(found: FoundMedia): void {
      into.add(found.items, found.rejected)
      report(found)
    },
    findMedia: findNext,
    /** Answers the question about many files. `stop` ends the search at any time; files found so far stay. */
    answer(answer: FindAnswer): void {
      if (answer === 'stop') return current?.abort()
      asked?.(answer)
      asked = undefined
    },
    stop(): void {
      stopping.abort()
      stopping = new AbortController()
    },
  }
}
