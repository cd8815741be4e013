import { readFile, stat } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { openImage } from '../../../src/media/image/source-image.ts'
import { joinPages } from '../../../src/media/image/tiff-pages.ts'
import { writeExif } from '../../../src/media/metadata/exif-directories.ts'
import { withTiffMetadata } from '../../../src/media/metadata/tiff-metadata.ts'
import { makePages, makeTiff, type TiffShape } from './make-tiff.ts'
import { photoFile, processContent, processPhoto, samplePhoto, usePhotoFolder } from './process-photo.ts'
import { codesOf, sentencesOf } from '../loss-sentences.ts'
import { DUBLIN_CORE, xmpPacket } from '../xmp-packet.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()
const [STRIP_OFFSETS, ORIENTATION] = [273, 274]

const plain = (background: string, width = 40, height = 30): Sharp =>
  sharp({ create: { width, height, channels: 3, background } })

/** Makes a TIFF file of pages that differ in size, depth and channels. */
async function documentOf(pages: readonly Sharp[], name = 'document.tif'): Promise<string> {
  const [first, ...others] = await Promise.all(
    pages.map((page, index) => photoFile(`page-${index}.tif`, page.tiff({ compression: 'deflate' }))),
  )
  const document = await photoFile(name, await readFile(first ?? ''))
  const append = await joinPages(document)
  for (const page of others) expect(await append(page)).toBe(true)
  return document
}

async function pagesIn(path: string) {
  const { pages = 1 } = await sharp(path).metadata()
  return Promise.all(
    Array.from({ length: pages }, async (_, page) => {
      const { width, height, space, hasAlpha } = await sharp(path, { page }).metadata()
      const { channels } = await sharp(path, { page }).stats()
      return { width, height, space, hasAlpha, means: channels.map(({ mean }) => Math.round(mean)) }
    }),
  )
}

async function expectRedAndBlue(path: string): Promise<void> {
  expect((await pagesIn(path)).flatMap(({ means }) => means)).toEqual([255, 0, 0, 0, 0, 255])
}

/** Pages that differ in everything. */
const mixed = () => [
  plain('#ff0000'),
  plain('#00ff00', 60, 20).withMetadata({ orientation: 6 }),
  plain('#0000ff80', 20, 50).ensureAlpha(0.5),
  plain('#404040').toColourspace('b-w'),
  plain('#404040').toColourspace('grey16'),
]

