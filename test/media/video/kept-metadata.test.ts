import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import {
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_TTF,
  AV_DISPOSITION_COMMENT,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_FORCED,
  AV_DISPOSITION_HEARING_IMPAIRED,
  AV_DISPOSITION_ORIGINAL,
  AV_DISPOSITION_VISUAL_IMPAIRED,
  AV_PKT_DATA_DOVI_CONF,
  AV_PKT_DATA_SPHERICAL,
  AVMEDIA_TYPE_ATTACHMENT,
  type AVCodecID,
} from 'node-av/constants'
import { CodecParameters, Dictionary } from 'node-av/lib'
import { describe, expect, it } from 'vitest'
import { videoInventory } from '../../../src/media/inventory/video-inventory.ts'
import { makeBox } from '../../../src/media/make-box.ts'
import { keepsTag } from '../../../src/media/video/container.ts'
import { roomForTag, splitLanguages } from '../../../src/media/video/language-tags.ts'
import { element, elementAt, elementsIn } from '../../../src/media/video/matroska-elements.ts'
import { changeTracks, OFF, turnOff } from '../../../src/media/video/matroska-tracks.ts'
import { appendToSegment } from '../../../src/media/video/matroska-segment.ts'
import { openSourceFile } from '../../../src/media/video/source-file.ts'
import { viewBoxes } from '../../../src/media/video/view-metadata.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { clip, inClipFolder, runJob, useClipFolder } from './run-job.ts'
import { type AddedTrack, remux } from './remux.ts'
import { makeTracks } from './several-tracks.ts'
import { withSubtitles } from './with-subtitles.ts'
import { codesOf } from '../loss-sentences.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

const small = { width: 64, height: 64, sound: 0.48 }

async function read(path: string) {
  await using source = await openSourceFile(path, new AbortController().signal)
  return { metadata: source.metadata, inventory: await videoInventory(path, source) }
}

const CONTAINERS = ['mp4', 'mov', 'mkv'] as const

const text = (id: number, value: string) => element(id, Buffer.from(value))

/** A tag of 3GP: version and flags, the language, and the text with its end. */
const tagOf3gp = (type: string, value: string): Buffer =>
  makeBox(type, Buffer.from([0, 0, 0, 0, 0x15, 0xc7]), Buffer.from(`${value}\0`))

const simple = (name: string, value: string, ...more: readonly Buffer[]) =>
  element(0x67c8, text(0x45a3, name), text(0x4487, value), ...more)
const tagsOf = (target: Buffer, ...more: readonly Buffer[]) =>
  element(0x7373, element(0x63c0, target), ...more)
const chapter = element(0xb6, element(0x73c4, Buffer.from([7])), element(0x91, Buffer.from([0])))
const level = (value: number) => element(0x68ca, Buffer.from([value]))

const lostOf = async (timecode: string, container: 'mp4' | 'mkv') =>
  (await runJob(await clip({ ...small, tags: { timecode } }, 'mkv'), { container, codec: 'copy' })).losses

