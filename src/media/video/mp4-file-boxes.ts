/**
 * Finds the metadata of MP4 and QuickTime files outside of what FFmpeg reads: XMP of editing programs, content credentials, and what
 * cameras write, such as Sony's `NonRealTimeMeta`. This metadata describes the original's encoding, so only a copy gets it.
 */
import { open, type FileHandle } from 'node:fs/promises'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { CREDENTIALS_ID } from '../inventory/file-parts.ts'
import { makeBox } from '../make-box.ts'
import { isMp4OrMov } from './container.ts'
import { type Part, partAt, partsOf, readMovie, rootBoxes } from './mp4-boxes.ts'
import { unlessCutOff } from '../read-part.ts'

export type FileBoxes = {
  readonly xmp: boolean
  readonly contentCredentials: boolean
  /** Names of the other metadata, for the user. */
  readonly metadataBlocks: readonly string[]
}

const NO_BOXES: FileBoxes = { xmp: false, contentCredentials: false, metadataBlocks: [] }

/** Identifiers of `uuid` boxes: of XMP (its specification, part 3), and of Sony's description of the tracks, which a result can't have. */
const XMP_ID = 'be7acfcb97a942e89c71999491e3afac'
const TRACKS_ID = '50524f4621d24fcebb88695cfac9c740'

const idOf = ({ type, body }: Part): string => (type === 'uuid' ? body.toString('hex', 0, 16) : '')

/** @param format FFmpeg's name of the container */
export async function readFileBoxes(path: string, format: string): Promise<FileBoxes> {
  if (!format.startsWith('mov')) return NO_BOXES
  return (await unlessCutOff(() => findBoxes(path))) ?? NO_BOXES
}

async function findBoxes(path: string): Promise<FileBoxes> {
  await using file = await open(path)
  const movie = (await readMovie(file))?.body
  const inMovie = movie === undefined ? [] : partsOf(movie).filter(({ type }) => type === 'uuid')
  const boxes = [...(await boxesOf(file)), ...inMovie]
  const ids = boxes.map(idOf)
  return {
    xmp: ids.includes(XMP_ID) || (movie !== undefined && partAt(movie, 'udta', 'XMP_') !== undefined),
    contentCredentials: ids.includes(CREDENTIALS_ID),
    metadataBlocks: boxes.flatMap(titleOf),
  }
}

function titleOf(box: Part): readonly string[] {
  const id = idOf(box)
  if ([XMP_ID, TRACKS_ID, CREDENTIALS_ID].includes(id)) return []
  if (box.type === 'uuid') return [`uuid ${id.slice(0, 8)}`]
  const handler = partAt(box.body.subarray(4), 'hdlr')?.toString('latin1', 8, 12) ?? 'meta'
  return [handler === 'nrtm' ? 'Sony NonRealTimeMeta' : handler]
}

/** Reads the boxes with metadata that aren't in the index. */
const boxesOf = async (file: FileHandle): Promise<readonly Part[]> =>
  (await rootBoxes(file, ['uuid', 'meta'])).filter(({ body }) => body.length > ID_BYTES)

const ID_BYTES = 16

export const holdsFileBoxes = isMp4OrMov

/**
 * Returns the metadata for a copy; nothing if the video is encoded or the recipe removes metadata. Omits boxes that refer to places in the
 * original, and credentials, which are valid only for the original.
 */
export async function copiedFileBoxes(
  original: string,
  { codec, metadata }: Pick<VideoRecipe, 'codec' | 'metadata'>,
): Promise<readonly Buffer[]> {
  if (codec !== 'copy' || metadata !== 'keep') return []
  await using file = await open(original)
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0)
  // Other formats have no boxes.
  const boxes = isBox(buffer) ? ((await unlessCutOff(() => boxesOf(file))) ?? []) : []
  return boxes
    .filter((box) => box.type !== 'meta' || partAt(box.body.subarray(4), 'iloc') === undefined)
    .filter((box) => ![TRACKS_ID, CREDENTIALS_ID].includes(idOf(box)))
    .map((box) => makeBox(box.type, box.body))
}

const isBox = (head: Buffer): boolean => /^[a-z ]{4}$/.test(head.toString('latin1', 4, 8))