describe('the pages of a TIFF', () => {
  it('stay pages of a TIFF, each with its own size, channels and depth', async () => {
    const { output, losses, width, height } = await processPhoto(await documentOf(mixed()))
    expect(losses).toEqual([])
    expect({ width, height }).toEqual({ width: 40, height: 30 })
    expect(await pagesIn(output)).toEqual([
      { width: 40, height: 30, space: 'srgb', hasAlpha: false, means: [255, 0, 0] },
      { width: 20, height: 60, space: 'srgb', hasAlpha: false, means: [0, 255, 0] },
      { width: 20, height: 50, space: 'srgb', hasAlpha: true, means: [0, 0, 255, 127] },
      { width: 40, height: 30, space: 'b-w', hasAlpha: false, means: [64] },
      { width: 40, height: 30, space: 'grey16', hasAlpha: false, means: [expect.closeTo(64 * 257, -3)] },
    ])
  })

  itInLongSuite('are resized one by one', async () => {
    const document = await documentOf(mixed())
    const { output } = await processPhoto(document, { format: 'tiff', size: { width: 10 } })
    const sizes = (await pagesIn(output)).map(({ width, height }) => `${width} × ${height}`)
    expect(sizes).toEqual(['10 × 8', '10 × 30', '10 × 25', '10 × 8', '10 × 8'])
  })

  itInLongSuite('share a maximum file size', async () => {
    const document = await documentOf([samplePhoto(), samplePhoto(240, 160), plain('#ff0000')])
    const unlimited = (await processPhoto(document)).bytes.length
    const maxBytes = Math.round(unlimited / 3)
    const { output } = await processPhoto(document, { maxBytes, mayShrink: true })
    expect((await stat(output)).size).toBeLessThanOrEqual(maxBytes)
    expect((await pagesIn(output)).length).toBe(3)
    const roomy = await processPhoto(document, { maxBytes: unlimited + 9 })
    expect(roomy.bytes.length).toBeLessThanOrEqual(unlimited)
  })

  itInLongSuite('have smaller dimensions if one of them had to be reduced', async () => {
    const document = await documentOf([plain('#ff0000'), samplePhoto()])
    const unlimited = await processPhoto(document)
    expect(unlimited.notes).toEqual([])
    const maxBytes = Math.round(unlimited.bytes.length / 2)
    const { output, notes } = await processPhoto(document, { maxBytes, mayShrink: true })
    const [first, second] = await pagesIn(output)
    expect(first?.width).toBe(40)
    expect(second?.width).toBeLessThan(480)
    expect(notes).toEqual(['shrunk-to-fit'])
  })

  itInLongSuite('stay in the original file if it is smaller and nothing else changes', async () => {
    const small = await documentOf([plain('#ff0000', 1, 1), plain('#00ff00', 2, 1)])
    const changes = { neverLarger: true }
    const kept = await processPhoto(small, { metadata: 'keep' }, changes)
    expect(kept.notes).toEqual(['original-kept'])
    expect(kept.bytes).toEqual(await readFile(small))
    const turned = await processPhoto(small, { metadata: 'keep', rotate: 90 }, changes)
    expect(turned.notes).toEqual([])
    expect((await pagesIn(turned.output)).map(({ height }) => height)).toEqual([1, 2])
  })

  it('keep the metadata of each page', async () => {
    const files = await Promise.all(
      ['front', 'back'].map(async (title) => {
        const tiff = await plain('#ff0000').tiff({ compression: 'deflate' }).toBuffer()
        const bytes = Buffer.from(`p-${title}`)
        const name = { tag: 0x011d, kind: 'value', type: 2, count: bytes.length, bytes } as const
        const exif = writeExif({ order: 'II', entries: [name] })
        const xmp = xmpPacket(DUBLIN_CORE, `<dc:title>${title}</dc:title>`)
        const described = withTiffMetadata(tiff, { exif, xmp, comments: [] })
        return photoFile(`${title}.tif`, described)
      }),
    )
    const [document = '', second = ''] = files
    const append = await joinPages(document)
    await append(second)
    const kept = await processPhoto(document, { metadata: 'keep' })
    expect(kept.losses).toEqual([])
    const texts = ['>front<', '>back<', 'p-front', 'p-back']
    expect(texts.filter((text) => kept.bytes.includes(text))).toEqual(texts)
    const stripped = await processPhoto(document, { metadata: 'strip' })
    expect(['front', 'back'].filter((title) => stripped.bytes.includes(title))).toEqual([])
  })

  itInLongSuite('may follow or contain smaller copies, which aren’t pages', async () => {
    const document = await documentOf([plain('#ff0000'), plain('#00ff00', 10, 8), plain('#0000ff')])
    const bytes = await readFile(document)
    const second = directoriesIn(bytes)[1] ?? 0
    const entries = second + 2
    // NewSubfileType comes first, in place of the orientation.
    bytes.copyWithin(entries + 12, entries, entryIn(bytes, second, ORIENTATION))
    bytes.writeUInt16LE(254, entries)
    bytes.writeUInt16LE(4, entries + 2)
    bytes.writeUInt32LE(1, entries + 4)
    bytes.writeUInt32LE(1, entries + 8)
    const { output, losses } = await processContent('copy.tif', bytes)
    expect(losses).toEqual([])
    await expectRedAndBlue(output)
    // A transparency mask isn't a page either, but it is lost.
    bytes.writeUInt32LE(4, entries + 8)
    const masked = await processContent('mask.tif', bytes)
    expect(codesOf(masked.losses)).toEqual(['embeddedImages'])
    expect(await pagesIn(masked.output)).toHaveLength(2)
  })

  itInLongSuite('that are damaged are left out and listed as lost', async () => {
    const document = await documentOf([plain('#ff0000'), samplePhoto(), plain('#0000ff')])
    const bytes = await readFile(document)
    const second = directoriesIn(bytes)[1] ?? 0
    const strips = bytes.readUInt32LE(entryIn(bytes, second, STRIP_OFFSETS) + 8)
    const pixels = bytes.readUInt32LE(strips)
    bytes.fill(0xff, pixels, pixels + 2000)
    const { output, losses } = await processContent('damaged.tif', bytes)
    expect(sentencesOf(losses)).toEqual(['Page 2. It’s damaged in the original.'])
    await expectRedAndBlue(output)
  })

  const INKS = { photometric: 5, samples: 4, sample: () => 90 }

  it.each<[string, TiffShape, readonly string[]]>(
    firstOf([
      ['inks', INKS, ['inks']],
      ['a spot color', { ...INKS, photometric: 2, extraSamples: [0] }, ['extraChannels']],
      ['samples of 32 bits', { bits: 32, sample: (x) => x * 2 ** 26 }, ['bitDepth']],
      ['highlights', { bits: 32, sampleFormat: 3, sample: (x) => x / 8 }, ['hdr']],
      [
        'content credentials and a page number',
        { sample: (x) => x, tags: { 52_545: Buffer.from('jumb'), 297: [1, 2] } },
        ['contentCredentials'],
      ],
      ['only what TIFF holds', { bits: 16, samples: 2, extraSamples: [2], sample: (x) => x * 900 }, []],
    ]),
  )('beyond the first may lose something: %s', async (_, shape, codes) => {
    const input = await photoFile('several.tif', makePages([{ sample: (x) => x }, shape, shape]))
    const { losses, output } = await processPhoto(input, { colour: 'keep', metadata: 'keep' })
    expect(codesOf(losses)).toEqual(codes)
    expect(await pagesIn(output)).toHaveLength(3)
  })

  itInLongSuite('beyond the first may have flaws', async () => {
    const document = await documentOf([plain('#ff0000'), plain('#00ff00')])
    const bytes = await readFile(document)
    const second = directoriesIn(bytes)[1] ?? 0
    // The last entry, the resolution unit, appears twice.
    const last = second + 2 + (bytes.readUInt16LE(second) - 1) * 12
    bytes.writeUInt16LE(bytes.readUInt16LE(last - 12), last)
    const { notes, detail, losses } = await processContent('flaws.tif', bytes)
    expect([notes, detail, losses]).toEqual([['flaws-passed-over'], expect.stringMatching(/./), []])
  })

  it('beyond the first are listed as lost if the format holds only one', async () => {
    const { losses } = await processPhoto(await documentOf(mixed()), { format: 'png' })
    expect(sentencesOf(losses)).toEqual(['Pages 2 to 5. PNG holds one page.'])
  })
})

