/** Photos of every kind, to measure how much memory they need. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { encodeApng, encodeJpegXlStrip } from '../src/media/image/encode-frames.ts'
import { encodeJpegXl } from '../src/media/image/jpeg-xl.ts'
import { GAIN_MAP_NAME, MARKERS, segment, withSegments } from '../src/media/image/jpeg-segments.ts'
import { rawImageOf } from '../src/media/image/raw-image.ts'
import { joinGainMap } from '../src/media/image/ultra-hdr.ts'
import { makeHeic } from '../test/media/image/make-heic.ts'

const run = promisify(execFile)
const FRAMES = 12
const TIMING = { delays: Array.from({ length: FRAMES }, () => 100), loop: 0 }
const JXL = { distance: 1, effort: 1 }

/** Returns noise over a gradient. @param channels 1, 3 or 4 */
function picture(width: number, height: number, channels: 1 | 3 | 4, depth: 8 | 16 = 8): Sharp {
  const samples =
    depth === 8 ? new Uint8Array(width * height * channels) : new Uint16Array(width * height * channels)
  const shift = depth - 8
  let noise = 1
  for (let at = 0; at < samples.length; at++) {
    noise = (Math.imul(noise, 1_103_515_245) + 12_345) >>> 0
    const base = 60 + ((at / channels / width) * 100) / height
    samples[at] = (base + (noise >>> 27)) * 2 ** shift + (shift > 0 ? (noise >>> 10) & 255 : 0)
  }
  const image = sharp(samples, { raw: { width, height, channels }, limitInputPixels: false })
  if (depth === 16) image.toColourspace(channels === 1 ? 'grey16' : 'rgb16')
  else if (channels === 1) image.toColourspace('b-w')
  return image
}

type Make = (width: number, height: number, path: string) => Promise<unknown>

const save =
  (content: (width: number, height: number) => Promise<Buffer>): Make =>
  async (width, height, path) =>
    writeFile(path, await content(width, height))
const photo = (encode: (image: Sharp) => Sharp, channels: 1 | 3 | 4 = 3, depth: 8 | 16 = 8): Make =>
  save((width, height) => encode(picture(width, height, channels, depth)).toBuffer())
/** Frames with as many pixels together as a photo. */
const frames = (encode: (strip: Sharp) => Promise<Buffer>): Make =>
  save((width, height) => encode(picture(width, Math.floor(height / FRAMES) * FRAMES, 3)))
/** Frames of different brightness, because equal ones would be merged. */
const joined = (encode: (image: Sharp) => Sharp): Make =>
  save(async (width, height) => {
    const parts = Array.from({ length: FRAMES }, (_, index) =>
      picture(width, Math.floor(height / FRAMES), 3)
        .modulate({ brightness: 1 + index / 50 })
        .png({ compressionLevel: 0 })
        .toBuffer(),
    )
    return encode(sharp(await Promise.all(parts), { join: { animated: true } })).toBuffer()
  })
const heic = (tile: boolean, pixelFormat = 'yuv420p'): Make =>
  save(async (width, height) => {
    const across = Math.ceil(width / 512)
    const down = Math.ceil(height / 512)
    return tile
      ? makeHeic({
          tile: { width: 512, height: 512 },
          columns: across,
          rows: down,
          width,
          height,
          pixelFormat,
          range: 'pc',
        })
      : makeHeic({ tile: { width, height }, width, height, pixelFormat, range: 'pc' })
  })

