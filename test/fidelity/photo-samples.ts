/** Makes photos that have what a photo can have, in every format. */
import { appendFile, copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { makeTiff } from '../media/image/make-tiff.ts'
import { words } from '../../src/media/words.ts'
import { ffmpeg, magick, tool } from './tools.ts'

export type Make = (folder: string, path: string) => Promise<unknown>
export type Sample = ReturnType<typeof samplesIn>[number]

/** @param files by name. The extension is the format's name */
export const samplesIn = (files: Readonly<Record<string, Make>>) =>
  Object.entries(files).map(([file, make]) => ({ file, make }))

const TITLE = '-XMP-dc:Title=Harbour at dusk'
const PLACE = words('-GPSLatitude=52.5 -GPSLatitudeRef=N -GPSLongitude=13.4 -GPSLongitudeRef=E')
const DATE = '-DateTimeOriginal=2021:03:04 05:06:07'
const TAGS = [...words('-Make=Aperture -Model=One -Artist=Ada'), DATE, ...PLACE, TITLE]

const tagged = (path: string, ...more: readonly string[]): Promise<string> =>
  tool('exiftool', '-q', '-overwrite_original', ...TAGS, ...more, path)

/** A picture with soft shapes, so that lossy encoders keep it recognizable. */
async function picture(folder: string, ...changes: readonly string[]): Promise<string> {
  const path = join(folder, 'picture.png')
  await magick('-size', '96x64', 'radial-gradient:#c05020-#206080', ...changes, `PNG24:${path}`)
  return path
}

/** Red fading out to the right. */
async function transparent(folder: string, depth = 8): Promise<string> {
  const path = join(folder, 'transparent.png')
  const drawing = `-size 64x96 gradient:#c0502000-#206080ff -rotate 90 -depth ${depth}`
  await magick(...words(drawing), `PNG32:${path}`)
  return path
}

const deep = async (folder: string): Promise<string> => {
  const path = join(folder, 'deep.png')
  await magick('-size', '96x64', 'radial-gradient:#c05020-#206080', '-depth', '16', `PNG48:${path}`)
  return path
}

/** Three frames: 100, 200 and 300 ms, twice. */
async function frames(folder: string): Promise<readonly string[]> {
  const colors = ['#c04030', '#30a050', '#3050c0']
  return Promise.all(
    colors.map(async (color, index) => {
      const path = join(folder, `frame-${index}.png`)
      await magick('-size', '48x32', `xc:${color}`, `PNG24:${path}`)
      return path
    }),
  )
}

const animatedGif = async (folder: string, path: string): Promise<void> => {
  const [one = '', two = '', three = ''] = await frames(folder)
  await magick('-loop', '2', '-delay', '10', one, '-delay', '20', two, '-delay', '30', three, path)
}

const animatedWebp = async (folder: string, path: string): Promise<void> => {
  const [one = '', two = '', three = ''] = await frames(folder)
  const timed = ['-d', '100', one, '-d', '200', two, '-d', '300', three]
  await tool('img2webp', ...words('-loop 2 -lossless'), ...timed, '-o', path)
}

/** FFmpeg's APNG muxer needs frames of equal length, so a sequence of ten stands for three. */
const apng = async (folder: string, path: string): Promise<void> => {
  await frames(folder)
  await ffmpeg('-framerate', '5', '-i', join(folder, 'frame-%d.png'), '-plays', '2', '-f', 'apng', path)
}

/** The result of sharp's P3 profile. Its pixels don't matter here. */
const inP3 = (from: string, path: string): Promise<unknown> => sharp(from).withIccProfile('p3').toFile(path)

const p3 = async (folder: string): Promise<string> => {
  const path = join(folder, 'p3.png')
  await inP3(await picture(folder), path)
  return path
}

/** A TIFF with GeoTIFF tags, Photoshop's layers, content credentials, and a channel without a stated use. */
const tiffWithParts = (): Buffer =>
  makeTiff({
    width: 96,
    height: 64,
    photometric: 2,
    samples: 5,
    // Some tools take a first one without a use for transparency.
    extraSamples: [2, 0],
    sample: (x, y, channel) => [x * 2, y * 3, 128 - x, 255, y][channel] ?? 0,
    tags: {
      33_550: new Float64Array([2, 2, 0]),
      33_922: new Float64Array([0, 0, 0, 500_000, 4_500_000, 0]),
      34_735: [1, 1, 0, 1, 1025, 0, 1, 1],
      37_724: Buffer.from('Adobe Photoshop Document Data Block\0MIB8ryaL\x04\0\0\0\x01\0\0\0', 'latin1'),
      52_545: Buffer.from('\0\0\0\x10jumb\0\0\0\x08jumd', 'latin1'),
    },
  })

const PHOTOS: Readonly<Record<string, Make>> = {
  'full.jpg': async (folder, path) => {
    await inP3(await picture(folder), path)
    await tagged(path, '-IPTC:Headline=Dusk', '-Comment=By hand')
  },
  'turned.jpg': async (folder, path) => {
    await magick(await picture(folder), '-quality', '95', path)
    await tagged(path, '-Orientation#=6')
  },
  'motion.jpg': async (folder, path) => {
    const clip = join(folder, 'motion.mp4')
    await ffmpeg(...words('-f lavfi -i testsrc2=s=64x48:d=1 -c:v libx264 -pix_fmt yuv420p'), clip)
    await magick(await picture(folder), '-quality', '95', path)
    const { size } = await stat(clip)
    const offset = `-XMP-GCamera:MicroVideoOffset=${size}`
    await tagged(path, '-XMP-GCamera:MicroVideo=1', '-XMP-GCamera:MicroVideoVersion=1', offset)
    await appendFile(path, await readFile(clip))
  },
  'full.png': async (folder, path) => {
    await inP3(await picture(folder), path)
    await tagged(path, '-PNG:Comment=By hand')
  },
  'transparent.png': async (folder, path) => copyFile(await transparent(folder), path),
  'deep.png': async (folder, path) => copyFile(await deep(folder), path),
  'animated.png': apng,
  'full.webp': async (folder, path) => {
    await inP3(await picture(folder), path)
    await tagged(path)
  },
  'transparent.webp': async (folder, path) => tool('cwebp', '-quiet', await transparent(folder), '-o', path),
  'animated.webp': animatedWebp,
  'full.avif': async (folder, path) => {
    await tool('avifenc', await p3(folder), path)
    await tagged(path)
  },
  'deep.avif': async (folder, path) => tool('avifenc', '-d', '10', await deep(folder), path),
  'transparent.avif': async (folder, path) => tool('avifenc', await transparent(folder), path),
  'full.heic': async (folder, path) => {
    await tool('heif-enc', '-q', '90', await p3(folder), '-o', path)
    await tagged(path)
  },
  'full.jxl': async (folder, path) => {
    await tool('cjxl', await p3(folder), path, '--quiet', '--container=1')
    await tagged(path)
  },
  'deep.jxl': async (folder, path) => tool('cjxl', await deep(folder), path, '--quiet', '-d', '0'),
  'animated.jxl': async (folder, path) => {
    const gif = join(folder, 'for-jxl.gif')
    await animatedGif(folder, gif)
    await tool('cjxl', gif, path, '--quiet')
  },
  'full.tiff': async (folder, path) => {
    await inP3(await picture(folder), path)
    await tagged(path, '-IPTC:Headline=Dusk')
  },
  'pages.tiff': async (folder, path) => magick(...(await frames(folder)), '-compress', 'lzw', path),
  'parts.tiff': (_folder, path) => writeFile(path, tiffWithParts()),
  'deep.tiff': async (folder, path) => magick(await deep(folder), '-depth', '16', path),
  'transparent.tiff': async (folder, path) => magick(await transparent(folder), path),
  'animated.gif': async (folder, path) => {
    await animatedGif(folder, path)
    await tool('exiftool', '-q', '-overwrite_original', '-Comment=By hand', TITLE, path)
  },
  'still.bmp': async (folder, path) => magick(await picture(folder), `BMP3:${path}`),
}

export const PHOTO_SAMPLES = samplesIn(PHOTOS)