describe('a stack with a single directory', () => {
  const [WIDTH, HEIGHT, DESCRIPTION, STRIP_BYTES] = [16, 257, 270, 279]

  /** The images follow each other as if they were one tall picture. Only the description says otherwise. */
  function stackOf(description: string, shape: Partial<TiffShape>): Buffer {
    const unit = shape.bits === 32 ? 1 / 255 : 1
    const file = makeTiff({
      width: WIDTH,
      height: 4 * WIDTH,
      sample: (x, y) => (x * 8 + Math.floor(y / WIDTH) * 40) * unit,
      tags: { [DESCRIPTION]: Buffer.from(`${description}\0`) },
      ...shape,
    })
    const directory = file.readUInt32LE(4)
    file.writeUInt32LE(WIDTH, entryIn(file, directory, HEIGHT) + 8)
    file.writeUInt16LE(2, entryIn(file, directory, DESCRIPTION) + 2)
    for (const tag of [STRIP_OFFSETS, STRIP_BYTES]) {
      const strips = entryIn(file, directory, tag) + 4
      file.writeUInt32LE(Math.ceil(file.readUInt32LE(strips) / 4), strips)
    }
    return file
  }

  itInLongSuite.each<[string, string, Partial<TiffShape>]>([
    ['ImageJ', 'ImageJ=1.53t\nimages=4\nslices=4\n', {}],
    ['ImageJ in several strips', 'ImageJ=1.53t\nimages=4\n', { rowsPerStrip: 4 }],
    ['ImageJ with floating-point numbers', 'ImageJ=1.53t\nimages=4\n', { bits: 32, sampleFormat: 3 }],
    ['tifffile', '{"shape": [2, 2, 16, 16], "truncated": true}', {}],
  ])('keeps its images as pages, or names them: %s', async (_, description, shape) => {
    const input = await photoFile('stack.tif', stackOf(description, shape))
    const kept = await processPhoto(input, { metadata: 'keep' })
    expect(kept.losses?.filter(({ code }) => code === 'pages')).toEqual([])
    const { is16Bit } = await openImage(kept.output)
    expect((await pagesIn(kept.output)).map(({ means }) => (means[0] ?? 0) / (is16Bit ? 257 : 1))).toEqual(
      [60, 100, 140, 180].map((mean) => expect.closeTo(mean, 0)),
    )
    const bare = await processPhoto(input, { metadata: 'strip', colour: 'keep', quality: 92 })
    expect([await pagesIn(bare.output), bare.bytes.includes(description)]).toEqual([
      await pagesIn(kept.output),
      false,
    ])
    const { losses } = await processPhoto(input, { format: 'png' })
    expect(sentencesOf(losses)).toContain('Pages 2 to 4. PNG holds one page.')
    const again = await processPhoto(kept.output, { format: 'tiff', metadata: 'keep' })
    expect(await pagesIn(again.output)).toHaveLength(4)
  })

  it('has no more images than the file holds', async () => {
    const input = await photoFile('stack.tif', stackOf('ImageJ=1.53t\nimages=90\n', {}))
    const { output } = await processPhoto(input)
    expect(await pagesIn(output)).toHaveLength(4)
  })
})

function directoriesIn(tiff: Buffer): readonly number[] {
  const found: number[] = []
  for (let at = tiff.readUInt32LE(4); at !== 0;) {
    found.push(at)
    at = tiff.readUInt32LE(at + 2 + tiff.readUInt16LE(at) * 12)
  }
  return found
}

function entryIn(tiff: Buffer, directory: number, tag: number): number {
  const count = tiff.readUInt16LE(directory)
  const entries = Array.from({ length: count }, (_, index) => directory + 2 + index * 12)
  const found = entries.find((entry) => tiff.readUInt16LE(entry) === tag)
  if (found === undefined) throw new Error(`The directory has no tag ${tag}`)
  return found
}
