import { uint32, unsigned } from './big-endian.ts'

/** Builds a box of an ISO base media file (ISO/IEC 14496-12, 4.2), with a long length only if necessary. */
export function makeBox(type: string, ...content: readonly Buffer[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0)
  const name = Buffer.from(type, 'latin1')
  return length + 8 < 2 ** 32
    ? Buffer.concat([uint32(length + 8), name, ...content])
    : Buffer.concat([uint32(1), name, unsigned(length + 16, 8), ...content])
}
