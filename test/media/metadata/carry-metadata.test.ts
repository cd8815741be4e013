/** What a result says about itself, in another format than its original. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { withMetadata } from '../../../src/media/image/jpeg-xl-file.ts'
import { makeBox } from '../../../src/media/make-box.ts'
import { MARKERS, segment, withSegments, XMP_NAME } from '../../../src/media/image/jpeg-segments.ts'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { bytesOf, type ExifEntry, readExif, writeExif } from '../../../src/media/metadata/exif-directories.ts'
import { joinXmp, splitXmp } from '../../../src/media/metadata/extended-xmp.ts'
import { readMetadata } from '../../../src/media/metadata/read-metadata.ts'
import { withoutLocation } from '../../../src/media/metadata/without-location.ts'
import {
  inserted,
  photoFile,
  type PhotoRecipe,
  processContent,
  processPhoto,
  samplePhoto,
  usePhotoFolder,
  withChunks,
} from '../image/process-photo.ts'
import { codesOf } from '../loss-sentences.ts'
import { DUBLIN_CORE, xmpPacket } from '../xmp-packet.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'jxl', 'tiff'] as const

/** @param type of an entry whose elements are single bytes */
const valueOf = (tag: number, type: number, bytes: Buffer): ExifEntry => ({
  tag,
  kind: 'value',
  type,
  count: bytes.length,
  bytes,
})
const text = (tag: number, value: string): ExifEntry => valueOf(tag, 2, Buffer.from(`${value}\0`))
const number = (tag: number, value: number): ExifEntry => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return { tag, kind: 'value', type: 3, count: 1, bytes }
}

/** Exif in the order of bytes that libvips doesn't write. */
const exifWith = (more: readonly ExifEntry[] = []): Buffer =>
  writeExif({
    order: 'MM',
    entries: [
      text(0x010f, 'Some camera'),
      number(0x0112, 1),
      text(0x8298, 'Jörg'),
      text(0x000b, 'Some program'),
      text(0xc62f, '12345'),
      {
        tag: 0x8769,
        kind: 'directory',
        entries: [
          number(0x8827, 400),
          text(0x9003, '2024:05:06 07:08:09'),
          valueOf(0x9286, 7, Buffer.from('UNICODE\0\0A\0d\0a', 'latin1')),
          ...more,
        ],
      },
      { tag: 0x8825, kind: 'directory', entries: [text(0x0001, 'N'), text(0x001d, '2024:05:05')] },
    ],
  })

const xmpWith = (elements: string): Buffer => xmpPacket(DUBLIN_CORE, elements)

