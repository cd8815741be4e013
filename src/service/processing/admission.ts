/**
 * Decides which operations run at the same time: those that fit together in the cores and the memory. One of them may use the hardware
 * encoder.
 */
import type { MediaKind } from '../../shared/media-types.ts'
import { sumOf } from '../../shared/sum.ts'

export type Need = {
  readonly kind: MediaKind
  /** At most the number of cores in `createAdmission`. May be a fraction, for example half of seven cores. */
  readonly cores: number
  readonly bytes: number
  /** Whether the operation must run alone, because it lacked memory in an earlier attempt. */
  readonly isAlone: boolean
  /** Additional bytes if the operation may use the hardware encoder; undefined if it can't. */
  readonly hardwareBytes?: number | undefined
}

/** What an operation may use while it runs. */
type Grant = Pick<Need, 'kind' | 'cores' | 'bytes' | 'isAlone'> & {
  /** Whether it may use the hardware encoder, which only one operation at a time may. */
  readonly hasHardware: boolean
  /** The additional bytes for that; 0 without it. */
  readonly trialBytes: number
}

type Waiting = {
  readonly need: Need
  readonly start: (grant: Grant) => void
  readonly onShort: (isShort: boolean) => void
  /** Whether only memory is short for it, as last reported. */
  isShort?: boolean
}

export type Admission = ReturnType<typeof createAdmission>

/** How often to check whether other programs have freed memory while an operation waits, in ms. */
const RECHECK_MS = 1_000
/** By how much fractions that make up all cores may exceed them. */
const ROUNDING_ERROR = 1e-6
/** The fraction of the available memory that operations may use together. */
const SHARE = 0.5

/**
 * @param memory returns the available memory in bytes, without what running operations have allocated so far
 * @param onAlone called before an operation that must run alone starts
 */
export function createAdmission(cores: number, memory: () => number, onAlone: () => void) {
  const running = new Set<Grant>()
  const waiting: Waiting[] = []
  let isHeld = false
  let mostBytes = 0
  let recheck: NodeJS.Timeout | undefined

  const usedBytes = (): number => sumOf([...running].map(({ bytes, trialBytes }) => bytes + trialBytes))

  /**
   * Returns how many bytes operations may use together.
   *
   * What running operations will use and what is available are together at least what was available at first, unless other programs have
   * allocated memory since then. In that case, all memory that the operations may still allocate is left, and as much again for this one.
   */
  function limitWith(available: number): number {
    // Since the first operation started, other programs may have freed memory.
    mostBytes = running.size === 0 ? available : Math.max(mostBytes, available)
    return SHARE * Math.min(mostBytes, usedBytes() + available)
  }

  /**
   * Returns which resource is too scarce to run an operation alongside the running ones; undefined if it fits. A single operation always
   * fits. If this operation or a running one must run alone, memory is too scarce.
   */
  function lackOf(
    need: Pick<Need, 'cores' | 'bytes' | 'isAlone'>,
    available: number,
  ): 'cores' | 'memory' | undefined {
    const most = limitWith(available)
    if (running.size === 0) return undefined
    if (need.isAlone || running.values().some(({ isAlone }) => isAlone)) return 'memory'
    const all = [...running, need]
    if (sumOf(all.map((one) => one.cores)) > cores + ROUNDING_ERROR) return 'cores'
    return usedBytes() + need.bytes <= most ? undefined : 'memory'
  }

  /** Returns what an operation that fits may use. Without the hardware encoder, it encodes in software. */
  function grantOf({ hardwareBytes, ...need }: Need, available: number): Grant {
    const software = { ...need, hasHardware: false, trialBytes: 0 }
    if (hardwareBytes === undefined || running.values().some(({ hasHardware }) => hasHardware))
      return software
    const lack = lackOf({ ...need, bytes: need.bytes + hardwareBytes }, available)
    return lack === undefined ? { ...need, hasHardware: true, trialBytes: hardwareBytes } : software
  }

  /**
   * Returns the operation that starts next: one that must run alone, otherwise a photo, because videos take much longer. All operations
   * belong to one job, so a video waits only for the photos of the same job, even if new jobs arrive all the time.
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

  function startFitting(available: number): void {
    for (let next = first(); next !== undefined; next = first()) {
      if (lackOf(next.need, available) !== undefined) break
      if (next.need.isAlone) onAlone()
      const grant = grantOf(next.need, available)
      running.add(grant)
      waiting.splice(waiting.indexOf(next), 1)
      tell(next, false)
      next.start(grant)
    }
  }

  function admit(): void {
    clearTimeout(recheck)
    if (waiting.length === 0) return
    const available = memory()
    if (!isHeld) startFitting(available)
    for (const place of waiting) tell(place, !isHeld && lackOf(place.need, available) === 'memory')
    if (!isHeld && waiting.length > 0) recheck = setTimeout(admit, RECHECK_MS).unref()
  }

  return {
    /** Returns how many bytes operations may use together, including the running ones. */
    mostBytes: (): number => limitWith(memory()),
    /** Returns how many bytes each video needs, without trials of the hardware encoder: those that run, then those that wait. */
    bytesOfVideos: (): readonly number[] =>
      [...running, ...waiting.map(({ need }) => need)]
        .filter(({ kind }) => kind === 'video')
        .map(({ bytes }) => bytes),
    /**
     * Waits until an operation fits.
     * @param onShort called at first and after each change, with whether the operation waits only for memory, not for cores or a pause
     * @returns whether it may use the hardware encoder, and a function to call when it has ended
     * @throws `signal.reason` if it was stopped before it started
     */
    async enter(need: Need, signal: AbortSignal, onShort: Waiting['onShort']) {
      const { promise, resolve, reject } = Promise.withResolvers<Grant>()
      const place: Waiting = { need, start: resolve, onShort }
      const leave = () => {
        if (waiting.includes(place)) waiting.splice(waiting.indexOf(place), 1)
        reject(signal.reason)
        admit()
      }
      signal.addEventListener('abort', leave)
      waiting.push(place)
      admit()
      const grant = await promise.finally(() => signal.removeEventListener('abort', leave))
      return {
        hasHardware: grant.hasHardware,
        leave: () => {
          running.delete(grant)
          admit()
        },
      }
    },
    /** Pauses or resumes the start of operations. */
    hold(next: boolean): void {
      isHeld = next
      admit()
    },
  }
}
