import { describe, expect, it } from 'vitest'
import { makeBox } from '../../../src/media/make-box.ts'
import { encodeJpegXl } from '../../../src/media/image/jpeg-xl.ts'
import { withMetadata } from '../../../src/media/image/jpeg-xl-file.ts'
import { MARKERS, segment, withSegments, XMP_NAME } from '../../../src/media/image/jpeg-segments.ts'
import { pngChunk } from '../../../src/media/image/png-chunks.ts'
import { readRaw } from '../../../src/media/image/raw-image.ts'
import { joinGainMap } from '../../../src/media/image/ultra-hdr.ts'
import { box, makeHeic } from '../image/make-heic.ts'
import { makeTiff, type TiffShape } from '../image/make-tiff.ts'
import {
  inserted,
  photoFile,
  type PhotoRecipe,
  processContent,
  processPhoto,
  REMOVING,
  samplePhoto,
  usePhotoFolder,
  writeLongs,
} from '../image/process-photo.ts'
import { sentencesOf } from '../loss-sentences.ts'
import { xmpPacket } from '../xmp-packet.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

async function lostIn(content: Buffer, recipe: PhotoRecipe = { metadata: 'keep' }, name = 'a.jpg') {
  const { losses } = await processContent(name, content, recipe)
  return sentencesOf(losses)
}

const jpeg = (width = 96, height = 64): Promise<Buffer> =>
  samplePhoto(width, height).jpeg({ quality: 95 }).toBuffer()

/** Appends a second JPEG and lists it as a kind of image. */
async function withListed(type: number, second: Buffer): Promise<Buffer> {
  const file = joinGainMap(await jpeg(), second)
  file.writeUInt32BE(type, file.indexOf('MPF\0') + 4 + 66)
  return file
}

const xmp = (...packet: Parameters<typeof xmpPacket>) => segment(MARKERS.APP1, XMP_NAME, xmpPacket(...packet))

const CONTAINER =
  'xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/"'
const item = (semantic: string) =>
  `<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="${semantic}" Item:Mime="image/jpeg"/></rdf:li>`
const directory = (...semantics: readonly string[]) =>
  xmp(
    CONTAINER,
    `<Container:Directory><rdf:Seq>${semantics.map(item).join('')}</rdf:Seq></Container:Directory>`,
  )

const LAYERS = 'Layers. Mediatray can’t write this in any format.'
const ONE_IMAGE = '1 embedded image. Mediatray can’t write this in any format.'
const DATA = 'Appended data. Mediatray can’t write this in any format.'
const DEPTH = 'Depth map. JPEG can’t hold it.'

describe('a second picture in a JPEG', () => {
  it.each(
    firstOf([
      ['another view', 0x020002],
      ['a picture of the same size', 0],
    ] as const),
  )('is a loss whether or not metadata is removed: %s', async (_, type) => {
    const file = await withListed(type, await jpeg())
    expect(await lostIn(file)).toEqual([ONE_IMAGE])
    expect(await lostIn(file, { metadata: 'strip' })).toEqual([ONE_IMAGE])
  })

  it('is a loss without a list too', async () => {
    const file = Buffer.concat([await jpeg(), await jpeg(), await jpeg()])
    expect(await lostIn(file)).toEqual(['2 embedded images. Mediatray can’t write this in any format.'])
  })

  itInLongSuite(
    'isn’t a loss if it is a preview, and only an image with the metadata if it is small',
    async () => {
      expect(await lostIn(await withListed(0x010002, await jpeg()))).toEqual([])
      const small = Buffer.concat([await jpeg(), await jpeg(48, 32)])
      expect(await lostIn(small)).toEqual([ONE_IMAGE])
      expect(await lostIn(small, { metadata: 'strip' })).toEqual([])
    },
  )

  it('is a depth map if the photo lists one', async () => {
    const listed = withSegments(await jpeg(), [directory('Primary', 'Depth')])
    const file = Buffer.concat([listed, await jpeg(48, 32)])
    expect(await lostIn(file)).toEqual([DEPTH])
    expect(await lostIn(file, { metadata: 'strip' })).toEqual([])
    const several = withSegments(await jpeg(), [directory('Primary', 'Original', 'Depth')])
    const both = Buffer.concat([several, await jpeg(), await jpeg(48, 32)])
    expect(await lostIn(both)).toEqual([DEPTH, ONE_IMAGE])
  })

  it('isn’t lost if the photo only claims to have one', async () => {
    expect(await lostIn(withSegments(await jpeg(), [directory('Primary', 'Depth')]))).toEqual([])
  })
})

