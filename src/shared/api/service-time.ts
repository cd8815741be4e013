const HAS_ZONE = /(?:z|[+-]\d\d:?\d\d)$/i

/** Matches a time since 1970. Seconds have ten digits from 2001 to 2286; milliseconds have three more. */
const EPOCH = /^(\d{10})(\d{3})?(?:\.(\d+))?$/

/** Matches seconds with at least three decimals. */
const FRACTION = /:\d\d[.,]\d{3,}/

export type ServiceTime = {
  /** ms since 1970, on the service's clock. */
  readonly at: number
  /**
   * Whether the text includes its time zone. Without one, the time may be hours off, which matters only in comparison with another
   * clock.
   */
  readonly exact: boolean
  /** Whether the text includes milliseconds. */
  readonly precise: boolean
}

/** Parses a timestamp of the service; null if that fails. Neither its format nor its clock is specified (section 2). */
export function readServiceTime(text: string): ServiceTime | null {
  const trimmed = text.trim()
  const epoch = EPOCH.exec(trimmed)
  if (epoch) {
    const at = Math.floor(Number(trimmed) * (epoch[2] === undefined ? 1000 : 1))
    return { at, exact: true, precise: epoch[2] !== undefined || (epoch[3]?.length ?? 0) >= 3 }
  }
  const at = Date.parse(trimmed)
  return Number.isNaN(at) ? null : { at, exact: HAS_ZONE.test(trimmed), precise: FRACTION.test(trimmed) }
}

/**
 * Returns whether both timestamps represent the same time. If one of them lacks milliseconds, they may differ by less than a second. Texts
 * that can't be parsed must be equal.
 */
export function isSameServiceTime(one: string, other: string): boolean {
  if (one === other) return true
  const [a, b] = [readServiceTime(one), readServiceTime(other)]
  if (a === null || b === null) return false
  return a.precise && b.precise ? a.at === b.at : Math.abs(a.at - b.at) < 1000
}

/**
 * Whether a job ID together with this creation time identifies a single job. That needs milliseconds: no service restarts and creates
 * another job within the same millisecond.
 */
export const namesOneJob = (createdAt: string): boolean => readServiceTime(createdAt)?.precise === true

/** The same event on two clocks: when the service created a job, and when the app received the response. */
export type ClockAnchor = {
  /** As the service wrote it. */
  readonly createdAt: string
  /** ms since 1970, on the app's clock. */
  readonly acceptedAt: number
}

/**
 * Converts a service's timestamp to the app's clock, based on the time since the job's creation. The result is right even if the
 * service's clock is hours off or labels local time as UTC.
 * @returns ms since 1970; null if a text can't be parsed
 */
export function onOurClock(text: string, { createdAt, acceptedAt }: ClockAnchor): number | null {
  const [at, created] = [readServiceTime(text), readServiceTime(createdAt)]
  return at === null || created === null ? null : acceptedAt + (at.at - created.at)
}
