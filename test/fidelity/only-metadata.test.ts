/**
 * Removing metadata or the location changes nothing else in photos and copied videos: third-party tools decode the same pixels, frames and
 * samples from the result, and find no location in it. `npm test` does it to one photo.
 */
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processImage } from '../../src/media/image/process-image.ts'
import { processVideo } from '../../src/media/video/process-video.ts'
import { ImageRecipe, VideoRecipe } from '../../src/shared/preset/preset.ts'
import { describeInLongSuite, firstOf } from '../faults/long-suite.ts'
import { corpusFile } from '../media-corpus.ts'
import { type Make, PHOTO_SAMPLES, type Sample } from './photo-samples.ts'
import { VIDEO_SAMPLES } from './video-samples.ts'
import { exifTags, ffmpeg, installTools, magick, tagNamed, tool } from './tools.ts'

let root = ''
beforeAll(async () => {
  installTools()
  root = await mkdtemp(join(tmpdir(), 'mediatray-only-metadata-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** From a phone, from a camera, for print, and turned only by Exif. */
const real = [
  'hopper_orientation_6.webp',
  'cmyk-with-adobe-marker.jpg',
  'HMD_Nokia_8.3_5G.jpg',
  'arrow-iPhone8Plus-rotated.heic',
].flatMap(corpusFile)

const all: readonly Sample[] = [
  ...real.map(({ file, path }) => ({ file, make: (_folder: string, copy: string) => copyFile(path, copy) })),
  ...PHOTO_SAMPLES,
]

async function made(file: string, make: Make): Promise<string> {
  const folder = await mkdtemp(join(root, 'original-'))
  const path = join(folder, file)
  await make(folder, path)
  return path
}

/** BMP has no metadata, and becomes PNG. */
const samples = firstOf(all.filter(({ file }) => !file.endsWith('.bmp')))

describe.each(samples.map(({ file, make }) => [file, make] as const))('%s', (file, make) => {
  let original = ''
  beforeAll(async () => {
    original = await made(file, make)
  })

  it.each(firstOf(['strip', 'strip-location'] as const))(
    'keeps its pixels and its format: %s',
    async (metadata) => {
      const folder = await mkdtemp(join(root, 'result-'))
      const recipe = ImageRecipe.parse({ quality: 92, colour: 'keep', metadata })
      const { temporaryPath, extension } = await processImage(jobIn(folder, original, recipe))
      expect(`.${extension}`).toBe(extname(original))
      expect(await pixelsOf(temporaryPath, folder)).toBe(await pixelsOf(original, folder))
      const [before, after] = [await exifTags(original), await exifTags(temporaryPath)]
      expect(Object.keys(after).filter((tag) => /GPS/i.test(tag))).toEqual([])
      // The container of HEIC turns the picture, and Exif only repeats that.
      if (!file.endsWith('.heic'))
        expect(tagNamed(after, 'Orientation') ?? '1').toBe(tagNamed(before, 'Orientation') ?? '1')
      const kept = metadata === 'strip' ? [] : ['Make', 'Artist', 'Title', 'Headline']
      for (const name of ['Make', 'Artist', 'Title', 'Headline', 'Comment'])
        expect([name, tagNamed(after, name)]).toEqual([
          name,
          kept.includes(name) ? tagNamed(before, name) : undefined,
        ])
    },
  )
})

const videos = VIDEO_SAMPLES.filter(({ file }) => /\.(?:mp4|mov|mkv|webm)$/.test(file))

describeInLongSuite.each(videos.map(({ file, make }) => [file, make] as const))('%s', (file, make) => {
  let original = ''
  beforeAll(async () => {
    original = await made(file, make)
  })

  it.each(['strip', 'strip-location'] as const)('keeps its frames and its format: %s', async (metadata) => {
    const folder = await mkdtemp(join(root, 'result-'))
    const finished = await copied(original, folder, metadata)
    expect(extname(finished.temporaryPath)).toBe(extname(original))
    expect(await contentOf(finished.temporaryPath)).toBe(await contentOf(original))
    const tags = Object.entries(await exifTags(finished.temporaryPath))
    expect(tags.filter(([tag]) => /GPS|location/i.test(tag))).toEqual([])
  })
})

it('A video with FFmpeg’s and ExifTool’s tags keeps all of them except the place', async () => {
  const folder = await mkdtemp(join(root, 'two-'))
  const original = join(folder, 'two.mp4')
  const tags = ['title=Lake', 'artist=Ann', 'make=Old', 'comment=Calm']
  const options = [...tags.flatMap((tag) => ['-metadata', tag]), '-movflags', 'use_metadata_tags']
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=size=64x64:duration=0.2', ...options, original)
  const added = ['LocationName=Rue Secrète 5', 'Make=Acme', 'Model=One'].map((tag) => `-Keys:${tag}`)
  await tool('exiftool', '-overwrite_original', ...added, original)
  const kept = { Title: 'Lake', Artist: 'Ann', Make: 'Acme', Model: 'One', Comment: 'Calm' }
  for (const metadata of ['strip-location', 'strip'] as const) {
    const { temporaryPath, losses } = await copied(original, folder, metadata)
    expect(losses).toEqual([])
    const after = await exifTags(temporaryPath)
    for (const [name, value] of Object.entries(kept))
      expect([name, tagNamed(after, name)]).toEqual([name, metadata === 'strip' ? undefined : value])
    expect((await readFile(temporaryPath)).includes('Rue')).toBe(false)
  }
})

/** Copies a video without its metadata or its location. */
function copied(inputPath: string, folder: string, metadata: 'strip' | 'strip-location') {
  const recipe = VideoRecipe.parse({ container: 'same', codec: 'copy', metadata })
  return processVideo(jobIn(folder, inputPath, recipe, metadata), [])
}

const jobIn = <Recipe>(folder: string, inputPath: string, recipe: Recipe, name = 'result') => ({
  inputPath,
  recipe,
  variation: undefined,
  neverLarger: false,
  temporaryPath: (ending: string) => join(folder, `${name}.${ending}`),
  onProgress: () => undefined,
  signal: new AbortController().signal,
})

/** Returns a hash of all decoded frames, and one of each audio track. */
const contentOf = (path: string): Promise<string> =>
  ffmpeg('-i', path, '-map', '0:v:0', '-map', '0:a?', '-fps_mode', 'passthrough', '-f', 'streamhash', '-')

/** Decoders to PNG for formats that ImageMagick doesn't read everywhere. */
const DECODERS: Readonly<Record<string, string>> = {
  '.avif': 'avifdec',
  '.heic': 'heif-convert',
  '.jxl': 'djxl',
}

/** Returns a hash of all pixels and frames, with their profile. */
async function pixelsOf(path: string, folder: string): Promise<string> {
  const decoder = DECODERS[extname(path)]
  if (path.endsWith('.png')) return ffmpeg('-i', path, '-f', 'md5', '-')
  if (decoder === undefined) return magick(path, '-format', '%#\n', 'info:')
  const png = join(folder, `${extname(path)}-decoded.png`)
  await tool(decoder, path, png)
  const hash = await magick(png, '-format', '%#\n', 'info:')
  await rm(png)
  return hash
}
