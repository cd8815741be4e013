import { open } from 'node:fs/promises'
import { Dictionary, type FormatContext } from 'node-av/lib'
import { findElement, MOST_BYTES, textIn } from './matroska-elements.ts'
import { readPart, unlessCutOff } from './read-part.ts'

/**
 * Sets the title of a Matroska or WebM file to the one that its description contains (RFC 9559, 5.1.2.8). FFmpeg replaces it with that of
 * a series, if tags name one.
 */
export async function correctTitle(context: FormatContext, path: string): Promise<void> {
  const { iformat, metadata } = context
  if (iformat?.name?.startsWith('matroska') !== true) return
  const title = await readTitle(path)
  if (title !== undefined) context.metadata = Dictionary.fromObject({ ...metadata?.getAll(), title })
}

const INFO = 0x1549a966
const TITLE = 0x7ba9

/** @returns undefined if the file has none, or if its description is damaged */
async function readTitle(path: string): Promise<string | undefined> {
  await using file = await open(path)
  return await unlessCutOff(async () => {
    const place = await findElement(file, INFO, 'cluster')
    if (place === undefined) return undefined
    return textIn(await readPart(file, place.at + place.start, Math.min(place.size, MOST_BYTES)), TITLE)
  })
}
