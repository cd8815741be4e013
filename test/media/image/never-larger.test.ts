import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { segment } from '../../../src/media/image/jpeg-segments.ts'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { carriesMetadata } from '../../../src/media/image/bare/bare.ts'
import { NO_VARIATION } from '../no-variation.ts'
import { box, makeHeic } from './make-heic.ts'
import {
  inserted,
  photoFile,
  type PhotoRecipe,
  processContent,
  processPhoto,
  usePhotoFolder,
  withChunks,
} from './process-photo.ts'
import { taskNamed } from '../../../src/shared/preset/tasks.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { mediaCorpus, oddMedia } from '../../media-corpus.ts'

usePhotoFolder()

/** Every pixel is random, so that higher quality always takes more bytes. */
const GRAY = { width: 64, height: 48, channels: 3, background: '#888' } as const
const NOISE = sharp({ create: { ...GRAY, noise: { type: 'gaussian', mean: 128, sigma: 40 } } })
const poor = () => NOISE.clone().jpeg({ quality: 30 })
const COARSE = { quality: 20 }

/** Returns whether processing leaves the file's bytes unchanged. The recipe compresses less than the file. */
async function isKept(
  content: Buffer,
  recipe: PhotoRecipe = {},
  ending = 'jpg',
  changes: Parameters<typeof processPhoto>[2] = {},
) {
  const asked = [
    { quality: 89, ...recipe },
    { neverLarger: true, ...changes },
  ] as const
  const made = await processContent(`a.${ending}`, content, ...asked)
  const { handedOut, output, bytes, notes, width, height } = made
  // Writing again under a name that others may have seen could follow a symbolic link of theirs.
  expect(output).toBe(handedOut.at(-1))
  const kept = bytes.equals(content)
  expect(handedOut).toHaveLength(kept ? 2 : 1)
  expect(notes).toEqual(kept ? ['original-kept'] : [])
  expect(await sharp(bytes).metadata()).toMatchObject({ width, height })
  return kept
}

describe('a photo that its recipe would only make larger', () => {
  it.each(firstOf(['jpeg', 'png', 'webp', 'avif'] as const, 2))('is kept unchanged: %s', async (format) => {
    const made = { jpeg: { quality: 30 }, png: { palette: true }, webp: COARSE, avif: COARSE }
    const content = await NOISE.clone().toFormat(format, made[format]).toBuffer()
    expect(await isKept(content, {}, format)).toBe(true)
    expect(await isKept(content, { format }, format)).toBe(true)
  })

  it('is re-encoded if the recipe requires that, and if it is one of several variations', async () => {
    const content = await poor().toBuffer()
    expect(await isKept(content, {}, 'jpg', { neverLarger: false })).toBe(false)
    expect(await isKept(content, {}, 'jpg', { variation: NO_VARIATION })).toBe(false)
  })

  it.each<[string, PhotoRecipe]>([
    ['another format', { format: 'webp' }],
    ['a smaller size', { size: { width: 63 } }],
    ['a frame', { size: { width: 80, height: 80, fit: 'contain' } }],
    ['another shape', { crop: { aspect: 1 } }],
    ['another rotation', { rotate: 180 }],
    ['gray', { grayscale: true }],
  ])('is re-encoded for %s', async (_, recipe) => {
    expect(await isKept(await poor().toBuffer(), recipe)).toBe(false)
  })

  it('is re-encoded if its pixels aren’t stored upright', async () => {
    const turned = await poor().withMetadata({ orientation: 6 }).toBuffer()
    expect(await isKept(turned, { metadata: 'keep' })).toBe(false)
  })

  it('is re-encoded if its colors are converted, but not if it only has an sRGB profile', async () => {
    const wide = await poor().withIccProfile('p3').toBuffer()
    expect(await isKept(wide)).toBe(false)
    expect(await isKept(wide, { colour: 'keep' })).toBe(true)
    const plain = await poor().withIccProfile('srgb').toBuffer()
    expect(await isKept(plain, { quality: 95, metadata: 'keep' })).toBe(true)
  })

  it('is re-encoded if a lower quality makes it smaller', async () => {
    const rich = await NOISE.clone().jpeg({ quality: 100 }).toBuffer()
    const { bytes } = await processContent('a.jpg', rich, { quality: 60 }, { neverLarger: true })
    expect(bytes.length).toBeLessThan(rich.length)
  })
})

/** Processes a photo that must never become larger. Returns false if its bytes have changed. */
const kept = async (name: string, content: Buffer, recipe: PhotoRecipe = {}) => {
  const asked = { quality: 100, metadata: 'keep', colour: 'keep', ...recipe } as const
  const made = await processContent(name, content, asked, { neverLarger: 'always' })
  return made.bytes.equals(content) && [made.extension, made.notes, made.quality]
}