const resource = (id: number, content: string): Buffer => {
  const head = Buffer.from('8BIM\0\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt16BE(id, 4)
  head.writeUInt32BE(content.length, 8)
  const evenLength = content.length + (content.length % 2)
  return Buffer.concat([head, Buffer.from(content.padEnd(evenLength, '\0'), 'latin1')])
}
/** A vertical guide at pixel 16, and a horizontal one at pixel 12. */
const GUIDES = `\0\0\0\x01${'\0\0\x02\x40'.repeat(2)}\0\0\0\x02\0\0\x02\0\0\0\0\x01\x80\x01`
/** The copyright, its URL, and guides. Others are only about how Photoshop shows, stores and prints a photo. */
const PHOTOSHOP = [
  [0x040a, '\x01'],
  [0x040b, 'http://example.com/ada'],
  [0x0408, GUIDES],
] as const

const pngWith = async (...chunks: readonly Buffer[]) =>
  withChunks(await samplePhoto(64, 48).png().toBuffer(), ...chunks)

const IPTC = Buffer.from('\x1c\x02\x50\0\x03Ada\x1c\x02\x5a\0\x04Cove', 'latin1')
async function describedJpeg(
  exif = exifWith(),
  xmp = xmpWith('<dc:title>A title</dc:title>'),
): Promise<Buffer> {
  const resources = [
    resource(0x03ed, 'resolution'),
    resource(0x0404, IPTC.toString('latin1')),
    resource(0x041b, ''),
    ...PHOTOSHOP.map(([id, content]) => resource(id, content)),
  ]
  return withSegments(await samplePhoto(64, 48).jpeg().toBuffer(), [
    segment(MARKERS.APP1, 'Exif\0\0', exif),
    segment(MARKERS.APP1, 'http://ns.adobe.com/xap/1.0/\0', xmp),
    segment(MARKERS.APP13, 'Photoshop 3.0\0', Buffer.concat(resources)),
    segment(MARKERS.COM, '', Buffer.from('A comment')),
  ])
}

const valuesOf = (exif: Buffer | undefined): ReadonlyMap<number, ExifEntry> => {
  const entries = (exif && readExif(bytesOf(exif))?.entries) ?? []
  return new Map(
    entries
      .flatMap((entry) => (entry.kind === 'directory' ? [entry, ...entry.entries] : [entry]))
      .map((entry) => [entry.tag, entry]),
  )
}
const textOf = (exif: Buffer | undefined, tag: number): string | undefined => {
  const entry = valuesOf(exif).get(tag)
  return entry?.kind === 'value' ? entry.bytes.toString().replace(/\0$/, '') : undefined
}

/** Reads Exif and XMP with another library where it can. */
async function readBack(bytes: Buffer, format: (typeof FORMATS)[number]) {
  const own = await readMetadata(await photoFile(`result.${format}`, bytes), format)
  if (format === 'jxl' || format === 'tiff') return own
  const other = await sharp(bytes).metadata()
  expect(other.exif?.subarray(other.exif.toString('latin1', 0, 4) === 'Exif' ? 6 : 0)).toEqual(own.exif)
  expect(other.xmp).toEqual(own.xmp)
  return own
}

describe.each(FORMATS)('a photo’s metadata in %s', (format) => {
  it('is what the original says', async () => {
    const path = await photoFile('a.jpg', await describedJpeg())
    const first = await processPhoto(path, { format, metadata: 'keep' })
    // From each format back to JPEG.
    const second = await processContent(`b.${format}`, first.bytes, { format: 'jpeg', metadata: 'keep' })
    for (const [made, now] of [[first, format] as const, [second, 'jpeg'] as const]) {
      const { exif, xmp } = await readBack(made.bytes, now)
      expect(made.taken).toBe('2024-05-06 07.08.09')
      expect([0x010f, 0x8298, 0x001d, 0x000b, 0xc62f].map((tag) => textOf(exif, tag))).toEqual([
        'Some camera',
        'Jörg',
        '2024:05:05',
        'Some program',
        '12345',
      ])
      expect(xmp?.toString()).toContain('<dc:title>A title</dc:title>')
    }
    const holdsIptc = ['jpeg', 'png', 'tiff'].includes(format)
    const { iptc, photoshop, comments } = await readBack(first.bytes, format)
    expect(iptc).toEqual(holdsIptc ? IPTC : undefined)
    const resources = photoshop?.map(({ id, content }) => [id, content.toString('latin1')])
    expect(resources).toEqual(holdsIptc ? PHOTOSHOP : undefined)
    expect(comments.map((one) => one.text)).toEqual(
      format === 'jpeg' || format === 'png' ? ['A comment'] : [],
    )
    expect(codesOf(first.losses)).toEqual([
      ...(holdsIptc ? [] : ['iptc']),
      ...(comments.length > 0 ? [] : ['comment']),
    ])
  })

  const itOrLong = format === 'jpeg' ? it : itInLongSuite
  itOrLong('is there once if the quality is searched for', async () => {
    const path = await photoFile('searched.jpg', await withBlocks(exifWith()))
    const goal = format === 'png' || format === 'tiff' ? { maxBytes: 1_000_000 } : { look: 'high' as const }
    const { bytes, losses } = await processPhoto(path, { format, metadata: 'keep', ...goal })
    expect(losses).toEqual([])
    expect(bytes.toString('latin1').split('2024:05:06 07:08:09')).toHaveLength(2)
    // libvips names the version of Exif in the metadata that it makes itself.
    expect(bytes.toString('latin1')).not.toContain('0210')
  })

  itInLongSuite('holds XMP of any size', async () => {
    const long = '0123456789abcdef '.repeat(9_000)
    const xmp = xmpWith(`<dc:title>Short</dc:title><dc:description>${long}</dc:description>`)
    const chunk = pngChunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), xmp]))
    const content = await pngWith(chunk)
    const made = await processContent('a.png', content, { format, metadata: 'keep' })
    expect(made.losses).toEqual([])
    const read = (await readMetadata(made.output, format)).xmp
    expect(read?.includes('<dc:title>Short</dc:title>')).toBe(true)
    expect(read?.includes(`<dc:description>${long}</dc:description>`)).toBe(true)
  })

  itInLongSuite('holds Exif of any size, or names what it can’t hold', async () => {
    const note = valueOf(0x927c, 7, Buffer.alloc(90_000, 'n'))
    const content = await pngWith(pngChunk('eXIf', exifWith([note])))
    const made = await processContent('a.png', content, { format, metadata: 'keep' })
    const { exif } = await readMetadata(made.output, format)
    expect(textOf(exif, 0x010f)).toBe('Some camera')
    expect(valuesOf(exif).has(0x927c)).toBe(format !== 'jpeg')
    expect(made.losses.map(({ code, why }) => [code, why.code])).toEqual(
      format === 'jpeg' ? [['tags', 'formatLimit']] : [],
    )
  })
})

