/** Builds a box of an ISO base media file (ISO/IEC 14496-12, 4.2), with a long length only if necessary. */
export function makeBox(type: string, ...content: readonly Buffer[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0)
  const isLong = length + 8 >= 2 ** 32
  const head = Buffer.alloc(isLong ? 16 : 8)
  head.writeUInt32BE(isLong ? 1 : length + 8, 0)
  head.write(type, 4, 'latin1')
  if (isLong) head.writeBigUInt64BE(BigInt(length + 16), 8)
  return Buffer.concat([head, ...content])
}
