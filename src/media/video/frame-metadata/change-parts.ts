export type Change = {
  readonly from: number
  readonly to: number
  /** What replaces the part; undefined removes it. */
  readonly by?: Buffer
}

/** Returns whether the recipe keeps text that a program or a user has added. */
export type KeepsText = (content: Buffer) => boolean

/**
 * Removes or replaces parts of the bytes.
 * @param changes in the order of the bytes
 * @returns the same buffer if there are no changes
 */
export function changeParts(bytes: Buffer, changes: Iterable<Change>): Buffer {
  const kept: Buffer[] = []
  let done = 0
  for (const { from, to, by } of changes) {
    kept.push(bytes.subarray(done, from))
    if (by !== undefined) kept.push(by)
    done = to
  }
  return done === 0 && kept.length === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(done)])
}

/** Removes the zeros that may follow every part, for example before a start code. */
export function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length
  while (bytes[end - 1] === 0) end -= 1
  return bytes.subarray(0, end)
}