describe('a photo that must never become larger', () => {
  it('is kept unchanged, whatever its format', async () => {
    const gif = await sharp({ create: GRAY }).gif({ colors: 2 }).toBuffer()
    expect(await kept('a.png', gif, { format: 'jpeg' })).toEqual(['gif', ['original-kept'], 'lossless'])
    const cmyk = await poor().toColorspace('cmyk').toBuffer()
    expect(await kept('a.jpg', cmyk)).toEqual(['jpg', ['original-kept'], 'lossless'])
    const heic = makeHeic({ tile: { width: 64, height: 64 }, width: 64, height: 64 })
    expect(await kept('a.heic', heic, { format: 'tiff' })).toEqual(['heic', ['original-kept'], 'lossless'])
  })

  itInLongSuite('is kept unchanged if it is turned by its metadata', async () => {
    const turned = await poor().withMetadata({ orientation: 6 }).toBuffer()
    expect(await kept('a.jpg', turned)).toEqual(['jpg', ['original-kept'], 'lossless'])
    expect(await kept('a.jpg', turned, { metadata: 'strip' })).toBe(false)
    expect(await kept('a.jpg', turned, { rotate: 90 })).toBe(false)
  })

  const corpus = [...mediaCorpus(), ...oddMedia()].filter(
    (entry) => entry.kind === 'image' && entry.expect === 'processable' && entry.bytes < 800_000,
  )
  itInLongSuite.each(corpus)(
    'stays within the size that is estimated for a task: $file',
    async (original) => {
      const recipe = { ...taskNamed('Under a size')?.preset.image, mayShrink: false, maxBytes: 50_000_000 }
      const { bytes } = await processPhoto(original.path, recipe, { neverLarger: 'always' })
      expect(bytes.length).toBeLessThanOrEqual(original.bytes)
    },
  )
})

const withSegment = (jpeg: Buffer, marker: number, content: string, at = 2) =>
  inserted(jpeg, at, segment(marker, content, Buffer.alloc(0)))

const withBox =
  (type: string, content = Buffer.from('by Ada')) =>
  (file: Buffer) =>
    Buffer.concat([file, box(type, content)])

describe('metadata that a recipe strips', () => {
  it('forces a re-encoding, unless the recipe keeps metadata', async () => {
    const described = poor().withExif({ IFD0: { Artist: 'Ada' } })
    const content = await described.toBuffer()
    expect(await isKept(content)).toBe(false)
    expect(await isKept(content, { metadata: 'keep' })).toBe(true)
  })

  it.each(
    firstOf(
      [
        ['a comment', 0xfe, 'by Ada'],
        ['a caption', 0xed, 'Photoshop 3.0\0…'],
        ['further pictures', 0xe2, 'MPF\0…'],
        ['a thumbnail', 0xe0, 'JFXX\0…'],
      ],
      2,
    ),
  )('includes %s in a JPEG', async (_, marker, content) => {
    expect(await isKept(withSegment(await poor().toBuffer(), marker, content))).toBe(false)
  })

  it('includes data that a phone has appended to a JPEG', async () => {
    const jpeg = await poor().toBuffer()
    expect(await isKept(Buffer.concat([jpeg, Buffer.from('SEFT place and time')]))).toBe(false)
    expect(await isKept(Buffer.concat([jpeg, Buffer.alloc(8)]))).toBe(true)
    const progressive = await poor().jpeg({ quality: 30, progressive: true }).toBuffer()
    expect(await isKept(progressive)).toBe(true)
  })

  itInLongSuite('includes text in a PNG and in a WebP', async () => {
    const png = await NOISE.clone().png({ palette: true }).toBuffer()
    expect(await isKept(withChunks(png, pngChunk('prVt', Buffer.from('by Ada'))), {}, 'png')).toBe(false)
    const webp = await NOISE.clone().webp(COARSE).toBuffer()
    const more = Buffer.concat([webp, Buffer.from('NOTE\x04\0\0\0Ada!', 'latin1')])
    more.writeUInt32LE(more.length - 8, 4)
    expect(await isKept(more, {}, 'webp')).toBe(false)
  })

  itInLongSuite(
    'includes a thumbnail in a JPEG’s first segment, and a comment between its scans',
    async () => {
      const jpeg = await poor().jpeg({ quality: 30, progressive: true }).toBuffer()
      const thumbnail = segment(0xe0, 'JFIF\0', Buffer.from([1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0]))
      expect(await isKept(inserted(jpeg, 2, thumbnail))).toBe(false)
      const lastScan = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]))
      expect(await isKept(withSegment(jpeg, 0xfe, 'by Ada', lastScan))).toBe(false)
    },
  )

  describe('in an AVIF', () => {
    it.each(
      firstOf(
        [
          ['a box of a content credential', withBox('uuid')],
          ['an unknown box', withBox('ada!')],
          ['padding with content', withBox('free')],
          ['appended bytes', (file: Buffer) => Buffer.concat([file, Buffer.from('SEFT place and time')])],
          ['data that no item uses', withBox('mdat')],
          ['a second description of items', withBox('meta', Buffer.alloc(4))],
          ['the name of an item', (file: Buffer) => replaced(file, 'av01\0', 'av01A')],
          ['a property', (file: Buffer) => replaced(file, 'pixi', 'udes')],
        ],
        2,
      ),
    )('includes %s', async (_, change) => {
      const content = await NOISE.clone().avif(COARSE).toBuffer()
      expect(await isKept(content, {}, 'avif')).toBe(true)
      const changed = change(content)
      expect(changed.equals(content)).toBe(false)
      const path = await photoFile('changed.avif', changed)
      expect(await carriesMetadata(path, 'avif')).toBe(true)
    })

    it('doesn’t include transparency', async () => {
      const content = await NOISE.clone().ensureAlpha(0.5).avif(COARSE).toBuffer()
      expect(await carriesMetadata(await photoFile('alpha.avif', content), 'avif')).toBe(false)
    })
  })
})

it('assumes that a TIFF has metadata without reading the file, which may be too large for the memory', async () => {
  expect(await carriesMetadata('/missing/scan.tiff', 'tiff')).toBe(true)
})

function replaced(file: Buffer, from: string, to: string): Buffer {
  const changed = Buffer.from(file)
  changed.write(to, changed.indexOf(from), 'latin1')
  return changed
}