const block = (...entries: readonly ExifEntry[]) => writeExif({ order: 'II', entries })
const withBlocks = async (...blocks: readonly Buffer[]) =>
  withSegments(
    await samplePhoto(64, 48).jpeg().toBuffer(),
    blocks.map((one) => segment(MARKERS.APP1, 'Exif\0\0', one)),
  )
const exifOf = async (file: Buffer) => (await readMetadata(await photoFile('a.jpg', file), 'jpeg')).exif

describe('several Exif segments of a JPEG', () => {
  it.each<[string, readonly Buffer[]]>([
    ['of which the first is empty', [block(), exifWith()]],
    ['of which the first can’t be read', [Buffer.from('II*\0\xff', 'latin1'), exifWith()]],
    ['of which the second is empty', [exifWith(), block()]],
    ['of a block that was split', [exifWith().subarray(0, 50), exifWith().subarray(50)]],
  ])('are read if there are two, %s', async (_, blocks) => {
    expect(await exifOf(await withBlocks(...blocks))).toEqual(exifWith())
  })

  it('are joined, and the first one turns the picture', async () => {
    const second = block(text(0x010f, 'Another camera'), text(0x010e, 'A lake'), number(0x0112, 0x0600))
    const file = await withBlocks(exifWith(), second)
    const exif = await exifOf(file)
    expect([0x010f, 0x8298, 0x010e, 0x9003, 0x001d].map((tag) => textOf(exif, tag))).toEqual([
      'Some camera',
      'Jörg',
      'A lake',
      '2024:05:06 07:08:09',
      '2024:05:05',
    ])
    const kept = await processContent('b.jpg', file, { metadata: 'keep', format: 'webp' })
    expect([kept.width, kept.height, kept.losses]).toEqual([64, 48, []])
    expect((await sharp(kept.bytes).metadata()).exif?.includes('A lake')).toBe(true)
    const alone = await exifOf(await withBlocks(block(), second))
    expect([textOf(alone, 0x010e), valuesOf(alone).get(0x0112)]).toEqual(['A lake', undefined])
  })

  it('are all removed with the metadata', async () => {
    const file = await withBlocks(exifWith(), block(text(0x010e, 'A lake')))
    const { bytes } = await processContent('c.jpg', file, { metadata: 'strip' })
    expect(bytes.includes('Some camera') || bytes.includes('A lake')).toBe(false)
  })
})

