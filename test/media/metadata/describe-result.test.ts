/** Metadata describes the result, not the original. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { MARKERS, segment, withSegments } from '../../../src/media/image/jpeg-segments.ts'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { planGeometry } from '../../../src/media/image/geometry.ts'
import { bytesOf, type ExifEntry, readExif, writeExif } from '../../../src/media/metadata/exif-directories.ts'
import { mapPoint, mappingOf } from '../../../src/media/metadata/result-mapping.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { NO_VARIATION } from '../no-variation.ts'
import {
  inserted,
  type PhotoRecipe,
  processContent,
  rawOf,
  samplePhoto,
  usePhotoFolder,
} from '../image/process-photo.ts'
import { xmpPacket } from '../xmp-packet.ts'
import { firstOf } from '../../faults/long-suite.ts'

usePhotoFolder()

const numbers = (tag: number, ...values: readonly number[]): ExifEntry => {
  const bytes = Buffer.alloc(values.length * 2)
  values.forEach((value, index) => bytes.writeUInt16LE(value, index * 2))
  return { tag, kind: 'value', type: 3, count: values.length, bytes }
}

const fraction = (tag: number, value: number): ExifEntry => ({
  tag,
  kind: 'value',
  type: 5,
  count: 1,
  bytes: Buffer.from(new Uint32Array([value, 1]).buffer),
})

const exifWith = (orientation: number): Buffer =>
  writeExif({
    order: 'II',
    entries: [
      numbers(0x0100, 120),
      numbers(0x0112, orientation),
      {
        tag: 0x8769,
        kind: 'directory',
        entries: [
          numbers(0x9214, 30, 20, 12, 8),
          numbers(0xa001, 65_535),
          numbers(0xa002, 120),
          numbers(0xa003, 80),
          { tag: 0xa005, kind: 'directory', entries: [numbers(0x1001, 120), numbers(0x1002, 80)] },
          numbers(0xa217, 2),
        ],
      },
    ],
  })

const TURNED = exifWith(6)
const AS_TEXT = Buffer.from(`Raw profile type APP1\0\nexif\n${TURNED.length}\n${TURNED.toString('hex')}\n`)

/** Adds a directory with a thumbnail. */
function withThumbnail(exif: Buffer, thumbnail: Buffer): Buffer {
  const directory = Buffer.alloc(2 + 2 * 12 + 4)
  const start = exif.length
  directory.writeUInt16LE(2, 0)
  for (const [index, [tag, value]] of [
    [0x0201, start + directory.length],
    [0x0202, thumbnail.length],
  ].entries()) {
    directory.writeUInt16LE(tag ?? 0, 2 + index * 12)
    directory.writeUInt16LE(4, 4 + index * 12)
    directory.writeUInt32LE(1, 6 + index * 12)
    directory.writeUInt32LE(value ?? 0, 10 + index * 12)
  }
  const whole = Buffer.concat([exif, directory, thumbnail])
  whole.writeUInt32LE(start, 8 + 2 + whole.readUInt16LE(8) * 12)
  return whole
}

