/** `nativeImage`: records an image's file, whether Electron could read it, and its size. */
import { existsSync, readFileSync } from 'node:fs'
import type * as Electron from 'electron'
import { lacking } from './lacking.ts'

type Checked = Pick<Electron.NativeImage, 'isEmpty' | 'getSize' | 'resize'>

/** The source file of each image, for the record. */
const origins = new WeakMap<object, string>()

export const describeImage = (image: unknown): string =>
  typeof image === 'string' ? image : (origins.get(image as object) ?? 'unknown image')

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47])

const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff])
const startsWith = (bytes: Buffer, signature: Buffer) => bytes.subarray(0, signature.length).equals(signature)

/** Returns the bytes if Electron can read them: PNG and JPEG, and on Windows also ICO files. Otherwise returns an empty buffer. */
const readable = (bytes: Buffer, path = ''): Buffer =>
  startsWith(bytes, PNG_SIGNATURE) ||
  startsWith(bytes, JPEG_SIGNATURE) ||
  (path.endsWith('.ico') && platformNow() === 'win32')
    ? bytes
    : Buffer.alloc(0)

const platformNow = (): string => process.env['MEDIATRAY_STAND_IN_PLATFORM'] ?? process.platform

function sizeOf(bytes: Buffer): Electron.Size {
  if (bytes.length > 24 && bytes.subarray(0, 4).equals(PNG_SIGNATURE))
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  // Trays don't use the dimensions of other formats.
  return bytes.length > 0 ? { width: 1, height: 1 } : { width: 0, height: 0 }
}

function createImage(
  bytes: Buffer,
  origin: string,
  size: Electron.Size = sizeOf(bytes),
): Electron.NativeImage {
  const members: Checked = {
    isEmpty: () => bytes.length === 0,
    getSize: () => ({ ...size }),
    resize: (options) => {
      if (bytes.length === 0) return createImage(bytes, origin)
      const width = options.width ?? Math.round((size.width * (options.height ?? size.height)) / size.height)
      const height = options.height ?? Math.round((size.height * width) / size.width)
      return createImage(bytes, origin, { width, height })
    },
  }
  const image = lacking('NativeImage', members) as Electron.NativeImage
  origins.set(image, origin)
  return image
}

export const nativeImage = lacking('nativeImage', {
  createFromPath: (path: string) =>
    createImage(existsSync(path) ? readable(readFileSync(path), path) : Buffer.alloc(0), path),
  createFromBuffer: (buffer: Buffer) => createImage(readable(buffer), 'buffer'),
} satisfies Pick<typeof Electron.nativeImage, 'createFromPath' | 'createFromBuffer'>)