describe('a depth map in XMP', () => {
  const namespace = 'http://ns.google.com/photos/1.0/depthmap/'

  it('is kept, unless a crop makes it useless', async () => {
    for (const prefix of ['GDepth', 'd']) {
      const file = withSegments(await jpeg(), [xmp(`xmlns:${prefix}="${namespace}" ${prefix}:Data="AAAA"`)])
      expect(await lostIn(file)).toEqual([])
      const cropped: PhotoRecipe = { metadata: 'keep', size: { width: 32, height: 32, fit: 'cover' } }
      expect(await lostIn(file, cropped)).toEqual([DEPTH])
    }
  })
})

const photo = () => samplePhoto(96, 64)
const jxl = async () =>
  encodeJpegXl(await readRaw(await photo().png().toBuffer()), { distance: 1, effort: 3 })
const boxed = (coded: Buffer, ...more: readonly Buffer[]) =>
  Buffer.concat([withMetadata(coded, { xmp: Buffer.from('<x/>') }), ...more])

const tiled = () =>
  photo()
    .withExif({ IFD3: { GPSLatitudeRef: 'N' } })
    .tiff({ tile: true, bigtiff: true })

const behind = (make: () => Buffer | Promise<Buffer>) => async (data: Buffer) =>
  Buffer.concat([await make(), data])

const lostBehind = async (data: Buffer) => lostIn(await behind(jpeg)(data))

describe('data after a picture', () => {
  const KEEPING: PhotoRecipe = { metadata: 'keep' }
  const REMOVALS = ['strip', 'strip-location'] as const
  const removing = REMOVALS.map((metadata) => ({ ...REMOVING, colour: 'keep', metadata }) as const)
  const RECIPES: readonly PhotoRecipe[] = [KEEPING, ...removing]
  const zip = Buffer.from('PK\x03\x04 and a whole archive')

  const size = { width: 96, height: 64 }
  it.each<[string, string, (data: Buffer) => Promise<Buffer>]>(
    firstOf(
      [
        ['JPEG', 'jpg', behind(() => photo().jpeg().toBuffer())],
        ['PNG', 'png', behind(() => photo().png().toBuffer())],
        ['WebP', 'webp', behind(() => photo().webp().toBuffer())],
        ['TIFF', 'tif', behind(() => photo().tiff().toBuffer())],
        ['tiled TIFF', 'tif', behind(() => tiled().toBuffer())],
        ['GIF', 'gif', behind(() => photo().gif().toBuffer())],
        ['AVIF', 'avif', behind(() => photo().avif().toBuffer())],
        ['HEIC', 'heic', behind(() => makeHeic({ tile: size, ...size }))],
        ['a JPEG XL codestream', 'jxl', behind(jxl)],
        ['JPEG XL', 'jxl', async (data) => boxed(await jxl(), data)],
        ['a further box of a JPEG XL', 'jxl', async (data) => boxed(await jxl(), makeBox('xml ', data))],
        ['the box of a JPEG XL', 'jxl', async (data) => boxed(await behind(jxl)(data))],
      ],
      2,
    ),
  )('is a loss in %s, and never in a result', async (_, extension, make) => {
    const [file, padded] = [await make(zip), await make(Buffer.alloc(64))]
    const input = await photoFile(`a.${extension}`, file)
    for (const recipe of RECIPES) {
      const { losses, bytes, notes } = await processPhoto(input, recipe, { neverLarger: recipe !== KEEPING })
      expect(sentencesOf(losses)).toEqual([DATA])
      expect(bytes.includes(zip)).toBe(false)
      expect(notes).toEqual([])
    }
    expect(await lostIn(padded, { metadata: 'keep' }, `a.${extension}`)).toEqual([])
  })

  itInLongSuite('is a loss behind another picture and behind a video without a picture in it', async () => {
    const listed = await withListed(0x020002, await jpeg())
    expect(await lostIn(Buffer.concat([listed, zip]))).toEqual([ONE_IMAGE, DATA])
    const video = box('ftyp', Buffer.from('mp42\0\0\0\0mp42'))
    expect(await lostIn(Buffer.concat([await jpeg(), video]))).toEqual([DATA])
  })

  itInLongSuite(
    'isn’t a loss if a program ended the picture twice, or a phone wrote it for itself',
    async () => {
      expect(await lostBehind(Buffer.from([0xff, 0xd9, 0x0a]))).toEqual([])
      expect(await lostBehind(samsung('Image_UTC_Data', '1480000000000'))).toEqual([])
      expect(await lostBehind(samsung('SoundShot_000', 'x'.repeat(9000)))).toEqual([DATA])
      expect(await lostBehind(samsung('DualShot_DepthMap_1', 'x'))).toEqual([DEPTH])
    },
  )
})

