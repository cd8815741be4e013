/** Photos of 12 megapixels for the benchmarks, made anew for each. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { makeHeic, turned } from '../test/media/image/made-heic.ts'

const DIFFERENT_PHOTOS = 6

/** JPEG: soft shapes with some grain, so that they compress about as well as real photos. @returns their paths */
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

const noise = (sigma: number) => ({ type: 'gaussian' as const, mean: 128, sigma })

async function makePhoto(file: string): Promise<void> {
  const [width, height] = [4000, 3000]
  const shapes = await sharp({
    create: { width: 40, height: 30, channels: 3, background: '#888', noise: noise(60) },
  })
    .png()
    .toBuffer()
  const grain = await sharp({ create: { width, height, channels: 3, background: '#888', noise: noise(10) } })
    .png({ compressionLevel: 0 })
    .toBuffer()
  await sharp(shapes)
    .resize(width, height, { kernel: 'cubic' })
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 92 })
    .toFile(file)
}

/** HEIC as a phone makes them: tiles of 512 pixels, turned by a quarter. @returns their paths */
export async function makeHeics(folder: string, count: number): Promise<string[]> {
  await mkdir(folder)
  const tile = { width: 512, height: 512 }
  const made = makeHeic({
    tile,
    columns: 8,
    rows: 6,
    width: 4032,
    height: 3024,
    range: 'pc',
    properties: [turned(3)],
  })
  const photos = Array.from({ length: count }, (_, index) => path.join(folder, `photo-${index}.heic`))
  for (const photo of photos) await writeFile(photo, made)
  return photos
}
