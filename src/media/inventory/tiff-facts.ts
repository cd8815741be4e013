/** Counts the pages of a TIFF file, and tells which facts about the photo it has. */
import { pagesOfTiff } from '../image/tiff-pages.ts'
import type { Tags } from './inventory.ts'

type TiffFacts = { readonly pages: number; readonly hasExif: boolean; readonly tags: Tags }

const TAGS = {
  exif: 0x8769,
  make: 0x010f,
  model: 0x0110,
  artist: 0x013b,
  gps: 0x8825,
  copyright: 0x8298,
} as const

/** @returns undefined if the directories can't be read */
export async function tiffFacts(path: string): Promise<TiffFacts | undefined> {
  const found = await pagesOfTiff(path)
  if (found === undefined) return undefined
  const { pages, tags } = found
  const { exif, make, model, artist, gps, copyright } = TAGS
  return {
    pages: Math.max(1, pages.length),
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
