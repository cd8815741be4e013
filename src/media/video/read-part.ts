import type { FileHandle } from 'node:fs/promises'

/** @throws RangeError if the file ends before */
export async function readPart(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
  if (bytesRead < length) throw new RangeError('The file ends early')
  return buffer
}