describe('extended XMP', () => {
  const many = Array.from({ length: 40 }, (_, n) => `<dc:t${n}>${String(n).repeat(2_500)}</dc:t${n}>`).join(
    '',
  )

  it('is split as the XMP specification says', async () => {
    const xmp = xmpWith(many)
    const split = splitXmp(xmp, 65_000)
    const { guid, content } = split?.extension ?? { guid: '', content: Buffer.alloc(0) }
    expect(split?.main.length).toBeLessThanOrEqual(65_000)
    expect(split?.main.includes(`xmpNote:HasExtendedXMP="${guid}"`)).toBe(true)
    expect(guid).toBe(createHash('md5').update(content).digest('hex').toUpperCase())
    expect(content.toString()).toMatch(/^<rdf:RDF/)
    const joined = split && joinXmp(split.main, content).toString()
    for (let n = 0; n < 40; n++) expect(joined?.split(`<dc:t${n}>`)).toHaveLength(2)
    expect(joined).not.toContain('HasExtendedXMP')
  })

  itInLongSuite('is read in any order of its parts, and ignored if a part is missing', async () => {
    const content = await describedJpeg(undefined, xmpWith('<dc:title>x</dc:title>'))
    const made = await processContent('a.jpg', content, { metadata: 'keep' })
    const split = splitXmp(xmpWith(many), 60_000)
    const { guid, content: extension } = split?.extension ?? { guid: '', content: Buffer.alloc(0) }
    const parts = [0, 1, 2, 3].map((index) => {
      const head = Buffer.alloc(40)
      head.write(guid, 'latin1')
      head.writeUInt32BE(extension.length, 32)
      head.writeUInt32BE(index * 50_000, 36)
      const part = extension.subarray(index * 50_000, (index + 1) * 50_000)
      return segment(MARKERS.APP1, 'http://ns.adobe.com/xmp/extension/\0', Buffer.concat([head, part]))
    })
    const main = segment(MARKERS.APP1, 'http://ns.adobe.com/xap/1.0/\0', split?.main ?? Buffer.alloc(0))
    const plain = await sharp(made.bytes).jpeg().toBuffer()
    const read = async (all: readonly Buffer[]) =>
      (await readMetadata(await photoFile('x.jpg', withSegments(plain, all)), 'jpeg')).xmp ?? Buffer.alloc(0)
    expect((await read([...parts.toReversed(), main])).includes('<dc:t39>')).toBe(true)
    expect((await read([...parts.slice(1), main])).equals(split?.main ?? Buffer.alloc(0))).toBe(true)
  })
})

const describedIn = (language: string, text: string) =>
  `<dc:subject><rdf:Bag><rdf:li>${text}</rdf:li></rdf:Bag></dc:subject>
  <dc:description><rdf:Alt><rdf:li xml:lang="${language}">${text}</rdf:li></rdf:Alt></dc:description>`

describe('XMP in several places', () => {
  const [first, second] = [
    xmpWith(`<dc:title>The first</dc:title><dc:rights>Ada</dc:rights>${describedIn('de', 'Hafen')}`),
    xmpWith(`<dc:title>The second</dc:title>${describedIn('en', 'Harbour')}`),
  ]
  const packets = [first, second].map((xmp) => segment(MARKERS.APP1, XMP_NAME, xmp))
  const inResource = segment(MARKERS.APP13, 'Photoshop 3.0\0', resource(0x0424, second.toString('latin1')))
  const jpeg = samplePhoto(64, 48).jpeg()
  const samples = {
    'two segments of a JPEG': async () => withSegments(await jpeg.toBuffer(), packets),
    'Photoshop’s resources of a JPEG': async () =>
      withSegments(await jpeg.toBuffer(), [...packets.slice(0, 1), inResource]),
    'two boxes of a JPEG XL': async () => {
      const { bytes } = await processContent('a.png', samplePhoto(64, 48).png(), { format: 'jxl' })
      return Buffer.concat([withMetadata(bytes, { xmp: first }), makeBox('xml ', second)])
    },
  }
  it.each(firstOf(Object.entries(samples)))(
    'is kept but for another value, and removed whole: %s',
    async (_, make) => {
      const content = await make()
      const kept = await processContent('a.x', content, { format: 'jpeg', metadata: 'keep' })
      const xmp = (await readMetadata(kept.output, 'jpeg')).xmp?.toString()
      const found = xmp?.match(/The first|The second|Ada|Hafen|Harbour/g)?.toSorted()
      expect(found?.join()).toBe('Ada,Hafen,Hafen,Harbour,Harbour,The second')
      const stripped = await processContent('a.x', content, { metadata: 'strip' })
      expect(stripped.bytes.includes('Ada')).toBe(false)
      expect(kept.losses).toMatchObject([{ code: 'tags', values: { count: 1 } }])
    },
  )
})