export const KINDS: Readonly<Record<string, { readonly extension: string; readonly make: Make }>> = {
  jpeg: { extension: 'jpg', make: photo((image) => image.jpeg()) },
  'jpeg 4:4:4': { extension: 'jpg', make: photo((image) => image.jpeg({ chromaSubsampling: '4:4:4' })) },
  'jpeg progressive': { extension: 'jpg', make: photo((image) => image.jpeg({ progressive: true })) },
  'jpeg progressive 4:4:4': {
    extension: 'jpg',
    make: photo((image) => image.jpeg({ progressive: true, chromaSubsampling: '4:4:4' })),
  },
  'jpeg CMYK': { extension: 'jpg', make: photo((image) => image.toColourspace('cmyk').jpeg()) },
  'jpeg CMYK progressive': {
    extension: 'jpg',
    make: photo((image) => image.toColourspace('cmyk').jpeg({ progressive: true })),
  },
  'jpeg gain map': { extension: 'jpg', make: save(ultraHdr) },
  'jpeg gray': { extension: 'jpg', make: photo((image) => image.jpeg(), 1) },
  'jpeg rotated': { extension: 'jpg', make: photo((image) => image.withMetadata({ orientation: 6 }).jpeg()) },
  png: { extension: 'png', make: photo((image) => image.png({ compressionLevel: 1 })) },
  'png alpha': { extension: 'png', make: photo((image) => image.png({ compressionLevel: 1 }), 4) },
  'png 16': { extension: 'png', make: photo((image) => image.png({ compressionLevel: 1 }), 3, 16) },
  'png 16 profile': {
    extension: 'png',
    make: photo((image) => image.withIccProfile('p3').png({ compressionLevel: 1 }), 3, 16),
  },
  'png 16 alpha': { extension: 'png', make: photo((image) => image.png({ compressionLevel: 1 }), 4, 16) },
  'png interlaced': {
    extension: 'png',
    make: photo((image) => image.png({ compressionLevel: 1, progressive: true })),
  },
  'png interlaced 16': {
    extension: 'png',
    make: photo((image) => image.png({ compressionLevel: 1, progressive: true }), 3, 16),
  },
  'png palette': {
    extension: 'png',
    make: photo((image) => image.png({ palette: true, effort: 1, compressionLevel: 1 })),
  },
  'png gray': { extension: 'png', make: photo((image) => image.png({ compressionLevel: 1 }), 1) },
  'png gray 16': { extension: 'png', make: photo((image) => image.png({ compressionLevel: 1 }), 1, 16) },
  'png 1 bit': {
    extension: 'png',
    make: photo((image) => image.png({ palette: true, colors: 2, effort: 1 }), 1),
  },
  'png animated': {
    extension: 'png',
    make: frames(async (strip) => (await encodeApng(await rawImageOf(strip), TIMING, 'fast')).bytes),
  },
  tiff: { extension: 'tif', make: photo((image) => image.tiff({ compression: 'none' })) },
  'tiff one strip': {
    extension: 'tif',
    make: save(async (width, height) => oneStrip(picture(width, height, 3), 1)),
  },
  'tiff deflate': {
    extension: 'tif',
    make: photo((image) => image.tiff({ compression: 'deflate', predictor: 'horizontal' })),
  },
  'tiff lzw': {
    extension: 'tif',
    make: photo((image) => image.tiff({ compression: 'lzw', predictor: 'none' })),
  },
  'tiff jpeg': { extension: 'tif', make: photo((image) => image.tiff({ compression: 'jpeg' })) },
  'tiff tiles': {
    extension: 'tif',
    make: photo((image) => image.tiff({ compression: 'deflate', tile: true })),
  },
  'tiff deflate one strip': {
    extension: 'tif',
    make: save(async (width, height) => oneStrip(picture(width, height, 3), 8)),
  },
  'tiff lzw one strip': {
    extension: 'tif',
    make: save(async (width, height) => oneStrip(picture(width, height, 3), 5)),
  },
  'tiff 16': { extension: 'tif', make: photo((image) => image.tiff({ compression: 'none' }), 3, 16) },
  'tiff 16 deflate': {
    extension: 'tif',
    make: photo((image) => image.tiff({ compression: 'deflate' }), 3, 16),
  },
  'tiff CMYK': {
    extension: 'tif',
    make: photo((image) => image.toColourspace('cmyk').tiff({ compression: 'lzw' })),
  },
  'tiff 1 bit': {
    extension: 'tif',
    make: photo((image) => image.toColourspace('b-w').tiff({ compression: 'ccittfax4', bitdepth: 1 }), 1),
  },
  webp: { extension: 'webp', make: photo((image) => image.webp({ effort: 0 })) },
  'webp lossless': { extension: 'webp', make: photo((image) => image.webp({ effort: 0, lossless: true })) },
  'webp alpha': { extension: 'webp', make: photo((image) => image.webp({ effort: 0 }), 4) },
  'webp animated': { extension: 'webp', make: joined((image) => image.webp({ effort: 0 })) },
  gif: { extension: 'gif', make: photo((image) => image.gif({ effort: 1, dither: 0 })) },
  'gif animated': { extension: 'gif', make: joined((image) => image.gif({ effort: 1, dither: 0 })) },
  avif: { extension: 'avif', make: photo((image) => image.avif({ effort: 0 })) },
  'avif 10': { extension: 'avif', make: photo((image) => image.avif({ effort: 0, bitdepth: 10 }), 3, 16) },
  'avif alpha': { extension: 'avif', make: photo((image) => image.avif({ effort: 0 }), 4) },
  'avif animated': { extension: 'avif', make: animatedAvif },
  jxl: {
    extension: 'jxl',
    make: save(async (width, height) => encodeJpegXl(await rawImageOf(picture(width, height, 3)), JXL)),
  },
  'jxl 16': {
    extension: 'jxl',
    make: save(async (width, height) => encodeJpegXl(await rawImageOf(picture(width, height, 3, 16)), JXL)),
  },
  'jxl animated': {
    extension: 'jxl',
    make: frames(async (strip) => (await encodeJpegXlStrip(await rawImageOf(strip), TIMING, JXL)).bytes),
  },
  heic: { extension: 'heic', make: heic(true) },
  'heic one tile': { extension: 'heic', make: heic(false) },
  'heic alpha': {
    extension: 'heic',
    make: save(async (width, height) =>
      makeHeic({ tile: { width, height }, width, height, range: 'pc', isSeeThrough: true }),
    ),
  },
  'heic 10': { extension: 'heic', make: heic(true, 'yuv420p10le') },
  bmp: { extension: 'bmp', make: save((width, height) => bmp(picture(width, height, 3), width, height)) },
}

