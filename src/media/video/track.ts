/** What the tracks of a video have in common: their face, the queue between their stages, and how they run side by side. */
import type { Packet } from 'node-av/lib'

/** One stream of the source on its way into the target. */
export type Track = {
  /** Takes the packet over; waits while the track has enough to do. */
  take(packet: Packet): Promise<void>
  /** No more packets will come. */
  end(): void
  /** Ends when everything that was taken is written. */
  run(): Promise<void>
  /** Makes everything that waits reject with the reason. */
  fail(reason: unknown): void
  /** After `run` has settled. */
  free(): void
}

/**
 * Runs loops that depend on each other. When one fails, `onFailure` must make the others end; only when all have ended,
 * and nothing is in use any more, does the first failure come out.
 */
export async function runAll(
  loops: readonly Promise<void>[],
  onFailure: (reason: unknown) => void,
): Promise<void> {
  let first: { readonly reason: unknown } | undefined
  const watched = loops.map((loop) =>
    loop.catch((reason: unknown) => {
      if (first !== undefined) return
      first = { reason }
      onFailure(reason)
    }),
  )
  await Promise.all(watched)
  if (first !== undefined) throw first.reason
}

/** Hands items from one stage to the next and makes the faster one wait. One producer, one consumer. */
export type BoundedQueue<T> = {
  /** Waits while the queue is full. Rejects once the queue has failed. */
  push(item: T): Promise<void>
  /** The next item, or undefined after the last one. Rejects once the queue has failed. */
  take(): Promise<T | undefined>
  /** No more items will come. */
  end(): void
  /** Wakes and rejects both sides, and gives back what nobody has taken. */
  fail(reason: unknown): readonly T[]
}

type State =
  | { readonly kind: 'open' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly reason: unknown }

export function createBoundedQueue<T>(capacity: number): BoundedQueue<T> {
  const items: T[] = []
  let state: State = { kind: 'open' }
  let wakeProducer: (() => void) | undefined
  let wakeConsumer: (() => void) | undefined

  const wake = (): void => {
    wakeProducer?.()
    wakeConsumer?.()
    wakeProducer = undefined
    wakeConsumer = undefined
  }
  const throwIfFailed = (): void => {
    if (state.kind === 'failed') throw state.reason
  }

  return {
    async push(item) {
      while (items.length >= capacity && state.kind === 'open') {
        await new Promise<void>((resolve) => (wakeProducer = resolve))
      }
      throwIfFailed()
      items.push(item)
      wake()
    },
    async take() {
      while (items.length === 0 && state.kind === 'open') {
        await new Promise<void>((resolve) => (wakeConsumer = resolve))
      }
      throwIfFailed()
      const item = items.shift()
      wake()
      return item
    },
    end() {
      if (state.kind === 'open') state = { kind: 'ended' }
      wake()
    },
    fail(reason) {
      if (state.kind !== 'failed') state = { kind: 'failed', reason }
      wake()
      return items.splice(0)
    },
  }
}
