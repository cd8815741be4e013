/** Finds XMP in MP4 and QuickTime files, where editing programs keep ratings, authors and places. FFmpeg doesn't copy it. */
import { open } from 'node:fs/promises'
import { partAt, readMovie } from './mp4-boxes.ts'
import { readPart, unlessCutOff } from './read-part.ts'

/** The identifier of XMP in the specification, part 3. */
const XMP = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex')
const MOST_BOXES = 10_000

export const holdsXmp = async (path: string): Promise<boolean> =>
  (await unlessCutOff(() => findsXmp(path))) ?? false

async function findsXmp(path: string): Promise<boolean> {
  await using file = await open(path)
  const movie = await readMovie(file)
  if (movie !== undefined && partAt(movie.body, 'udta', 'XMP_') !== undefined) return true
  const { size: end } = await file.stat()
  // Outside the index, in a box of the file.
  for (let at = 0, boxes = 0; at + 24 <= end && boxes < MOST_BOXES; boxes++) {
    const head = await readPart(file, at, 24)
    if (head.toString('latin1', 4, 8) === 'uuid' && head.subarray(8).equals(XMP)) return true
    const short = head.readUInt32BE(0)
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short
    if (size < 8) return false
    at += size
  }
  return false
}
