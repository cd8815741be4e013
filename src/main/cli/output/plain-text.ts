/** Text of others on a terminal: without what could move the cursor, recolour, or turn the reading direction. */
export const plain = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�')

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

export function inBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

/** ms as `7 s`, `1 min 5 s`, `2 h 3 min`. */
export function inTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`
