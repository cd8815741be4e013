import { setImmediate as nextTick } from 'node:timers/promises'

/** How long work on many items may block the event loop, in ms. */
const SLICE_MS = 20

/** Visits all items. Lets everything else in the process run from time to time, for example other commands. */
export async function forEachInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  let began = performance.now()
  for (const item of items) {
    if (performance.now() - began >= SLICE_MS) {
      await nextTick()
      began = performance.now()
    }
    visit(item)
  }
}
