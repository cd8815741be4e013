const HAS_ZONE = /(?:z|[+-]\d\d:?\d\d)$/i

/** Seconds have had ten digits since 2001 and will until 2286; milliseconds have three more. */
const EPOCH = /^(\d{10})(\d{3})?(?:\.\d+)?$/

/**
 * A timestamp of the service, whose format is not specified (section 2), in ms since 1970.
 *
 * `exact` is false where the text names no zone: it may then be off by some hours, which is good enough for comparing two
 * timestamps of one service and for nothing else.
 */
export function readServiceTime(text: string): { readonly at: number; readonly exact: boolean } | null {
  const trimmed = text.trim()
  const epoch = EPOCH.exec(trimmed)
  if (epoch) return { at: Number(trimmed) * (epoch[2] === undefined ? 1000 : 1), exact: true }
  const at = Date.parse(trimmed)
  return Number.isNaN(at) ? null : { at, exact: HAS_ZONE.test(trimmed) }
}

/** Both texts mean the same moment, or at least are the same text. */
export function isSameServiceTime(one: string, other: string): boolean {
  if (one === other) return true
  const [a, b] = [readServiceTime(one), readServiceTime(other)]
  return a !== null && b !== null && Math.abs(a.at - b.at) < 1000
}

/** A creation this long after our acceptance is not our job; clocks of one computer don't differ by as much. */
const REUSED_AFTER_MS = 5 * 60 * 1000

/**
 * Whether a job of the same id is the one that was accepted. A service that restarts may number anew (section 1), so an id is
 * half a name, and the creation, in the service's own words, is the other half.
 *
 * @param accepted `createdAt` is null until the job has been read once; `acceptedAt` in ms since 1970
 */
export function isAcceptedJob(
  accepted: { readonly createdAt: string | null; readonly acceptedAt: number | null },
  createdAt: string,
): boolean {
  if (accepted.createdAt !== null) return isSameServiceTime(accepted.createdAt, createdAt)
  const created = readServiceTime(createdAt)
  if (accepted.acceptedAt === null || created?.exact !== true) return true
  return created.at < accepted.acceptedAt + REUSED_AFTER_MS
}