const raw = (name: string, content: Buffer, heading = name) => {
  const hex = content.toString('hex').replaceAll(/(.{72})/g, '$1\n')
  const value = Buffer.from(`\n${heading}\n${String(content.length).padStart(8)}\n${hex}\n`)
  const keyword = Buffer.from(`Raw profile type ${name}\0\0`, 'latin1')
  return pngChunk('zTXt', Buffer.concat([keyword, deflateSync(value)]))
}

const processDescribed = async (recipe: PhotoRecipe) => {
  const changes = { format: 'jpeg', ...recipe } as const
  const { losses, output } = await processContent('a.jpg', await describedJpeg(), changes)
  const { photoshop = [] } = await readMetadata(output, 'jpeg')
  return { kept: new Map(photoshop.map(({ id, content }) => [id, content.toString('latin1')])), losses }
}

describe('what Photoshop stores next to IPTC', () => {
  it('has guides that move with the picture, and is lost if the picture is rotated', async () => {
    const smaller = await processDescribed({ metadata: 'keep', size: { width: 32, height: 24 } })
    expect(smaller.kept.get(0x0408)?.slice(16)).toBe('\0\0\x01\0\0\0\0\0\xc0\x01')
    expect(smaller.losses).toEqual([])
    const rotated = await processDescribed({ metadata: 'keep', rotate: 90 })
    expect([...rotated.kept.keys()]).toEqual([0x040a, 0x040b])
    expect(rotated.losses).toMatchObject([{ code: 'tags', values: { count: 1 } }])
  })

  it('is removed with the metadata, and coordinates with the location', async () => {
    expect((await processDescribed({ metadata: 'strip' })).kept.size).toBe(0)
    const place = { id: 0x040b, content: Buffer.from('48.137154, 11.576124') }
    const copyright = { id: 0x040a, content: Buffer.from([1]) }
    const { photoshop } = withoutLocation({ photoshop: [place, copyright], comments: [] })
    expect(photoshop).toEqual([copyright])
  })
})