describe('what phones write', () => {
  const tags = {
    'com.apple.quicktime.location.ISO6709': '+48.1374+011.5755+519.000/',
    'com.apple.quicktime.make': 'Apple',
    'com.apple.quicktime.model': 'iPhone 15 Pro',
    'com.apple.quicktime.creationdate': '2024-01-08T15:06:17-0800',
    location: '+48.1374+011.5755/',
    title: 'Lake',
    DIRECTOR: 'Ann',
  }

  it.each(firstOf(['mp4', 'mov'] as const))('is kept in %s, encoded and copied', async (container) => {
    const original = await clip({ ...small, tags }, 'mkv')
    for (const codec of ['h264', 'copy'] as const) {
      const { temporaryPath, losses } = await runJob(original, { container, codec })
      const { metadata } = await read(temporaryPath)
      expect(metadata).toMatchObject(tags)
      expect(losses).toEqual([])
    }
  })

  it('belongs to the inventory by name, without what a program wrote for itself', async () => {
    const pair = { 'com.apple.quicktime.content.identifier': '6C2F-AB', custom: 'notes' }
    const original = await clip({ ...small, tags: { ...tags, ...pair, encoder: 'FFmpeg' } }, 'mkv')
    const others = [
      { name: 'com.apple.quicktime.content.identifier', value: '6C2F-AB' },
      { name: 'custom', value: 'notes' },
      { name: 'title', value: 'Lake' },
    ]
    for (const container of firstOf([...CONTAINERS, 'webm'] as const)) {
      const codec = container === 'webm' ? 'vp9' : 'h264'
      const { temporaryPath, losses } = await runJob(original, { container, codec })
      const { inventory } = await read(temporaryPath)
      const found = inventory.tags.others.toSorted((one, other) => one.name.localeCompare(other.name))
      expect([found, losses]).toEqual([others, []])
    }
  })

  itInLongSuite('is named as lost if it is a timecode that doesn’t fit the frame rate', async () => {
    expect(await lostOf('01:02:03:04', 'mp4')).toEqual([])
    // A semicolon says that numbers of frames are left out, which happens at 29.97 frames per second only.
    expect(await lostOf('01:02:03;04', 'mp4')).toMatchObject([{ code: 'tags', values: { count: 1 } }])
    expect(await lostOf('01:02:03;04', 'mkv')).toEqual([])
  })

  itInLongSuite('in 3GP’s way is kept, with the exact location', async () => {
    const original = await clip(small)
    const bytes = await readFile(original)
    const at = bytes.lastIndexOf('moov') - 4
    const place = makeBox('\u00a9xyz', Buffer.from([0, 17, 0x15, 0xc7]), Buffer.from('+48.1374+011.575/'))
    const rounded = makeBox('loci', Buffer.from('0000000015c70000000b937000302330000000000000', 'hex'))
    const title = Buffer.from('\ufeffSee', 'utf16le').swap16()
    const wide = makeBox('titl', Buffer.from([0, 0, 0, 0, 0x15, 0xc7]), title)
    const userData = makeBox('udta', place, rounded, wide, tagOf3gp('auth', 'Zoe'), tagOf3gp('cprt', '© Zoe'))
    const moov = makeBox('moov', bytes.subarray(at + 8), userData)
    await writeFile(original, Buffer.concat([bytes.subarray(0, at), moov]))
    const kept = { title: 'See', author: 'Zoe', copyright: '© Zoe', location: '+48.1374+011.575/' }
    for (const codec of ['h264', 'copy'] as const) {
      const { temporaryPath, losses } = await runJob(original, { codec, metadata: 'keep' })
      expect(losses).toEqual([])
      expect((await read(temporaryPath)).metadata).toMatchObject(kept)
    }
    const { temporaryPath } = await runJob(original, { metadata: 'strip' })
    expect((await read(temporaryPath)).metadata).not.toMatchObject({ author: 'Zoe' })
  })

  it('keeps the title of a Matroska file whose tags name a series', async () => {
    const original = await clip({ ...small, tags: { title: 'Lake' } }, 'mkv')
    // A top-level element may follow the segment's others if the segment's length is unknown.
    await appendFile(original, element(0x1254c367, tagsOf(level(70), simple('TITLE', 'Series X'))))
    const { temporaryPath } = await runJob(original, { container: 'mp4', codec: 'copy' })
    expect((await read(original)).metadata).toMatchObject({ title: 'Lake' })
    expect((await read(temporaryPath)).metadata).toMatchObject({ title: 'Lake' })
  })

  itInLongSuite(
    'stays with its show, its episode and its chapters in Matroska; other containers have what describes the file',
    async () => {
      const original = await clip(small, 'mkv')
      const actors = [simple('ACTOR', 'Ann', simple('LATITUDE', '48.13')), simple('ACTOR', 'Bob')]
      await appendToSegment(original, [
        element(0x1043a770, element(0x45b9, chapter)),
        element(0x1254c367, tagsOf(level(70), simple('TITLE', 'Show'), simple('DIRECTOR', 'Eva'))),
        element(
          0x1254c367,
          tagsOf(level(60), simple('TITLE', 'Season'), simple('PART_NUMBER', '2')),
          tagsOf(level(50), simple('TITLE', 'Pilot'), simple('PART_NUMBER', '7'), ...actors),
          tagsOf(element(0x63c4, Buffer.from([7])), simple('TITLE', 'Song')),
        ),
      ])
      const ofFile = { title: 'Pilot', track: '7', DIRECTOR: 'Eva', ACTOR: 'Ann' }
      const withTargets = ['70/title', '60/title', '60/track', '50/ACTOR', 'chapter/title']
      const namesOfOthers = async (path: string) =>
        (await read(path)).inventory.tags.others.flatMap(({ name }) =>
          /^(?:\d|chapter)/.test(name) ? name : [],
        )
      expect((await read(original)).metadata).toMatchObject(ofFile)
      const copied = await runJob(original, { container: 'mkv', codec: 'copy' })
      const encoded = await runJob(copied.temporaryPath, { container: 'webm', codec: 'vp9' })
      for (const { temporaryPath, losses } of [copied, encoded]) {
        expect([await namesOfOthers(temporaryPath), losses]).toEqual([withTargets, []])
        expect((await read(temporaryPath)).metadata).toMatchObject({ ...ofFile, 'ACTOR/LATITUDE': '48.13' })
      }
      const other = await runJob(original, { container: 'mp4', codec: 'copy' })
      expect((await read(other.temporaryPath)).metadata).toMatchObject(ofFile)
      expect(other.losses).toMatchObject([{ code: 'tags', values: { count: 5 } }])
      const place = await runJob(original, { container: 'mkv', codec: 'copy', metadata: 'strip-location' })
      expect((await readFile(place.temporaryPath)).includes('48.13')).toBe(false)
      expect(await namesOfOthers(place.temporaryPath)).toEqual(withTargets)
      const none = await runJob(original, { container: 'mkv', codec: 'copy', metadata: 'strip' })
      expect(await namesOfOthers(none.temporaryPath)).toEqual([])
    },
  )

  it('of a track is listed if its level is lost, and that of a chapter stays if its title is removed', async () => {
    const original = await clip(small, 'mkv')
    const named = element(0x80, element(0x85, Buffer.from('48.1374, 11.5755')))
    const place = element(0xb6, element(0x73c4, Buffer.from([8])), element(0x91, Buffer.from([1])), named)
    const track = element(0x63c5, Buffer.from([1]))
    const tagged = [
      tagsOf(Buffer.concat([level(30), track]), simple('TITLE', 'Song')),
      tagsOf(Buffer.concat([level(50), track]), simple('COMMENT', 'Usual')),
      tagsOf(element(0x63c4, Buffer.from([7])), simple('ARTIST', 'Ann')),
    ]
    await appendToSegment(original, [
      element(0x1043a770, element(0x45b9, chapter, place)),
      element(0x1254c367, ...tagged),
    ])
    const kept = await runJob(original, { container: 'mkv', codec: 'copy' })
    expect(kept.losses).toMatchObject([{ code: 'tags', values: { count: 1 } }])
    const { inventory } = await read(original)
    expect(inventory.tags.others.map(({ name }) => name)).toEqual(['track 30/title', 'chapter/ARTIST'])
    const removed = await runJob(original, { container: 'mkv', codec: 'copy', metadata: 'strip-location' })
    const { tags: left, chapters } = (await read(removed.temporaryPath)).inventory
    expect([left.others.map(({ name }) => name), chapters]).toEqual([['chapter/ARTIST'], 2])
    expect((await readFile(removed.temporaryPath)).includes('48.1374')).toBe(false)
  })

  it('is removed with all metadata, and its place without the rest', async () => {
    const original = await clip({ ...small, tags }, 'mkv')
    const all = await runJob(original, { container: 'mp4', metadata: 'strip' })
    expect(Object.keys((await read(all.temporaryPath)).metadata).join(' ')).not.toMatch(
      /quicktime|location|title/,
    )
    const place = await runJob(original, { container: 'mov', metadata: 'strip-location' })
    const { metadata } = await read(place.temporaryPath)
    expect(metadata).toMatchObject({ 'com.apple.quicktime.make': 'Apple', title: 'Lake' })
    expect(JSON.stringify(metadata)).not.toContain('48.1374')
  })
})

