/**
 * Paths that arrive become files of a draft. One arrival after the other, in the order in which they came; the state shows
 * how far it is, and asks before it takes a very large folder.
 */
import type { IntakeProgress } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { findMedia, type FindAnswer } from './find-media.ts'

export type FoundMedia = {
  readonly items: readonly MediaItem[]
  readonly rejected: readonly RejectedItem[]
}

/** Where what is found goes to. */
export type IntakeTarget = {
  /** Paths that are there already. */
  paths(): readonly string[]
  add(items: readonly MediaItem[], rejected: readonly RejectedItem[]): void
}

export type Added = { readonly taken: number; readonly refused: number }

export type IntakeOptions = {
  readonly into: IntakeTarget
  readonly onProgress: (progress: IntakeProgress | null) => void
  /** More files than this are taken only after a question. */
  readonly cap?: number
}

export interface Intake {
  /** Adds what is found under these paths to the target. @returns how many files were taken and how many were not */
  add(paths: readonly string[]): Promise<Added>
  /** Finds files and leaves them to the caller. @param onBatch called as files are found, so that a long list grows under the eyes */
  findMedia(paths: readonly string[], onBatch?: (batch: FoundMedia) => void): Promise<FoundMedia>
  answer(answer: FindAnswer): void
  stop(): void
}

export function createIntake({ into, onProgress, cap }: IntakeOptions): Intake {
  let last: Promise<unknown> = Promise.resolve()
  let stopping = new AbortController()
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
      const limits = cap === undefined ? {} : { cap }
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

  function findNext(paths: readonly string[], onBatch?: (batch: FoundMedia) => void): Promise<FoundMedia> {
    const { signal } = stopping
    const next = last.then(() => run(paths, signal, onBatch))
    last = next.catch(() => {})
    return next
  }

  return {
    async add(paths) {
      const found = await findNext(paths, ({ items, rejected }) => into.add(items, rejected))
      return { taken: found.items.length, refused: found.rejected.length }
    },
    findMedia: findNext,
    answer(answer) {
      asked?.(answer)
      asked = undefined
    },
    stop() {
      stopping.abort()
      stopping = new AbortController()
    },
  }
}