const NAMESPACES = [
  ['tiff', 'http://ns.adobe.com/tiff/1.0/'],
  ['exif', 'http://ns.adobe.com/exif/1.0/'],
  ['dc', 'http://purl.org/dc/elements/1.1/'],
  ['xmp', 'http://ns.adobe.com/xap/1.0/'],
  ['mwg-rs', 'http://www.metadataworkinggroup.com/schemas/regions/'],
  ['stArea', 'http://ns.adobe.com/xmp/sType/Area#'],
  ['stDim', 'http://ns.adobe.com/xap/1.0/sType/Dimensions#'],
  ['MPReg', 'http://ns.microsoft.com/photo/1.2/t/Region#'],
  ['ext', 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/'],
  ['GPano', 'http://ns.google.com/photos/1.0/panorama/'],
  ['GCamera', 'http://ns.google.com/photos/1.0/camera/'],
  ['C', 'http://ns.google.com/photos/1.0/container/'],
  ['I', 'http://ns.google.com/photos/1.0/container/item/'],
  ['hdrgm', 'http://ns.adobe.com/hdr-gain-map/1.0/'],
  ['GImage', 'http://ns.google.com/photos/1.0/image/'],
]
const packet = (attributes: string, elements = ''): Buffer => {
  const declared = NAMESPACES.map(([prefix, namespace]) => `xmlns:${prefix}="${namespace}"`)
  return xmpPacket(`${declared.join(' ')} ${attributes}`, elements)
}

/** A photo of 120 × 80 stored pixels. */
const photo = async (exif: Buffer, xmp = packet('')): Promise<Buffer> =>
  withSegments(await samplePhoto(120, 80).jpeg().toBuffer(), [
    segment(MARKERS.APP1, 'Exif\0\0', exif),
    segment(MARKERS.APP1, 'http://ns.adobe.com/xap/1.0/\0', xmp),
  ])

async function resultOf(
  content: Buffer,
  recipe: PhotoRecipe = {},
  changes: Parameters<typeof processContent>[3] = {},
) {
  const { bytes } = await processContent('a.jpg', content, { metadata: 'keep', ...recipe }, changes)
  const { exif, xmp } = await sharp(bytes).metadata()
  const entries = (exif && readExif(bytesOf(exif.subarray(6)))?.entries) ?? []
  return { bytes, xmp: xmp?.toString() ?? '', exif: new Map(entries.flatMap(numbersOf)) }
}

/** Returns the numbers of an entry, or of all entries within it. */
function numbersOf(entry: ExifEntry): readonly (readonly [tag: number, numbers: readonly number[]])[] {
  if (entry.kind === 'directory') return entry.entries.flatMap(numbersOf)
  const size = entry.type === 4 ? 4 : 2
  const all = Array.from({ length: entry.count }, (_, index) => entry.bytes.readUIntLE(index * size, size))
  return [[entry.tag, all]]
}

describe('Exif', () => {
  it('has the result’s orientation, dimensions and color space', async () => {
    const { exif } = await resultOf(await photo(exifWith(6)), { size: { width: 40 } })
    const found = [0x0112, 0x0100, 0xa002, 0xa003, 0xa001].flatMap((tag) => exif.get(tag) ?? [])
    expect(found).toEqual([1, 40, 40, 60, 1])
  })

  it.each([
    [1, 0, 300],
    [6, 0, 72],
    [1, 90, 72],
    [6, 90, 300],
  ] as const)(
    'has the resolution of the side that it belongs to: orientation %i, rotated by %i',
    async (orientation, rotate, across) => {
      const down = 372 - across
      const stored = { x: 300, y: 72 }
      const resolutions = (x: number, y: number) => [fraction(x, stored.x), fraction(y, stored.y)]
      const entries = [
        numbers(0x0112, orientation),
        ...resolutions(0x011a, 0x011b),
        { tag: 0x8769, kind: 'directory' as const, entries: resolutions(0xa20e, 0xa20f) },
      ]
      const described = packet('tiff:XResolution="300/1"', '<tiff:YResolution>72/1</tiff:YResolution>')
      const content = await photo(writeExif({ order: 'II', entries }), described)
      const { exif, xmp } = await resultOf(content, { rotate })
      const found = [0x011a, 0x011b, 0xa20e, 0xa20f].map((tag) => exif.get(tag)?.[0])
      expect(found).toEqual([across, down, across, down])
      expect(xmp).toContain(`tiff:XResolution="${across}/1"`)
      expect(xmp).toContain(`<tiff:YResolution>${down}/1<`)
    },
  )

  it.each(
    firstOf([
      ['a byte', 1, 'II', [6]],
      ['a byte', 1, 'MM', [6]],
      ['a long number', 4, 'II', [6, 0, 0, 0]],
      ['a long number', 4, 'MM', [0, 0, 0, 6]],
      ['a signed number', 8, 'MM', [0, 6]],
    ] as const),
  )('may state the orientation as %s of type %i (%s)', async (_, type, order, bytes) => {
    const turn: ExifEntry = { tag: 0x0112, kind: 'value', type, count: 1, bytes: Buffer.from(bytes) }
    const content = await photo(writeExif({ order, entries: [turn] }))
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const { output, losses, width } = await processContent('a.jpg', content, { metadata: 'keep', format })
      expect([width, (await sharp(output).metadata()).orientation, losses]).toEqual([80, 1, []])
    }
  })

  it.each(
    firstOf([
      ['behind the pixels', 'IEND', 'eXIf', TURNED],
      ['under its name in JPEG', 'IDAT', 'eXIf', Buffer.concat([Buffer.from('Exif\0\0'), TURNED])],
      ['in a text, as older programs write it', 'IDAT', 'tEXt', AS_TEXT],
    ] as const),
  )('turns a PNG whose Exif is %s', async (_, before, type, exif) => {
    const png = await samplePhoto(120, 80).png().toBuffer()
    const content = inserted(png, png.indexOf(before) - 4, pngChunk(type, exif))
    for (const format of ['same', 'jpeg', 'tiff'] as const) {
      const { output, width } = await processContent('a.png', content, { metadata: 'keep', format })
      expect([format, width, (await sharp(output).metadata()).orientation]).toEqual([format, 80, 1])
    }
  })

  it('moves the subject’s area with the picture, and drops it if a crop removed it', async () => {
    // The stored center (30, 20) of 120 × 80 is (60, 30) of 80 × 120 after a turn to the right.
    const turned = await resultOf(await photo(exifWith(6)))
    expect(turned.exif.get(0x9214)).toEqual([60, 30, 8, 12])
    const cropped = await resultOf(await photo(exifWith(1)), { crop: { aspect: 0.1 } })
    expect(cropped.exif.has(0x9214)).toBe(false)
    expect([cropped.exif.get(0x1001), cropped.exif.get(0x1002)]).toEqual([[8], [80]])
  })

  it('has no thumbnail, which would show what a crop removed', async () => {
    const thumbnail = Buffer.from('a thumbnail of the whole picture')
    for (const [last, before] of firstOf([
      [thumbnail, Buffer.alloc(0)],
      [Buffer.concat([thumbnail, Buffer.from('more')]), thumbnail],
    ] as const)) {
      const content = await photo(withThumbnail(exifWith(1), last))
      expect(content.includes(thumbnail)).toBe(true)
      // The narrow crop removes the subject, whose area is then removed.
      for (const crop of [undefined, { aspect: 0.1 }])
        for (const metadata of ['keep', 'strip-location', 'strip'] as const) {
          const { bytes } = await resultOf(content, { metadata, crop })
          const made = [before.length, metadata, crop, bytes.includes(thumbnail)]
          expect(made).toEqual([before.length, metadata, crop, false])
        }
    }
  })
})