it.each([
  ['keywords', 'Lake; Places|Germany|Munich', false],
  ['keywords', 'Lake; Boats|Old', true],
  ['title', 'Places/Faces', true],
])('without its location, a video with the tag %s “%s” keeps it: %s', (name, value, isKept) => {
  expect(keepsTag(name, value, 'strip-location')).toBe(isKept)
})

describe('XMP', () => {
  const UUID = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex')
  const withXmp = async () => {
    const original = await clip(small)
    const packet = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    await appendFile(original, makeBox('uuid', UUID, packet))
    return original
  }

  it('is listed as lost', async () => {
    const { losses } = await runJob(await withXmp(), { metadata: 'keep' })
    expect(codesOf(losses)).toEqual(['xmp'])
  })

  itInLongSuite(
    'and a camera’s metadata for the whole file stay in a copy, are listed if encoded, and are removed with the location',
    async () => {
      const original = await withXmp()
      const handler = makeBox('hdlr', Buffer.alloc(8), Buffer.from('nrtm'), Buffer.alloc(13))
      const xml = makeBox('xml ', Buffer.alloc(4), Buffer.from('<NonRealTimeMeta serialNo="S1"/>'))
      await appendFile(original, makeBox('meta', Buffer.alloc(4), handler, xml))
      const run = async (changes: Partial<VideoRecipe>) => {
        const { temporaryPath, losses } = await runJob(original, { metadata: 'keep', ...changes })
        return { bytes: await readFile(temporaryPath), lost: codesOf(losses) }
      }
      for (const container of ['mp4', 'mov'] as const) {
        const copy = await run({ codec: 'copy', container })
        expect(copy.lost).toEqual([])
        expect([copy.bytes.includes('serialNo'), copy.bytes.includes('xmpmeta')]).toEqual([true, true])
      }
      for (const changes of [{}, { codec: 'copy', container: 'mkv' }] as const)
        expect((await run(changes)).lost).toEqual(['xmp', 'metadataBlock'])
      for (const metadata of ['strip', 'strip-location'] as const) {
        const without = await run({ codec: 'copy', metadata })
        expect(without.lost).toEqual([])
        expect(without.bytes.includes('serialNo') || without.bytes.includes('xmpmeta')).toBe(false)
      }
    },
  )

  it('is removed with the location, and isn’t listed as lost, because it may contain one', async () => {
    const { losses } = await runJob(await withXmp(), { metadata: 'strip-location' })
    expect(losses).toEqual([])
  })
})