/** A gain map's metadata: one channel in the image's colors, and a headroom and gain of 1 to 4 times. */
const GAIN = Buffer.from(
  '0000000040' +
    [0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 64, 1, 64].map((value) => value.toString(16).padStart(8, '0')).join(''),
  'hex',
)

/** Returns an Ultra HDR photo whose gain map has half its dimensions. */
async function ultraHdr(width: number, height: number): Promise<Buffer> {
  const map = await picture(Math.floor(width / 2), Math.floor(height / 2), 1)
    .jpeg()
    .toBuffer()
  const described = withSegments(map, [segment(MARKERS.APP2, GAIN_MAP_NAME, GAIN)])
  return joinGainMap(await picture(width, height, 3).jpeg().toBuffer(), described)
}

/** Returns a TIFF of one strip: without compression (1), or with LZW (5) or deflate (8). */
async function oneStrip(image: Sharp, compression: 1 | 5 | 8): Promise<Buffer> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  const strip = compression === 8 ? deflateSync(data, { level: 1 }) : compression === 5 ? lzw(data) : data
  const entries = [
    [256, 4, 1, info.width],
    [257, 4, 1, info.height],
    [258, 3, 3, 8],
    [259, 3, 1, compression],
    [262, 3, 1, 2],
    [273, 4, 1, 16],
    [277, 3, 1, 3],
    [278, 4, 1, info.height],
    [279, 4, 1, strip.length],
  ] as const
  const directory = Buffer.alloc(2 + entries.length * 12 + 4)
  directory.writeUInt16LE(entries.length, 0)
  for (const [place, [tag, type, count, value]] of entries.entries()) {
    directory.writeUInt16LE(tag, 2 + place * 12)
    directory.writeUInt16LE(type, 4 + place * 12)
    directory.writeUInt32LE(count, 6 + place * 12)
    directory.writeUInt32LE(value, 10 + place * 12)
  }
  const head = Buffer.alloc(16)
  head.write('II*\0', 'latin1')
  head.writeUInt32LE(16 + strip.length, 4)
  for (const at of [8, 10, 12]) head.writeUInt16LE(8, at)
  return Buffer.concat([head, strip, directory])
}

/** Codes each byte as a separate code of nine bits. */
function lzw(data: Buffer): Buffer {
  const CLEAR_EVERY = 250
  const out = Buffer.alloc(Math.ceil(((data.length * (1 + 1 / CLEAR_EVERY) + 4) * 9) / 8))
  let bits = 0
  let held = 0
  let at = 0
  const put = (code: number) => {
    held = (held << 9) | code
    bits += 9
    while (bits >= 8) {
      out[at++] = (held >> (bits - 8)) & 255
      bits -= 8
    }
    held &= (1 << bits) - 1
  }
  for (let from = 0; from < data.length; from++) {
    if (from % CLEAR_EVERY === 0) put(256)
    put(data[from] ?? 0)
  }
  put(257)
  if (bits > 0) out[at++] = (held << (8 - bits)) & 255
  return out.subarray(0, at)
}

async function bmp(image: Sharp, width: number, height: number): Promise<Buffer> {
  const { data } = await image.raw().toBuffer({ resolveWithObject: true })
  const head = Buffer.alloc(54)
  head.write('BM', 'latin1')
  head.writeUInt32LE(54, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(24, 28)
  return Buffer.concat([head, data])
}

async function animatedAvif(width: number, height: number, path: string): Promise<void> {
  const source = `nullsrc=s=${width}x${Math.floor(height / FRAMES / 2) * 2}:r=10,noise=alls=20:allf=t`
  await run('ffmpeg', [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    source,
    '-frames:v',
    String(FRAMES),
    '-c:v',
    'libsvtav1',
    '-preset',
    '12',
    '-crf',
    '40',
    '-pix_fmt',
    'yuv420p',
    path,
  ])
}
