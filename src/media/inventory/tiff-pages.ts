/** Counts the pages of a TIFF file, and tells which facts about the photo it has. Reads directories only. */
import { open } from 'node:fs/promises'
import type { Tags } from './inventory.ts'

export type TiffPages = { readonly pages: number; readonly hasExif: boolean; readonly tags: Tags }

const MOST_PAGES = 10_000
const NEW_SUBFILE_TYPE = 254
/** Bits of NewSubfileType: a smaller copy of another page, and a transparency mask. */
const NOT_A_PAGE = 1 | 4
const TAGS = {
  exif: 0x8769,
  make: 0x010f,
  model: 0x0110,
  artist: 0x013b,
  gps: 0x8825,
  copyright: 0x8298,
} as const

/** @returns undefined if the directories can't be read */
export async function tiffPages(path: string): Promise<TiffPages | undefined> {
  await using file = await open(path)
  const read = async (at: number, length: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    return bytesRead === length ? buffer : undefined
  }
  const head = await read(0, 16)
  if (head === undefined) return undefined
  const isLittle = head[0] === 0x49
  const number = (bytes: Buffer, at: number, width: 2 | 4 | 8): number =>
    width === 8
      ? Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
      : isLittle
        ? bytes.readUIntLE(at, width)
        : bytes.readUIntBE(at, width)
  // BigTIFF has wider counts, entries and offsets.
  const isBig = number(head, 2, 2) === 43
  const [countBytes, entryBytes, offsetBytes] = isBig ? ([8, 20, 8] as const) : ([2, 12, 4] as const)
  const seen = new Set<number>()
  const tags = new Set<number>()
  let [pages, next] = [0, number(head, isBig ? 8 : 4, offsetBytes)]
  while (next > 0 && !seen.has(next) && seen.size < MOST_PAGES) {
    seen.add(next)
    const counted = await read(next, countBytes)
    const count = counted === undefined ? 0 : number(counted, 0, countBytes)
    const table = await read(next + countBytes, Math.min(count, 4_096) * entryBytes + offsetBytes)
    if (table === undefined) break
    let isPage = true
    for (let at = 0; at + entryBytes < table.length; at += entryBytes) {
      const tag = number(table, at, 2)
      if (seen.size === 1) tags.add(tag)
      const value = at + entryBytes - offsetBytes
      if (tag === NEW_SUBFILE_TYPE) isPage = (number(table, value, 4) & NOT_A_PAGE) === 0
    }
    if (isPage) pages += 1
    next = number(table, table.length - offsetBytes, offsetBytes)
  }
  const { exif, make, model, artist, gps, copyright } = TAGS
  return {
    pages: Math.max(1, pages),
    hasExif: [exif, make, model, artist, gps, copyright].some((tag) => tags.has(tag)),
    tags: {
      camera: tags.has(make) || tags.has(model),
      // The date is in the Exif directory.
      captureDate: false,
      author: tags.has(artist),
      location: tags.has(gps),
      others: 0,
    },
  }
}