describe('what marks a track', () => {
  it.each(firstOf(CONTAINERS))('stays as in the original in %s, encoded and copied', async (container) => {
    const others = [AV_DISPOSITION_VISUAL_IMPAIRED, AV_DISPOSITION_HEARING_IMPAIRED, AV_DISPOSITION_FORCED]
    const german = container === 'mkv' ? 'ger' : 'deu'
    const original = await makeTracks(await clip(small), [
      { tags: { language: 'ger', title: 'Regie' }, disposition: AV_DISPOSITION_COMMENT },
      { tags: { language: 'jpn' }, disposition: AV_DISPOSITION_DEFAULT },
      ...others.map((disposition) => ({ disposition })),
    ])
    for (const changes of [{}, { codec: 'copy' }, { audio: 'opus' }] as const) {
      const { temporaryPath, losses } = await runJob(original, { container, ...changes })
      const { audio } = (await read(temporaryPath)).inventory
      expect(audio).toMatchObject([
        { language: german, title: 'Regie', isDefault: false, roles: AV_DISPOSITION_COMMENT },
        { language: 'jpn', isDefault: true, roles: 0 },
        ...others.map((roles) => ({ roles })),
      ])
      expect(losses).toEqual([])
    }
  })
})

/** Returns the disposition of each audio track, and whether it is off. */
const stateOf = async (path: string) => {
  await using source = await openSourceFile(path, new AbortController().signal)
  return source.audioStreams.map(
    ({ disposition, metadata }) => `${disposition}${metadata?.get(OFF) === '1' ? ' off' : ''}`,
  )
}