describe('XMP', () => {
  it('has the result’s orientation, dimensions and format', async () => {
    const described = packet(
      'tiff:Orientation="6" tiff:ImageWidth="120" exif:PixelYDimension="80" dc:format="image/tiff" tiff:Compression="5"',
      '<tiff:ImageLength>80</tiff:ImageLength><tiff:BitsPerSample><rdf:Seq><rdf:li>16</rdf:li></rdf:Seq></tiff:BitsPerSample>',
    )
    const { xmp } = await resultOf(await photo(exifWith(6), described))
    for (const part of [
      'tiff:Orientation="1"',
      'tiff:ImageWidth="80"',
      '<tiff:ImageLength>120</tiff:ImageLength>',
      'exif:PixelYDimension="120"',
      'dc:format="image/jpeg"',
    ])
      expect(xmp).toContain(part)
    expect(xmp).not.toMatch(/Compression|BitsPerSample/)
  })

  it('claims no video, images or gain map that the result doesn’t have', async () => {
    const described = packet(
      'GCamera:MotionPhoto="1" GCamera:MicroVideoOffset="99" GCamera:BurstID="7" hdrgm:Version="1.0"',
      '<C:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><C:Item I:Mime="video/mp4"/></rdf:li></rdf:Seq></C:Directory><xmp:Thumbnails><rdf:Alt><rdf:li>AAAA</rdf:li></rdf:Alt></xmp:Thumbnails>',
    )
    const { xmp } = await resultOf(await photo(exifWith(1), described))
    expect(xmp).not.toMatch(/MotionPhoto|MicroVideo|hdrgm:V|Directory|video\/mp4|Thumbnails>/)
    expect(xmp).toContain('GCamera:BurstID="7"')
  })

  it('keeps a picture within it only if the result shows the whole original', async () => {
    const content = await photo(exifWith(1), packet('GImage:Mime="image/jpeg" GImage:Data="AAAA"'))
    expect((await resultOf(content, { size: { width: 60 } })).xmp).toContain('GImage:Data')
    expect((await resultOf(content, { crop: { aspect: 1 } })).xmp).not.toContain('GImage:Data')
  })
})

/** A face in the stored picture, right of the center and above it. */
const area = 'stArea:x="0.75" stArea:y="0.25" stArea:w="0.1" stArea:h="0.2" stArea:unit="normalized"'
const faces = (item: string, applied = 'stDim:w="120" stDim:h="80"') =>
  packet(
    '',
    `<mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions ${applied} stDim:unit="pixel"/><mwg-rs:RegionList><rdf:Bag>${item}</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>`,
  )
