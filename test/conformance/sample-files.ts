/** Small real files, made on the spot. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import sharp from 'sharp'

export type ImageSize = { readonly width: number; readonly height: number }

const encoded = new Map<string, Promise<Buffer>>()

/** Some tests ask for a thousand alike: each is encoded once. */
export function imageBytes(
  format: 'jpeg' | 'png' | 'webp',
  { width, height }: ImageSize = { width: 32, height: 24 },
): Promise<Buffer> {
  const key = `${format} ${width} ${height}`
  const known = encoded.get(key)
  if (known !== undefined) return known
  const made = sharp({ create: { width, height, channels: 3, background: { r: 200, g: 90, b: 30 } } })
    .toFormat(format)
    .toBuffer()
  encoded.set(key, made)
  return made
}

/** Writes an image whose content is of the type that its name says. @returns the path */
export async function writeImage(path: string, size?: ImageSize): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  const format = path.endsWith('.png') ? 'png' : path.endsWith('.webp') ? 'webp' : 'jpeg'
  await writeFile(path, await imageBytes(format, size))
  return path
}

/** Begins like a film and goes on like nothing: passes the look at its first bytes, and fails when it is decoded. */
export const brokenVideoBytes = (): Buffer =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from('ftypisom\x00\x00\x02\x00isomiso2'),
    Buffer.alloc(200, 7),
  ])

/** Begins like a photo and breaks off. */
export const brokenImageBytes = (): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(64, 1)])
