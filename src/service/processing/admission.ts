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

type Waiting = {
  readonly need: Need
  readonly start: () => void
  readonly onShort: (isShort: boolean) => void
  /** Whether only memory is short for it. */
  isShort: boolean
}

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

  /**
   * Returns which resource is too scarce to run an operation alongside the running ones; undefined if it fits. A single operation always
   * fits.
   */
  function lackOf(need: Need): 'cores' | 'memory' | undefined {
    if (running.size === 0) {
      mostBytes = memory()
      return undefined
    }
    const all = [...running, need]
    if (all.some(({ isAlone }) => isAlone)) return 'memory'
    if (sumOf(all.map((one) => one.cores)) > cores) return 'cores'
    const available = memory()
    // Since the first operation started, other programs may have freed memory or allocated more.
    mostBytes = Math.max(mostBytes, available)
    const fits = sumOf(all.map(({ bytes }) => bytes)) <= mostBytes && need.bytes <= available
    return fits ? undefined : 'memory'
  }

  /**
   * Returns the operation that starts next. Photos don't wait for videos, which take much longer. All operations belong to one job, so a
   * video waits only for the photos of the same job, even if new jobs arrive all the time.
   */
  function first(): Waiting | undefined {
    const alone = waiting.find(({ need }) => need.isAlone)
    return alone ?? waiting.find(({ need }) => need.kind === 'image') ?? waiting[0]
  }

  function tell(place: Waiting, isShort: boolean): void {
    if (place.isShort === isShort) return
    place.isShort = isShort
    place.onShort(isShort)
  }

  function admit(): void {
    clearTimeout(recheck)
    if (isHeld) return
    for (let next = first(); next !== undefined; next = first()) {
      if (lackOf(next.need) !== undefined) break
      if (next.need.isAlone) onAlone()
      running.add(next.need)
      waiting.splice(waiting.indexOf(next), 1)
      tell(next, false)
      next.start()
    }
    for (const place of waiting) tell(place, lackOf(place.need) === 'memory')
    if (waiting.length > 0) recheck = setTimeout(admit, RECHECK_MS).unref()
  }

  return {
    /**
     * Waits until an operation fits.
     * @param onShort called when the operation starts or stops waiting only for memory, not for cores
     * @returns a function to call when the operation has ended
     * @throws `signal.reason` if it was stopped before it started
     */
    async enter(need: Need, signal: AbortSignal, onShort: Waiting['onShort']): Promise<() => void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const place = { need, start: resolve, onShort, isShort: false }
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
