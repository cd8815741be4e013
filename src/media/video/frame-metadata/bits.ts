/** Reads and empties fields that don't begin at a byte boundary. */

export type Bits = ReturnType<typeof createBits>

/** @param start in bytes */
export function createBits(bytes: Buffer, start: number) {
  let at = start * 8
  let changed: Buffer | undefined
  const bitAt = (place: number): number => ((bytes[place >> 3] ?? 0xff) >> (7 - (place & 7))) & 1
  const peek = (count: number): number => {
    let value = 0
    for (let place = at; place < at + count; place++) value = value * 2 + bitAt(place)
    return value
  }
  return {
    /** Bits from the start of the buffer. */
    at: (): number => at,
    peek,
    /** Reads bits. Bits after the end read as ones. */
    take(count: number): number {
      const value = peek(count)
      at += count
      return value
    },
    skip: (count: number): void => void (at += count),
    align: (): void => void (at = Math.ceil(at / 8) * 8),
    /** Sets this number of bytes from here to zero, and skips them. */
    empty(count: number): void {
      const end = Math.min(at + 8 * count, 8 * bytes.length)
      for (; at < end; at++)
        if (bitAt(at) === 1) {
          changed ??= Buffer.from(bytes)
          changed[at >> 3] = (changed[at >> 3] ?? 0) & ~(1 << (7 - (at & 7)))
        }
    },
    /** Returns the changed bytes; the same buffer if everything was zero before. */
    changed: (): Buffer => changed ?? bytes,
  }
}
