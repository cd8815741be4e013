import type { FileHandle } from 'node:fs/promises'
import { endsEarly } from '../node/memory-limit.ts'

/** Reads bytes of a file, and fewer than wanted at its end. */
export async function readUpTo(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** @throws RangeError if the file ends before the part does */
export async function readPart(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const part = await readUpTo(file, at, length)
  if (part.length < length) throw new RangeError('The file ends early')
  return part
}

/** @returns undefined after any RangeError: the file ends early, or its structure is invalid */
export const unlessCutOff = <Found>(read: () => Promise<Found>): Promise<Found | undefined> =>
  read().catch((error: unknown) => {
    if (endsEarly(error)) return undefined
    throw error
  })
