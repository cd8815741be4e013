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