/** What Samsung's phones append: named parts, and a list of them. */
function samsung(name: string, text: string): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt16LE(0x0a01, 2)
  head.writeUInt32LE(name.length, 4)
  const part = Buffer.concat([head, Buffer.from(name + text)])
  const list = Buffer.alloc(24)
  list.write('SEFH')
  writeLongs(list, { 4: 106, 8: 1, 12: 0x0a01_0000, 16: part.length, 20: part.length })
  const end = Buffer.alloc(8)
  end.writeUInt32LE(list.length, 0)
  end.write('SEFT', 4)
  return Buffer.concat([part, list, end])
}

describe('content credentials', () => {
  const lost = 'Content credentials. Mediatray can’t write this in any format.'

  it('are lost unless metadata is removed, from each format', async () => {
    const manifest = box('jumb', Buffer.from('c2pa manifest'))
    const content = Buffer.concat([Buffer.from([0, 1, 0, 0, 0, 1]), manifest])
    const file = withSegments(await jpeg(), [segment(MARKERS.APP11, 'JP', content)])
    expect(await lostIn(file)).toEqual([lost])
    expect(await lostIn(file, { metadata: 'strip' })).toEqual([])
    const webp = await samplePhoto(96, 64).webp().toBuffer()
    const chunk = Buffer.from('C2PA\x04\0\0\0abcd', 'latin1')
    const signed = Buffer.concat([webp, chunk])
    signed.writeUInt32LE(signed.length - 8, 4)
    expect(await lostIn(signed, { metadata: 'keep' }, 'a.webp')).toEqual([lost])
    const avif = await samplePhoto(96, 64).avif({ effort: 0 }).toBuffer()
    const id = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')
    const named = Buffer.concat([avif, box('uuid', Buffer.concat([id, manifest]))])
    expect(await lostIn(named, { metadata: 'keep' }, 'a.avif')).toEqual([lost])
  })
})

describe('the paths of Photoshop', () => {
  const path = Buffer.from(`8BIM\x07\xd0\x00\x00\x00\x00\x00\x1a${'\0'.repeat(26)}`, 'latin1')

  it('are lost unless metadata is removed', async () => {
    const content = Buffer.concat([Buffer.from('8BIM\x03\xed\0\0\0\0\0\x02ab', 'latin1'), path])
    const file = withSegments(await jpeg(), [segment(MARKERS.APP13, 'Photoshop 3.0\0', content)])
    expect(await lostIn(file)).toEqual(['Clipping path. Mediatray can’t write this in any format.'])
    expect(await lostIn(file, { metadata: 'strip' })).toEqual([])
  })
})

