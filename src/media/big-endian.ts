/** Writes integers with the most significant byte first, as most formats store them. */

/**
 * Writes an unsigned integer.
 * @param bytes number of bytes: 0 to 6, or 8
 */
export function unsigned(value: number, bytes: number): Buffer {
  const written = Buffer.alloc(bytes)
  if (bytes === 8) written.writeBigUInt64BE(BigInt(value))
  else if (bytes > 0) written.writeUIntBE(value, 0, bytes)
  return written
}

const list =
  (bytes: number) =>
  (...values: readonly number[]): Buffer =>
    Buffer.concat(values.map((value) => unsigned(value, bytes)))

export const uint16 = list(2)
export const uint32 = list(4)

export function int32(...values: readonly number[]): Buffer {
  const written = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) written.writeInt32BE(value, 4 * index)
  return written
}
