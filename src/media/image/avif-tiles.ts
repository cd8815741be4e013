/** Decodes each tile of an AVIF, because libheif fills undecodable tiles with a color. */
import { FailureError } from '../../shared/failure/failure-error.ts'
import sharp from 'sharp'
import { boxIn } from '../../node/media-header/heif-boxes.ts'
import { entriesIn } from '../../node/media-header/heif-items.ts'
import { damagedFile } from '../damaged-file.ts'
import { alphaOf, endsTooEarly, itemsOf } from './heif-file.ts'
import { unlessTooShort } from './image-failure.ts'

/**
 * Decodes each tile of the image and of its transparency.
 * @throws FailureError if the file is cut, or if a tile can't be decoded
 */
export async function refuseMissingTiles(file: Buffer): Promise<void> {
  if (endsTooEarly(file)) throw damagedFile('imageEndsEarly')
  const found = unlessTooShort(() => tilesIn(file))
  if (found === undefined) return
  const { copy, tiles, choose } = found
  for (const tile of tiles) {
    choose(tile)
    await sharp(copy)
      .raw()
      .toBuffer()
      .catch((error: unknown) => {
        throw new FailureError(damagedFile('imagePartMissing').failure, { cause: error })
      })
  }
}

const HIDDEN = 1

/** Returns the tiles, and a copy of the file that can show any of them as its image; undefined if the file lacks a primary image. */
function tilesIn(file: Buffer) {
  const items = itemsOf(file)
  const meta = boxIn(file, 0, file.length, 'meta')
  const within = (type: string) => meta && boxIn(file, meta.body + 4, meta.end, type)
  const [chosen, list] = [within('pitm'), within('iinf')]
  if (items === undefined || chosen === undefined || list === undefined) return undefined
  const grids = [items.primary, alphaOf(file, items, items.primary)]
  const parts = items.references.filter(({ type, from }) => type === 'dimg' && grids.includes(from))
  const tiles = parts.flatMap(({ to }) => to)
  const copy = Buffer.from(file)
  // A hidden item can't be the primary image.
  for (const { body } of entriesIn(file, list)) copy.writeUInt8(file.readUInt8(body + 3) & ~HIDDEN, body + 3)
  const isWide = file.readUInt8(chosen.body) > 0
  return {
    copy,
    tiles: new Set(tiles),
    choose: (item: number) =>
      isWide ? copy.writeUInt32BE(item, chosen.body + 4) : copy.writeUInt16BE(item, chosen.body + 4),
  }
}
