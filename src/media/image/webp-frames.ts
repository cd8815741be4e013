import type { FileHandle } from 'node:fs/promises'

/** Counts the frames of a WebP file, and stops after `most`. libwebp searches a list of all frames for each one. */
export async function countWebpFrames(file: FileHandle, most: number): Promise<number> {
  const head = Buffer.alloc(8)
  let frames = 0
  let parts = 0
  for (let at = 12; frames <= most && parts <= 2 * most; parts++) {
    const { bytesRead } = await file.read(head, 0, head.length, at)
    if (bytesRead < head.length) break
    if (head.toString('latin1', 0, 4) === 'ANMF') frames++
    const size = head.readUInt32LE(4)
    at += head.length + size + (size % 2)
  }
  return frames
}

export const looksLikeWebp = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'
