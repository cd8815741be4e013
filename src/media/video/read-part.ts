import type { FileHandle } from 'node:fs/promises'

/** @throws RangeError if the file ends before the part does */
export async function readPart(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
  if (bytesRead < length) throw new RangeError('The file ends early')
  return buffer
}

/** @returns undefined after any RangeError: the file ends early, or its structure is invalid */
export const unlessCutOff = <Found>(read: () => Promise<Found>): Promise<Found | undefined> =>
  read().catch((error: unknown) => {
    if (error instanceof RangeError) return undefined
    throw error
  })
