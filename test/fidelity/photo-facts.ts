/** Reads photos with tools that the app doesn't use. */
import { extname, join } from 'node:path'
import type { ImageRecipe } from '../../src/shared/preset/preset.ts'
import type { Facts, Property } from './judge.ts'
import { exifTags, magick, probe, tagNamed, tool } from './tools.ts'

const removesMetadata = ({ metadata }: ImageRecipe) => metadata === 'strip'
const removesLocation = ({ metadata }: ImageRecipe) => metadata !== 'keep'
const keepsFirstFrame = ({ animation }: ImageRecipe) => animation === 'first-frame'

export const PHOTO_PROPERTIES: readonly Property<ImageRecipe>[] = [
  { name: 'pages', codes: ['pages'], isAsked: () => false },
  {
    name: 'frames',
    codes: ['frames'],
    isAsked: keepsFirstFrame,
    // The last frame of a JPEG XL may be stored twice, each with a part of its time.
    isKept: (was, is) => Number(is) >= Number(was),
  },
  {
    name: 'duration',
    codes: ['frames', 'frameTiming'],
    sharesCodesWith: 'loops',
    isAsked: keepsFirstFrame,
    isKept: (was, is) => Math.abs(Number(was) - Number(is)) <= 60,
  },
  { name: 'loops', codes: ['frames', 'frameTiming'], isAsked: keepsFirstFrame },
  {
    name: 'shape',
    codes: ['dimensions', 'rotation'],
    isAsked: ({ size, crop }) => size?.fit === 'cover' || size?.fit === 'contain' || crop !== undefined,
  },
  // JPEG fills transparent areas with the background.
  { name: 'alpha', codes: ['alpha'], isAsked: ({ background }) => background !== '#ffffff' },
  {
    name: 'more than 8 bits',
    codes: ['bitDepth'],
    isAsked: ({ format }) => format === 'jpeg' || format === 'webp' || format === 'avif',
  },
  {
    name: 'wide colors',
    codes: ['color'],
    isAsked: ({ colour, grayscale }) => colour === 'srgb' || grayscale,
  },
  { name: 'camera', codes: ['camera', 'exif'], isAsked: removesMetadata },
  { name: 'capture date', codes: ['captureDate', 'exif'], isAsked: removesMetadata },
  { name: 'author', codes: ['author', 'exif'], isAsked: removesMetadata },
  { name: 'location', codes: ['location', 'exif'], isAsked: removesLocation },
  { name: 'XMP title', codes: ['xmp'], isAsked: removesMetadata },
  { name: 'IPTC headline', codes: ['iptc'], isAsked: removesMetadata },
  {
    name: 'comment',
    codes: ['comment'],
    // A comment may name a place in any words, so it is removed with the location.
    isAsked: removesLocation,
    // Text chunks of a PNG become comments too.
    isKept: (was, is) => was.split('\n').every((line) => is.split('\n').includes(line)),
  },
  { name: 'motion photo', codes: ['motionPhoto'], isAsked: () => false },
  { name: 'position on the map', codes: ['georeference'], isAsked: removesLocation },
  { name: 'content credentials', codes: ['contentCredentials'], isAsked: removesLocation },
  { name: 'layers', codes: ['layers'], isAsked: () => false },
  { name: 'further channels', codes: ['extraChannels'], isAsked: () => false },
]

/** Reads a photo. @param folder for copies in formats that every tool reads */
export async function photoFacts(path: string, folder: string): Promise<Facts> {
  const format = extname(path).slice(1)
  const [tags, animation, decoded] = [
    await exifTags(path),
    await animationOf(path, format, folder),
    await decodedPng(path, format, folder),
  ]
  const [width = 0, height = 0, opaque = ''] = (
    await tool('identify-im6.q16', '-format', '%w %h %[opaque]\n', `${decoded}[0]`)
  )
    .trim()
    .split(' ')
  const facts = {
    pages: await pagesOf(path, format),
    ...animation,
    shape: (Number(width) / Number(height)).toFixed(1),
    alpha: opaque.toLowerCase() === 'false' ? 'yes' : undefined,
    'more than 8 bits': (await bitsOf(path, format, tags)) > 8 ? 'yes' : undefined,
    'wide colors': isWide(format === 'jxl' ? await exifTags(decoded) : tags) ? 'yes' : undefined,
    camera: joined(tagNamed(tags, 'Make'), tagNamed(tags, 'Model')),
    'capture date': tagNamed(tags, 'DateTimeOriginal'),
    author: tagNamed(tags, 'Artist', 'Creator'),
    location: tagNamed(tags, 'GPSLatitude')?.slice(0, 6),
    'XMP title': text(tags['XMP-dc:Title']),
    'IPTC headline': text(tags['IPTC:Headline']),
    comment: await commentsOf(path),
    'motion photo': tagNamed(tags, 'MotionPhoto', 'MicroVideo'),
    'position on the map': tagNamed(tags, 'ModelTiePoint'),
    layers: tagNamed(tags, 'LayerCount'),
    ...(format === 'tiff' ? await tiffFacts(path) : {}),
  }
  return new Map(Object.entries(facts).flatMap(([name, fact]) => (fact === undefined ? [] : [[name, fact]])))
}