const numbersIn = (xmp: string, pattern: RegExp) =>
  [...xmp.matchAll(pattern)].map(([, value]) => Number(value))
const areaIn = (xmp: string) => numbersIn(xmp, /stArea:\w(?:="|>)([\d.]+)/g)

const imageRegion = (boundary: string) =>
  `<ext:ImageRegion><rdf:Bag><rdf:li rdf:parseType="Resource"><ext:RegionBoundary rdf:parseType="Resource">${boundary}</ext:RegionBoundary></rdf:li></rdf:Bag></ext:ImageRegion>`

describe('regions of faces', () => {
  const asAttributes = `<rdf:li><rdf:Description mwg-rs:Name="Ada" mwg-rs:Type="Face"><mwg-rs:Area ${area}/></rdf:Description></rdf:li>`
  const asElements =
    '<rdf:li rdf:parseType="Resource"><mwg-rs:Name>Ada</mwg-rs:Name><mwg-rs:Area rdf:parseType="Resource"><stArea:x>0.75</stArea:x><stArea:y>0.25</stArea:y><stArea:w>0.1</stArea:w><stArea:h>0.2</stArea:h></mwg-rs:Area></rdf:li>'
  const inDescription = `<rdf:li><rdf:Description mwg-rs:Name="Ada"><mwg-rs:Area><rdf:Description ${area}/></mwg-rs:Area></rdf:Description></rdf:li>`

  it.each([
    ['attributes', asAttributes],
    ['elements', asElements],
    ['a description', inDescription],
  ])('turn with the picture, as %s', async (_, item) => {
    // Displayed at 6, the stored picture is turned to the right: its right side is below.
    const { xmp } = await resultOf(await photo(exifWith(6), faces(item)), { size: { width: 40 } })
    expect(areaIn(xmp)).toEqual([0.75, 0.75, 0.2, 0.1])
    expect(numbersIn(xmp, /stDim:[wh]="(\d+)"/g)).toEqual([40, 60])
  })

  it('stay if they already describe the upright picture', async () => {
    const upright = faces(asAttributes, 'stDim:w="80" stDim:h="120"')
    const { xmp } = await resultOf(await photo(exifWith(6), upright))
    expect(areaIn(xmp)).toEqual([0.75, 0.25, 0.1, 0.2])
  })

  it('move with a crop, a frame, a rotation and a mirroring', async () => {
    const content = await photo(exifWith(1), faces(asAttributes))
    const cropped = await resultOf(content, { crop: { aspect: 1 } })
    // 80 of 120 columns remain, from the 20th.
    expect(areaIn(cropped.xmp)).toEqual([0.875, 0.25, 0.15, 0.2])
    const framed = await resultOf(content, { size: { width: 120, height: 120, fit: 'contain' } })
    expect(areaIn(framed.xmp).map((value) => Math.round(value * 1000))).toEqual([750, 333, 100, 133])
    const turned = await resultOf(content, { rotate: 90 })
    expect(areaIn(turned.xmp)).toEqual([0.75, 0.75, 0.2, 0.1])
    const mirrored = await resultOf(content, {}, { variation: { ...NO_VARIATION, mirror: true } })
    expect(areaIn(mirrored.xmp)).toEqual([0.25, 0.25, 0.1, 0.2])
  })

  it('disappear with what they mark', async () => {
    const other = asAttributes.replace('Ada', 'Eve').replace('0.75', '0.5')
    const content = await photo(exifWith(1), faces(asAttributes + other))
    const { xmp } = await resultOf(content, { crop: { aspect: 0.5 } })
    expect(xmp).not.toContain('Ada')
    expect(xmp).toContain('Eve')
  })

  it('move in the formats of Microsoft and IPTC too', async () => {
    const microsoft =
      '<ext:x><rdf:Bag><rdf:li MPReg:Rectangle="0.7, 0.15, 0.1, 0.2" MPReg:PersonDisplayName="Ada"/></rdf:Bag></ext:x>'
    const iptc = imageRegion(
      '<ext:rbUnit>relative</ext:rbUnit><ext:rbX>0.7</ext:rbX><ext:rbY>0.15</ext:rbY><ext:rbW>0.1</ext:rbW><ext:rbH>0.2</ext:rbH>',
    )
    const { xmp } = await resultOf(await photo(exifWith(6), packet('', microsoft + iptc)))
    expect(xmp).toContain('MPReg:Rectangle="0.65, 0.7, 0.2, 0.1"')
    expect(numbersIn(xmp, /<ext:rb\w>([\d.]+)/g)).toEqual([0.65, 0.7, 0.2, 0.1])
  })

  it('may be circles, which stay circles when the picture is turned', async () => {
    for (const [unit, x, y, radius, turned] of [
      ['relative', 0.25, 0.5, 0.1, [0.5, 0.25, 0.15]],
      ['pixel', 30, 40, 12, [40, 30, 12]],
    ] as const) {
      const boundary = `<ext:rbUnit>${unit}</ext:rbUnit><ext:rbX>${x}</ext:rbX><ext:rbY>${y}</ext:rbY><ext:rbRx>${radius}</ext:rbRx>`
      const described = packet('', imageRegion(boundary))
      const { xmp } = await resultOf(await photo(exifWith(1), described), { rotate: 90 })
      expect(numbersIn(xmp, /<ext:rb\w+>([\d.]+)/g)).toEqual(turned)
    }
  })
})

const sizes = (xmp: string) => numbersIn(xmp, /GPano:(?:Full|Cropped)\w+="(\d+)"/g)

describe('a panorama', () => {
  const panorama = packet(
    'GPano:ProjectionType="flat" GPano:FullPanoWidthPixels="240" GPano:FullPanoHeightPixels="120" GPano:CroppedAreaImageWidthPixels="120" GPano:CroppedAreaImageHeightPixels="80" GPano:CroppedAreaLeftPixels="60" GPano:CroppedAreaTopPixels="20"',
  )

  it('is scaled and cropped with the picture', async () => {
    const content = await photo(exifWith(1), panorama)
    expect(sizes((await resultOf(content, { size: { width: 60 } })).xmp)).toEqual([120, 60, 60, 40, 30, 10])
    expect(sizes((await resultOf(content, { crop: { aspect: 1 } })).xmp)).toEqual([240, 120, 80, 80, 80, 20])
  })

  it('isn’t claimed by a rotated picture', async () => {
    const { xmp } = await resultOf(await photo(exifWith(1), panorama), { rotate: 90 })
    expect(xmp).not.toContain('GPano:Projection')
  })
})

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

it('positions follow the pixels through every geometry', async () => {
  // A bright square that can be found in the result.
  const [width, height] = [240, 160]
  const dot = { left: 150, top: 40, size: 12 }
  const white = { width: dot.size, height: dot.size, channels: 3, background: '#fff' } as const
  const input = sharp({ create: { width, height, channels: 3, background: '#000' } })
    .composite([{ input: { create: white }, left: dot.left, top: dot.top }])
    .png()
  const center = { x: (dot.left + dot.size / 2) / width, y: (dot.top + dot.size / 2) / height }
  for (const [recipe, variation] of firstOf(
    [
      [{ size: { width: 120 } }],
      [{ rotate: 90 }],
      [{ rotate: 180, crop: { aspect: 1 } }],
      [{ rotate: 270, size: { width: 90 } }],
      [{ size: { width: 100, height: 100, fit: 'cover' } }],
      [{ size: { width: 200, height: 200, fit: 'contain' }, background: '#000000' }],
      [{}, { ...NO_VARIATION, rotation: 3, cropLeft: 0.1, cropTop: 0.05 }],
      [{ rotate: 90 }, { ...NO_VARIATION, mirror: true, rotation: -2, cropRight: 0.08 }],
    ] as const,
    4,
  )) {
    const parsed = ImageRecipe.parse({ format: 'png', ...recipe })
    const { bytes } = await processContent('a.png', input, { format: 'png', ...recipe }, { variation })
    const { data, info } = await rawOf(sharp(bytes).toColourspace('b-w'))
    const lit = [...data.entries()].filter(([, value]) => value > 128).map(([at]) => at)
    const found = {
      x: (mean(lit.map((at) => at % info.width)) + 0.5) / info.width,
      y: (mean(lit.map((at) => Math.floor(at / info.width))) + 0.5) / info.height,
    }
    const geometry = planGeometry({ width, height }, parsed, variation)
    const expected = mapPoint(center, mappingOf({ width, height }, geometry))
    expect(Math.hypot(found.x - expected.x, found.y - expected.y)).toBeLessThan(0.012)
  }
})