describe('text of a PNG', () => {
  it('may be Exif, XMP or IPTC, as ImageMagick writes it', async () => {
    const xmp = xmpWith('<dc:title>A title</dc:title>')
    const content = await pngWith(
      raw('exif', Buffer.concat([Buffer.from('Exif\0\0'), exifWith()])),
      raw('xmp', xmp),
      raw('iptc', IPTC),
    )
    const { output, taken } = await processContent('a.png', content, { format: 'jpeg', metadata: 'keep' })
    const read = await readMetadata(output, 'jpeg')
    expect(taken).toBe('2024-05-06 07.08.09')
    expect(textOf(read.exif, 0x010f)).toBe('Some camera')
    expect(read.xmp?.toString()).toContain('A title')
    expect(read.iptc).toEqual(IPTC)
  })

  itInLongSuite('may be IPTC under a heading of two words, as ExifTool writes it', async () => {
    const content = await pngWith(raw('iptc', IPTC, 'IPTC profile'))
    for (const format of ['jpeg', 'png', 'tiff'] as const) {
      const { output } = await processContent('a.png', content, { format, metadata: 'keep' })
      expect((await readMetadata(output, format)).iptc, format).toEqual(IPTC)
    }
  })

  it('isn’t a comment if it is a date of the file, as ImageMagick adds it', async () => {
    const content = await pngWith(pngChunk('tEXt', Buffer.from('date:create\x002024-05-06T07:08:09')))
    for (const format of ['png', 'webp'] as const) {
      const { losses, output } = await processContent('a.png', content, { format, metadata: 'keep' })
      expect(losses).toEqual([])
      expect((await readMetadata(output, format)).comments).toEqual([])
    }
  })

  it('keeps its keyword in a PNG, and names it in a JPEG’s comment', async () => {
    const content = await pngWith(pngChunk('tEXt', Buffer.from('Author\0J\xf6rg', 'latin1')))
    const png = await processContent('a.png', content, { format: 'png', metadata: 'keep' })
    expect((await readMetadata(png.output, 'png')).comments).toEqual([{ keyword: 'Author', text: 'Jörg' }])
    const jpeg = await processContent('b.png', content, { format: 'jpeg', metadata: 'keep' })
    expect((await readMetadata(jpeg.output, 'jpeg')).comments).toEqual([{ text: 'Author: Jörg' }])
    expect([png.losses, jpeg.losses]).toEqual([[], []])
  })

  it('isn’t in a result without metadata or location', async () => {
    const content = await pngWith(
      pngChunk('tEXt', Buffer.from('Comment\0Hidden Cove', 'latin1')),
      raw('iptc', IPTC),
    )
    for (const metadata of ['strip', 'strip-location'] as const)
      for (const format of firstOf(FORMATS, 2)) {
        const { bytes, output } = await processContent('a.png', content, { format, metadata })
        expect(bytes.includes('Cove')).toBe(false)
        const { iptc } = await readMetadata(output, format)
        expect(iptc?.includes('Cove') ?? false).toBe(false)
      }
  })
})

itInLongSuite('a JPEG with stray bytes between its segments keeps its metadata', async () => {
  const content = inserted(await describedJpeg(), 2, Buffer.alloc(3, 0x20))
  const { output } = await processContent('a.jpg', content, { metadata: 'keep' })
  expect(textOf((await readMetadata(output, 'jpeg')).exif, 0x010f)).toBe('Some camera')
})

itInLongSuite('many compressed texts in a PNG are decompressed to a limited size only', async () => {
  const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(2 ** 25))])
  const content = await pngWith(...Array<Buffer>(50).fill(pngChunk('zTXt', text)))
  const { comments } = await readMetadata(await photoFile('a.png', content), 'png')
  expect(comments.length).toBeLessThanOrEqual(2)
})

it('a GIF’s comments and XMP are kept', async () => {
  const gif = await samplePhoto(64, 48).gif().toBuffer()
  const trailer = Buffer.from(Array.from({ length: 256 }, (_, n) => 255 - n))
  const xmp = xmpWith('<dc:title>A title</dc:title>')
  const [head, one, zero] = [Buffer.from('\x21\xff\x0bXMP DataXMP', 'latin1'), Buffer.of(1), Buffer.of(0)]
  const comment = Buffer.from('\x21\xfe\x09A comment\0', 'latin1')
  const start = 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1)
  const content = inserted(gif, start, head, xmp, one, trailer, zero, comment)
  const { output, losses } = await processContent('a.gif', content, { format: 'png', metadata: 'keep' })
  const read = await readMetadata(output, 'png')
  expect(read.xmp?.toString()).toContain('A title')
  expect(read.comments).toEqual([{ keyword: 'Comment', text: 'A comment' }])
  expect(losses).toEqual([])
})

itInLongSuite('a TIFF in the other order of bytes keeps its texts and numbers', async () => {
  const made = await processContent('a.jpg', await describedJpeg(), { format: 'tiff', metadata: 'keep' })
  const { exif } = await readMetadata(made.output, 'tiff')
  const values = valuesOf(exif)
  const speed = values.get(0x8827)
  const comment = values.get(0x9286)
  expect(exif?.toString('latin1', 0, 2)).toBe('II')
  expect(speed?.kind === 'value' && speed.bytes.readUInt16LE()).toBe(400)
  expect(comment?.kind === 'value' && comment.bytes.subarray(8).toString('utf16le')).toBe('Ada')
  expect((await sharp(made.bytes).stats()).channels).toHaveLength(3)
})