itInLongSuite('a track that is off stays off', async () => {
  const disposition = AV_DISPOSITION_DEFAULT
  const original = await makeTracks(await clip(small), [{ disposition }, { disposition }])
  await changeTracks(original, ([, , second]) => second && turnOff(second))
  for (const changes of [{}, { codec: 'copy' }, { metadata: 'strip' }] as const) {
    const { temporaryPath } = await runJob(original, { container: 'mkv', ...changes })
    expect(await stateOf(temporaryPath)).toEqual([`${disposition}`, '0 off'])
  }
  const { temporaryPath, losses } = await runJob(original, { container: 'mp4' })
  expect([await stateOf(temporaryPath), losses]).toEqual([[`${disposition}`, '0'], []])
})

it('A mark of the original language is named where MP4 lacks it', async () => {
  const original = await makeTracks(await clip(small), [{}, { disposition: AV_DISPOSITION_ORIGINAL }])
  const codes = async (container: 'mp4' | 'mkv') => codesOf((await runJob(original, { container })).losses)
  expect([await codes('mp4'), await codes('mkv')]).toEqual([['trackFlags'], []])
})

it.each(['copy', 'h264'] as const)(
  'tags that cameras and programs name after a place are removed with the location, in any language: %s',
  async (codec) => {
    const kept = { GENRE: 'Travel', COMMENT: 'On the road', PLACEHOLDER: 'none', CLASSIFICATION: 'home' }
    const others = { 'com.apple.quicktime.make': 'camera-1', COPYRIGHT: 'Somebody' }
    const places = { PLACE: 'Paris', Ort: 'Paris, Eiffelturm', LIEU: 'Paris', 撮影地: 'Paris' }
    const fields = { filming_location: 'Paris', RECORDING_LOCATION: 'Paris', 'location-eng': 'Paris' }
    const position = { 'com.apple.quicktime.location.ISO6709': '+48.1371+011.5754+520/' }
    const camera = { GPSLatitude: 'Paris', City: 'Paris', ...position }
    const tags = { ...kept, ...others, ...places, ...fields, ...camera }
    const original = await clip({ ...small, tags }, 'mkv')
    expect((await readFile(original)).includes('Paris')).toBe(true)
    const recipe = { container: 'mkv', codec, metadata: 'strip-location' } as const
    const { temporaryPath, losses } = await runJob(original, recipe)
    const bytes = await readFile(temporaryPath)
    expect([bytes.includes('Paris'), bytes.includes('48.1371'), losses]).toEqual([false, false, []])
    expect(Object.values({ ...kept, ...others }).filter((value) => !bytes.includes(value))).toEqual([])
  },
)

const attached = (filename: string, content: Buffer, codecId: AVCodecID, mimetype: string): AddedTrack => ({
  samples: [],
  describe(stream) {
    stream.codecpar.codecType = AVMEDIA_TYPE_ATTACHMENT
    stream.codecpar.codecId = codecId
    stream.codecpar.extradata = content
    stream.metadata = Dictionary.fromObject({ filename, mimetype })
  },
})
const font = (filename: string, content: string) =>
  attached(filename, Buffer.from(content, 'latin1'), AV_CODEC_ID_TTF, 'font/ttf')

