/** Small real files, created on demand. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import sharp from 'sharp'

export type ImageSize = { readonly width: number; readonly height: number }

const encoded = new Map<string, Promise<Buffer>>()

/** Caches each kind of file, because some tests need a thousand identical files. */
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

/**
 * Writes an image whose content matches its extension.
 * @returns the path
 */
export async function writeImage(path: string, size?: ImageSize): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  const format = path.endsWith('.png') ? 'png' : path.endsWith('.webp') ? 'webp' : 'jpeg'
  await writeFile(path, await imageBytes(format, size))
  return path
}

/** A video header followed by garbage: passes the signature check and fails in the decoder. */
export const brokenVideoBytes = (): Buffer =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from('ftypisom\x00\x00\x02\x00isomiso2'),
    Buffer.alloc(200, 7),
  ])

/** A truncated photo. */
export const brokenImageBytes = (): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(64, 1)])
