/** Decides which operations run at the same time: those that fit together in the cores and the memory. */
import type { MediaKind } from '../../shared/media-types.ts'
import { sumOf } from '../../shared/sum.ts'

/** The resources that an operation needs. */
export type Need = {
  readonly kind: MediaKind
  /** At most the number of cores in `createAdmission`. */
  readonly cores: number
  readonly bytes: number
  /** Whether the operation must run alone, because an earlier attempt ran out of memory. */
  readonly isAlone: boolean
}

type Waiting = { readonly need: Need; readonly start: () => void }

export type Admission = ReturnType<typeof createAdmission>

/** How often to check whether other programs have freed memory while an operation waits, in ms. */
const RECHECK_MS = 1_000

/**
 * @param memory returns the bytes that operations may use together
 * @param onAlone called before an operation that must run alone starts
 */
export function createAdmission(cores: number, memory: () => number, onAlone: () => void) {
  const running = new Set<Need>()
  const waiting: Waiting[] = []
  let isHeld = false
  let mostBytes = 0
  let recheck: NodeJS.Timeout | undefined

  /** Whether an operation fits in addition to the running ones. A single operation always fits. */
  function fits(need: Need): boolean {
    if (running.size === 0) {
      mostBytes = memory()
      return true
    }
    const all = [...running, need]
    if (all.some(({ isAlone }) => isAlone)) return false
    if (sumOf(all.map((one) => one.cores)) > cores) return false
    const available = memory()
    // Since the first operation started, other programs may have freed memory or allocated more.
    mostBytes = Math.max(mostBytes, available)
    return sumOf(all.map(({ bytes }) => bytes)) <= mostBytes && need.bytes <= available
  }

  /** Returns the operation that starts next. Photos don't wait for videos, which take much longer. */
  function first(): Waiting | undefined {
    const alone = waiting.find(({ need }) => need.isAlone)
    return alone ?? waiting.find(({ need }) => need.kind === 'image') ?? waiting[0]
  }

  function admit(): void {
    clearTimeout(recheck)
    if (isHeld) return
    for (let next = first(); next !== undefined && fits(next.need); next = first()) {
      if (next.need.isAlone) onAlone()
      running.add(next.need)
      waiting.splice(waiting.indexOf(next), 1)
      next.start()
    }
    if (waiting.length > 0) recheck = setTimeout(admit, RECHECK_MS).unref()
  }

  return {
    /**
     * Waits until an operation fits.
     * @returns a function to call when it has ended
     * @throws `signal.reason` if it was stopped before it started
     */
    async enter(need: Need, signal: AbortSignal): Promise<() => void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const place = { need, start: resolve }
      const leave = () => {
        if (waiting.includes(place)) waiting.splice(waiting.indexOf(place), 1)
        reject(signal.reason)
        admit()
      }
      signal.addEventListener('abort', leave)
      waiting.push(place)
      admit()
      await promise.finally(() => signal.removeEventListener('abort', leave))
      return () => {
        running.delete(need)
        admit()
      }
    },
    /** Pauses or resumes the start of operations. */
    hold(next: boolean): void {
      isHeld = next
      admit()
    },
  }
}