async function commentsOf(path: string): Promise<string | undefined> {
  const lines = (await tool('exiftool', '-a', '-s3', '-Comment', path)).trim()
  return lines === '' ? undefined : lines
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.every((part) => part === undefined) ? undefined : parts.join(' ')

/** What exiftool doesn't show. */
async function tiffFacts(path: string): Promise<Record<string, string | undefined>> {
  const described = await tool('tiffinfo', path)
  return {
    'content credentials': described.includes('Tag 52545:') ? 'yes' : undefined,
    'further channels': described.includes('unspecified>') ? 'yes' : undefined,
  }
}

/** Returns the number of pages if there are several. */
async function pagesOf(path: string, format: string): Promise<string | undefined> {
  if (format !== 'tiff' && format !== 'tif') return undefined
  const count = (await tool('tiffinfo', path)).split('=== TIFF directory').length - 1
  return count > 1 ? String(count) : undefined
}

type Animation = { readonly frames?: string; readonly duration?: string; readonly loops?: string }

/** Returns nothing for a still image. */
async function animationOf(path: string, format: string, folder: string): Promise<Animation> {
  if (format === 'webp') return animationOfWebp(path)
  const readable = await animationFile(path, format, folder)
  if (readable === undefined) return {}
  const { streams, packets = [] } = await probe(readable, '-count_frames', '-show_packets')
  const frames = Number(streams[0]?.nb_read_frames ?? 1)
  if (frames < 2) return {}
  const ms = packets.reduce((sum, { duration_time: seconds = '0' }) => sum + Number(seconds) * 1_000, 0)
  const tags = await exifTags(readable)
  const loops = tagNamed(tags, 'AnimationIterations', 'AnimationPlays')
  return {
    frames: String(frames),
    duration: String(Math.round(ms)),
    ...(loops === undefined ? {} : { loops: loopsOf(loops, format) }),
  }
}

const loopsOf = (value: string, format: string): string =>
  value === '0' || /inf/i.test(value) ? 'forever' : String(Number(value) + (format === 'gif' ? 1 : 0))

/** The file itself, or a copy as APNG, which FFmpeg reads. */
async function animationFile(path: string, format: string, folder: string): Promise<string | undefined> {
  if (format === 'gif' || format === 'png') return path
  if (format !== 'jxl') return undefined
  const copy = join(folder, 'frames.apng')
  await tool('djxl', path, copy, '--quiet')
  return copy
}

async function animationOfWebp(path: string): Promise<Animation> {
  const lines = (await tool('webpmux', '-info', path)).split('\n')
  // "  1:   40   30   no   0   0   100   none   no   …"
  const durations = lines.flatMap((line) => {
    const [, ms] = /^\s*\d+:(?:\s+\S+){5}\s+(\d+)/.exec(line) ?? []
    return ms === undefined ? [] : [Number(ms)]
  })
  if (durations.length < 2) return {}
  const [, loops = '0'] = /Loop Count\s*:\s*(\d+)/.exec(lines.join('\n')) ?? []
  return {
    frames: String(durations.length),
    duration: String(durations.reduce((sum, ms) => sum + ms, 0)),
    loops: loops === '0' ? 'forever' : loops,
  }
}

/** Decodes a photo upright. */
async function decodedPng(path: string, format: string, folder: string): Promise<string> {
  const copy = join(folder, 'decoded.png')
  if (format === 'avif') await tool('avifdec', path, copy)
  else if (format === 'heic') await tool('heif-convert', path, copy)
  else if (format === 'jxl') await tool('djxl', path, copy, '--quiet')
  else await magick(`${path}[0]`, '-auto-orient', copy)
  return copy
}

async function bitsOf(
  path: string,
  format: string,
  tags: Awaited<ReturnType<typeof exifTags>>,
): Promise<number> {
  if (format === 'jxl') return Number(/(\d+)-bit/.exec(await tool('jxlinfo', path))?.[1] ?? 8)
  if (format === 'bmp') return 8
  const bits = tagNamed(tags, 'BitDepth', 'BitsPerSample', 'ImagePixelDepth')
  return Number(bits?.split(' ')[0] ?? 8)
}

/**
 * XYZ values of the brightest red of Display P3 and of BT.2020, which programs round differently. FFmpeg decodes colors of a JPEG XL that
 * have no name to BT.2020.
 */
const WIDE_RED = /^0\.(?:515\d* 0\.241|673\d* 0\.279)/

const isWide = (tags: Awaited<ReturnType<typeof exifTags>>): boolean =>
  WIDE_RED.test(tagNamed(tags, 'RedMatrixColumn') ?? '') ||
  tagNamed(tags, 'ColorPrimaries') === '12' ||
  tagNamed(tags, 'ColorPrimaries') === '9'