itInLongSuite('the layers of Fireworks in a PNG are lost', async () => {
  const png = await samplePhoto(96, 64).png().toBuffer()
  const file = inserted(png, png.indexOf('IDAT') - 4, pngChunk('mkBT', Buffer.from('layers')))
  for (const metadata of ['keep', 'strip'] as const)
    expect(await lostIn(file, { metadata }, 'a.png')).toEqual([LAYERS])
})

describe('what users wrote about a photo', () => {
  it('isn’t lost with the other metadata', async () => {
    const written = samplePhoto(96, 64).withExif({ IFD0: { ImageDescription: 'Lake', Copyright: 'Jane' } })
    const file = withSegments(await written.jpeg().toBuffer(), [
      xmp('xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="5"'),
    ])
    for (const format of ['jpeg', 'png', 'webp', 'tiff', 'avif'] as const)
      expect(await lostIn(file, { metadata: 'keep', format })).toEqual([])
  })
})

const tiff = (shape: Partial<TiffShape>) =>
  makeTiff({ photometric: 2, samples: 3, sample: (x, y, channel) => x * 2 + y + channel * 30, ...shape })
const lostAs = (shape: Partial<TiffShape>, recipe: PhotoRecipe = {}) =>
  lostIn(tiff(shape), { metadata: 'keep', ...recipe }, 'a.tiff')
const document = (...blocks: readonly Buffer[]) => ({
  tags: { 37_724: Buffer.concat([Buffer.from('Adobe Photoshop Document Data Block\0'), ...blocks]) },
})
const block = (key: string, length: number, isBig = false) => {
  const head = Buffer.from(`8BIM${key}`)
  if (!isBig) head.swap32()
  const size = Buffer.alloc(4)
  if (isBig) size.writeUInt32BE(length)
  else size.writeUInt32LE(length)
  return Buffer.concat([head, size, Buffer.alloc(Math.ceil(length / 4) * 4, 1)])
}

describe('parts of a TIFF', () => {
  it.each(firstOf(['jpeg', 'tiff', 'png'] as const))('that no %s holds are lost', async (format) => {
    for (const metadata of ['keep', 'strip'] as const) {
      const recipe = { format, metadata }
      expect(await lostAs(document(block('Patt', 5), block('Layr', 50)), recipe)).toEqual([LAYERS])
      const deep = { isBigEndian: true, ...document(block('Lr16', 50, true)) }
      expect(await lostAs(deep, recipe)).toEqual([LAYERS])
      expect(await lostAs({ samples: 6, extraSamples: [0, 0, 0] }, recipe)).toEqual([
        '3 further channels. Mediatray can’t write this in any format.',
      ])
    }
  })

  itInLongSuite(
    'aren’t layers if they are only patterns, and aren’t further channels if they are transparency',
    async () => {
      expect(await lostAs(document(block('Patt', 5)))).toEqual([])
      expect(await lostAs({ samples: 4, extraSamples: [2] })).toEqual([])
      expect(await lostAs({ samples: 5, extraSamples: [2, 0] })).toEqual([
        '1 further channel. Mediatray can’t write this in any format.',
      ])
    },
  )

  itInLongSuite('are layers if they can’t be read', async () => {
    expect(await lostAs({ tags: { 37_724: Buffer.alloc(200, 'x') } })).toEqual([LAYERS])
  })

  itInLongSuite('are content credentials, which are lost unless metadata is removed', async () => {
    const signed = { tags: { 52_545: Buffer.from('\0\0\0\x10jumb\0\0\0\x08jumd', 'latin1') } }
    expect(await lostAs(signed)).toEqual(['Content credentials. Mediatray can’t write this in any format.'])
    expect(await lostAs(signed, { metadata: 'strip' })).toEqual([])
  })

  it('include its position on the map, which only TIFF holds', async () => {
    const onMap = { tags: { 33_550: new Float64Array([2, 2, 0]) } }
    expect(await lostAs(onMap)).toEqual([])
    expect(await lostAs(onMap, { format: 'jpeg' })).toEqual([
      'Position on the map (GeoTIFF). JPEG can’t hold it.',
    ])
    expect(await lostAs(onMap, { format: 'jpeg', metadata: 'strip-location' })).toEqual([])
  })
})
