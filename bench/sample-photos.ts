/** Generates 12-megapixel photos for the benchmarks. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { makeHeic, turned } from '../test/media/image/make-heic.ts'

const DIFFERENT_PHOTOS = 6

/** Creates JPEG files: soft shapes with some grain, so that they compress about as well as real photos. @returns their paths */
export async function makePhotos(folder: string, count: number): Promise<string[]> {
  await mkdir(folder)
  const photos = Array.from({ length: count }, (_, index) => path.join(folder, `photo-${index}.jpg`))
  for (const [index, photo] of photos.entries()) {
    const original = photos[index % DIFFERENT_PHOTOS]
    if (original === undefined || index < DIFFERENT_PHOTOS) await makePhoto(photo)
    else await copyFile(original, photo)
  }
  return photos
}

const noiseImage = (width: number, height: number, sigma: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma },
    },
  })

async function makePhoto(file: string): Promise<void> {
  const [width, height] = [4000, 3000]
  const shapes = await noiseImage(40, 30, 60).png().toBuffer()
  const grain = await noiseImage(width, height, 10).png({ compressionLevel: 0 }).toBuffer()
  await sharp(shapes)
    .resize(width, height, { kernel: 'cubic' })
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 92 })
    .toFile(file)
}

/** Creates HEIC files like a phone's: tiles of 512 pixels, rotated by 90°. @returns their paths */
export async function makeHeics(folder: string, count: number): Promise<string[]> {
  await mkdir(folder)
  const heic = makeHeic({
    tile: { width: 512, height: 512 },
    columns: 8,
    rows: 6,
    width: 4032,
    height: 3024,
    range: 'pc',
    properties: [turned(3)],
  })
  const photos = Array.from({ length: count }, (_, index) => path.join(folder, `photo-${index}.heic`))
  for (const photo of photos) await writeFile(photo, heic)
  return photos
}
