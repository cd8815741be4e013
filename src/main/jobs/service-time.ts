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
