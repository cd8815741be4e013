import type { FileHandle } from 'node:fs/promises'

/** @throws RangeError if the file ends before the part does */
export async function readPart(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
  if (bytesRead < length) throw new RangeError('The file ends early')
  return buffer
}

/** @returns undefined if the file ends within a part, so its index is damaged */
export const unlessCutOff = <Found>(read: () => Promise<Found>): Promise<Found | undefined> =>
  read().catch((error: unknown) => {
    if (error instanceof RangeError) return undefined
    throw error
  })
