/** Defines the interface of a video's tracks and the queue between stages, and runs tracks in parallel. */
import type { Packet, Stream } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { TargetFile } from './target-file.ts'

/** Processes one stream, from the source file to the target file. */
export type Track = ReturnType<typeof createPacketTrack>

export type TrackSource = {
  readonly source: Stream
  /** The file's first timestamp, in the stream's time base. */
  readonly start: bigint
  readonly target: TargetFile
  readonly metadata: Readonly<Record<string, string>>
  /** Which metadata in the stream itself is kept. */
  readonly wanted: VideoRecipe['metadata']
}

/**
 * A track can't be processed as planned. The video is then converted again, without the track if it can't be decoded, or with encoding or
 * another container if it can't be copied.
 */
export class TrackFailed extends Error {
  readonly index: number
  /** `audioHasGaps`: the container stores no times, so the audio after a gap would play too early. */
  readonly why: 'undecodable' | 'videoNotCopyable' | 'audioNotCopyable' | 'audioHasGaps'
  constructor({ index }: Pick<Stream, 'index'>, why: TrackFailed['why']) {
    super(`Stream ${index} is ${why}`)
    this.index = index
    this.why = why
  }
}

const PACKETS_WAITING = 64

export function createPacketTrack(
  run: (packets: AsyncIterable<Packet>) => Promise<void>,
  free: () => void = () => undefined,
) {
  const packets = createBoundedQueue<Packet>(PACKETS_WAITING)
  return {
    /** Takes ownership of the packet. Waits while the track is busy. */
    take: packets.push,
    end: packets.end,
    /** Resolves when all packets have been written. */
    run: (): Promise<void> => run(packets),
    /** Rejects all waiting calls with the reason. */
    fail(reason: unknown): void {
      for (const packet of packets.fail(reason)) packet.free()
    },
    /** Call this only after the promise of `run` has resolved or rejected. */
    free,
  }
}

/**
 * Waits for loops that depend on each other.
 * When one loop fails, `onFailure` must end the others. Rejects with the first failure, but only after all loops have ended and
 * released their resources.
 */
export async function runAll(
  loops: readonly Promise<unknown>[],
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

export type BoundedQueue<T> = ReturnType<typeof createBoundedQueue<T>>

type State =
  | { readonly kind: 'open' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly reason: unknown }

/**
 * Creates a bounded queue between two stages, which makes the faster stage wait. Supports one producer and one consumer.
 * Iterating takes all items.
 */
export function createBoundedQueue<T>(capacity: number) {
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
  async function take(): Promise<T | undefined> {
    while (items.length === 0 && state.kind === 'open') {
      await new Promise<void>((resolve) => (wakeConsumer = resolve))
    }
    throwIfFailed()
    const item = items.shift()
    wake()
    return item
  }

  return {
    /** Returns the next item, or undefined after the last one. Rejects once the queue has failed. */
    take,
    async *[Symbol.asyncIterator](): AsyncGenerator<T> {
      for (let item = await take(); item !== undefined; item = await take()) yield item
    },
    /** Waits while the queue is full. Rejects once the queue has failed. */
    push: async (item: T): Promise<void> => {
      while (items.length >= capacity && state.kind === 'open') {
        await new Promise<void>((resolve) => (wakeProducer = resolve))
      }
      throwIfFailed()
      items.push(item)
      wake()
    },
    end: (): void => {
      if (state.kind === 'open') state = { kind: 'ended' }
      wake()
    },
    /** Rejects calls on both sides and returns the remaining items. */
    fail(reason: unknown): readonly T[] {
      if (state.kind !== 'failed') state = { kind: 'failed', reason }
      wake()
      return items.splice(0)
    },
  }
}
