/** Forty parts of photos, each as large as fits a page: of real ones where they are at hand, else of made ones. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { mediaCorpus } from '../test/media-corpus.ts'
import { makePhotos } from './sample-photos.ts'

const COUNT = 40
const [WIDTH, HEIGHT] = [480, 360]

/** Those with the most to see come first, and none is taken twice. */
const REAL = [
  'HMD_Nokia_8.3_5G.jpg',
  'flowers.jpeg',
  '4-lossy.webp',
  'fogra-cmyk.tiff',
  'Landscape_1.jpg',
  'icc_profile_big.jpg',
]

/** @returns paths of PNGs, whose pixels are what the scores are of */
export async function photoCorpus(folder: string): Promise<readonly string[]> {
  await mkdir(folder)
  const made = await makePhotos(join(folder, 'whole'), 2)
  const real = mediaCorpus().filter(({ file }) => REAL.includes(file))
  const sources = [...real.map(({ path }) => path), ...made]
  const parts: string[] = []
  for (const source of sources) {
    const photo = sharp(source).autoOrient().toColourspace('srgb').removeAlpha()
    const { data, info } = await photo.png({ compressionLevel: 1 }).toBuffer({ resolveWithObject: true })
    for (const area of areasOf(info)) {
      if (parts.length === COUNT) return parts
      const path = join(folder, `${parts.length}.png`)
      await sharp(data).extract(area).png({ compressionLevel: 1 }).toFile(path)
      parts.push(path)
    }
  }
  return parts
}

/** Side by side, as many as there is room for, and at most sixteen of one photo. */
function areasOf({ width, height }: { readonly width: number; readonly height: number }) {
  const [columns, rows] = [Math.min(4, Math.floor(width / WIDTH)), Math.min(4, Math.floor(height / HEIGHT))]
  if (columns === 0 || rows === 0)
    return [{ left: 0, top: 0, width: Math.min(width, WIDTH), height: Math.min(height, HEIGHT) }]
  return Array.from({ length: columns * rows }, (_, n) => ({
    left: (n % columns) * Math.floor(width / columns),
    top: Math.floor(n / columns) * Math.floor(height / rows),
    width: WIDTH,
    height: HEIGHT,
  }))
}
