/**
 * Paths that arrive become files of a draft. One arrival after the other, in the order in which they came; the state shows
 * how far it is, and asks before it takes a very large folder.
 */
import type { IntakeProgress } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { gather, type GatherAnswer } from './index.ts'

export type Gathered = {
  readonly items: readonly MediaItem[]
  readonly rejected: readonly RejectedItem[]
}

export type TakeInDeps = {
  /** Paths that are there already. */
  readonly already: () => readonly string[]
  readonly show: (progress: IntakeProgress | null) => void
  /** More files than this are taken only after a question. */
  readonly cap?: number
}

export interface TakeIn {
  /** @param onBatch called as files are found, so that a long list grows under the eyes */
  gather(paths: readonly string[], onBatch?: (batch: Gathered) => void): Promise<Gathered>
  answer(answer: GatherAnswer): void
  stop(): void
}

export function createTakeIn({ already, show, cap }: TakeInDeps): TakeIn {
  let last: Promise<unknown> = Promise.resolve()
  let stopping = new AbortController()
  let asked: ((answer: GatherAnswer) => void) | undefined

  async function run(
    paths: readonly string[],
    signal: AbortSignal,
    onBatch?: (batch: Gathered) => void,
  ): Promise<Gathered> {
    const items: MediaItem[] = []
    const rejected: RejectedItem[] = []
    const ask = () =>
      new Promise<GatherAnswer>((resolve) => {
        asked = resolve
        signal.addEventListener('abort', () => resolve('stop'), { once: true })
      })
    try {
      const limits = cap === undefined ? {} : { cap }
      for await (const batch of gather(paths, { signal, ask, already: already(), ...limits })) {
        items.push(...batch.items)
        rejected.push(...batch.rejected)
        onBatch?.(batch)
        show(batch.progress)
      }
    } finally {
      asked = undefined
      show(null)
    }
    return { items, rejected }
  }

  return {
    gather(paths, onBatch) {
      const { signal } = stopping
      const next = last.then(() => run(paths, signal, onBatch))
      last = next.catch(() => {})
      return next
    },
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