describe('covers', () => {
  it('are kept between MP4 and Matroska, encoded and copied', async () => {
    const cover = await sharp({ create: { width: 32, height: 32, channels: 3, background: 'red' } })
      .jpeg()
      .withExif({ IFD0: { Model: 'Coverpix' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 8/1 0/1' } })
      .toBuffer()
    const original = inClipFolder('cover.mkv')
    const added = [attached('cover.jpg', cover, AV_CODEC_ID_MJPEG, 'image/jpeg')]
    await remux(await clip(small, 'mkv'), original, { added })
    let path = original
    for (const container of firstOf(['mp4', 'mkv', 'mp4'] as const))
      for (const codec of ['h264', 'copy'] as const) {
        const made = await runJob(path, { container, codec, metadata: 'keep' })
        const { embeddedImages } = (await read(made.temporaryPath)).inventory
        expect([container, embeddedImages, made.losses]).toEqual([container, 1, []])
        expect((await readFile(made.temporaryPath)).includes(cover)).toBe(true)
        path = made.temporaryPath
      }
    const removed = await runJob(original, { container: 'mkv', metadata: 'strip' })
    expect([(await read(removed.temporaryPath)).inventory.embeddedImages, removed.losses]).toEqual([0, []])
    for (const container of firstOf(['mp4', 'mkv', 'webm'] as const)) {
      const codec = container === 'webm' ? 'vp9' : 'copy'
      const made = await runJob(original, { container, codec, metadata: 'strip-location' })
      const { temporaryPath, losses } = made
      const [bytes, { inventory }] = [await readFile(temporaryPath), await read(temporaryPath)]
      const isKept = container !== 'webm'
      expect([container, inventory.embeddedImages]).toEqual([container, isKept ? 1 : 0])
      expect(codesOf(losses)).toEqual(isKept ? [] : ['embeddedImages'])
      expect([bytes.includes(cover), bytes.includes('Coverpix')]).toEqual([false, isKept])
    }
  })
})

itInLongSuite(
  'attached files that aren’t fonts are metadata, regardless of the type that the file states',
  async () => {
    const original = inClipFolder('attached.mkv')
    const added = [font('a.ttf', '\0\x01\0\0letters'), font('b.ttf', '<point lat="48.1"/>')]
    await remux(await clip(small, 'mkv'), original, { added })
    for (const [metadata, attachments] of [
      ['keep', 2],
      ['strip-location', 1],
      ['strip', 1],
    ] as const) {
      const { temporaryPath, losses } = await runJob(original, { container: 'mkv', codec: 'copy', metadata })
      expect((await read(temporaryPath)).inventory).toMatchObject({ attachments, fonts: 1 })
      expect([(await readFile(temporaryPath)).includes('<point'), losses]).toEqual([metadata === 'keep', []])
    }
  },
)

describe('languages', () => {
  it.each(
    firstOf([
      ['mp4', ['deu', 'ell', 'yue']],
      ['mov', ['deu', 'ell', 'yue']],
      ['mkv', ['ger', 'gre', 'yue']],
    ] as const),
  )('have the codes that %s uses, and none is lost', async (container, expected) => {
    const tracks = ['deu', 'gre', 'yue'].map((language) => ({ tags: { language } }))
    const original = await makeTracks(await clip(small), tracks)
    const { temporaryPath, losses } = await runJob(original, { container })
    expect([await languagesIn(temporaryPath), losses]).toEqual([expected, []])
  })
})

const languagesIn = async (path: string) => (await read(path)).inventory.audio.map(({ language }) => language)

describe('language tags', () => {
  /** Three-letter codes don't distinguish all of them. */
  const TAGGED = [
    ['por', 'pt-BR'],
    ['por', 'pt-PT'],
    ['chi', 'zh-Hans'],
    ['und', 'x-klingon'],
  ] as const

  async function tagged(): Promise<string> {
    const tracks = TAGGED.map(([code, tag]) => ({ tags: { language: roomForTag(code, tag) } }))
    const path = await makeTracks(await clip(small), tracks)
    await splitLanguages(path)
    return path
  }
  const all = TAGGED.map(([, tag]) => tag)

  it.each(
    firstOf([
      { container: 'mp4' },
      { container: 'mov', codec: 'copy' },
      { container: 'mkv', metadata: 'strip' },
      { container: 'mkv', codec: 'copy' },
      { container: 'webm', codec: 'vp9' },
    ] as const),
  )('are kept, there and back: %o', async (recipe) => {
    const { temporaryPath, losses } = await runJob(await tagged(), recipe)
    expect([await languagesIn(temporaryPath), losses]).toEqual([all, []])
    const back = await runJob(temporaryPath, { codec: 'copy', container: 'mkv' })
    expect([await languagesIn(back.temporaryPath), back.losses]).toEqual([all, []])
  })

  itInLongSuite('choose tracks', async () => {
    const { temporaryPath } = await runJob(await tagged(), { audioLanguages: ['pt-PT', 'zh-Hans'] })
    expect(await languagesIn(temporaryPath)).toEqual(['pt-PT', 'zh-Hans'])
  })

  it('leave a valid checksum of the tracks', async () => {
    const bytes = await readFile(await tagged())
    const from = bytes.lastIndexOf(Buffer.from('1654ae6b', 'hex'))
    const { start, size } = elementAt(bytes, from)
    const [checksum] = elementsIn(bytes.subarray(from + start, from + start + size))
    const content = bytes.subarray(from + start + 6, from + start + size)
    expect(checksum?.body.readUInt32LE()).toBe(crc32(content))
  })
})

it.each(firstOf(['mp4', 'mov'] as const))(
  'subtitles that are off by default stay off in %s',
  async (container) => {
    for (const isDefault of [false, true]) {
      const line = { start: 0, end: 0.4, text: 'Hello' }
      const original = await withSubtitles(await clip(small), [line], { isDefault })
      const { temporaryPath } = await runJob(original, { container })
      expect((await read(temporaryPath)).inventory.subtitles).toMatchObject([{ isDefault }])
    }
  },
)

describe('a 360° view', () => {
  /** FFmpeg's structure for an equirectangular picture: projection, rotation, bounds and padding. */
  const EQUIRECTANGULAR = { type: AV_PKT_DATA_SPHERICAL, data: Buffer.alloc(36) }

  it.each(firstOf(CONTAINERS))('is kept in %s, encoded and copied', async (container) => {
    const original = await makeTracks(await clip(small), [{}], EQUIRECTANGULAR)
    for (const codec of ['h264', 'copy'] as const) {
      const { temporaryPath, losses } = await runJob(original, { container, codec })
      expect((await read(temporaryPath)).inventory.spherical).toBe(true)
      expect(losses).toEqual([])
    }
  })

  itInLongSuite('is named as lost if the picture is cropped', async () => {
    const original = await makeTracks(await clip(small), [{}], EQUIRECTANGULAR)
    const { losses } = await runJob(original, { crop: { aspect: 2 } })
    expect(codesOf(losses)).toEqual(['spherical'])
  })
})

it('Dolby Vision is described in MP4 as Dolby specifies it', () => {
  using parameters = new CodecParameters()
  parameters.alloc()
  // FFmpeg's structure: version 1.0, profile 5, level 3, with metadata and a base layer.
  parameters.addCodedSideData(AV_PKT_DATA_DOVI_CONF, Buffer.from('010005030100010000', 'hex'))
  const [written] = viewBoxes(parameters)
  expect(written?.toString('hex')).toBe(`000000206476634301000a1d00${'00'.repeat(19)}`)
})
