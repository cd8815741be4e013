/** `nativeImage`: enough of a picture to say which file it is, whether Electron could read it and how large it is. */
import { existsSync, readFileSync } from 'node:fs'
import type * as Electron from 'electron'
import { lacking } from './lacking.ts'

export type StandInImage = Pick<
  Electron.NativeImage,
  'isEmpty' | 'getSize' | 'resize' | 'setTemplateImage' | 'isTemplateImage' | 'toPNG' | 'toDataURL' | 'addRepresentation' | 'getScaleFactors'
> // prettier-ignore

/** The file of an image, for the record. */
const origins = new WeakMap<object, string>()

export const describeImage = (image: unknown): string =>
  typeof image === 'string' ? image : (origins.get(image as object) ?? 'unknown image')

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47])

const JPEG_SIGNATURE = Buffer.from([0xff, 0xd8, 0xff])
const startsWith = (bytes: Buffer, signature: Buffer) => bytes.subarray(0, signature.length).equals(signature)

/** Of anything but a PNG or a JPEG Electron makes an empty image; an ICO can be read from its file. */
const readable = (bytes: Buffer, path = ''): Buffer =>
  startsWith(bytes, PNG_SIGNATURE) || startsWith(bytes, JPEG_SIGNATURE) || path.endsWith('.ico')
    ? bytes
    : Buffer.alloc(0)

function sizeOf(bytes: Buffer): Electron.Size {
  if (bytes.length > 24 && bytes.subarray(0, 4).equals(PNG_SIGNATURE))
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  // The size of the others is of no interest to a tray.
  return bytes.length > 0 ? { width: 1, height: 1 } : { width: 0, height: 0 }
}

function createImage(
  bytes: Buffer,
  origin: string,
  size: Electron.Size = sizeOf(bytes),
): Electron.NativeImage {
  let template = /Template(@\dx)?\.\w+$/.test(origin)
  const members: StandInImage = {
    isEmpty: () => bytes.length === 0,
    getSize: () => ({ ...size }),
    resize: (options) => {
      if (bytes.length === 0) return createImage(bytes, origin)
      const width = options.width ?? Math.round((size.width * (options.height ?? size.height)) / size.height)
      const height = options.height ?? Math.round((size.height * width) / size.width)
      return createImage(bytes, origin, { width, height })
    },
    setTemplateImage(option) {
      template = option
    },
    isTemplateImage: () => template,
    toPNG: () => bytes,
    toDataURL: () => `data:image/png;base64,${bytes.toString('base64')}`,
    addRepresentation: () => {},
    getScaleFactors: () => [1],
  }
  const image = lacking('NativeImage', members) as Electron.NativeImage
  origins.set(image, origin)
  return image
}

export const nativeImage = lacking('nativeImage', {
  createEmpty: () => createImage(Buffer.alloc(0), 'empty'),
  createFromPath: (path: string) =>
    createImage(existsSync(path) ? readable(readFileSync(path), path) : Buffer.alloc(0), path),
  createFromBuffer: (buffer: Buffer) => createImage(readable(buffer), 'buffer'),
  createFromDataURL: (url: string) =>
    createImage(readable(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')), url.slice(0, 40)),
} satisfies Pick<
  typeof Electron.nativeImage,
  'createEmpty' | 'createFromPath' | 'createFromBuffer' | 'createFromDataURL'
>)
