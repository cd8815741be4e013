import { readFile, writeFile } from 'node:fs/promises'
import * as fc from 'fast-check'
import { CodecParameters } from 'node-av/lib'
import {
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AV_PKT_DATA_DOVI_CONF,
  AV_PKT_DATA_SPHERICAL,
  AV_PKT_DATA_STEREO3D,
} from 'node-av/constants'
import { expect, it } from 'vitest'
import { chaptersFrom, readChapters } from '../../../src/media/video/chapters.ts'
import {
  addLanguageTags,
  languageBoxes,
  roomForTag,
  splitLanguages,
} from '../../../src/media/video/language-tags.ts'
import { elementsIn } from '../../../src/media/video/matroska-elements.ts'
import { matroskaChapters } from '../../../src/media/video/matroska-chapters.ts'
import { appendToSegment } from '../../../src/media/video/matroska-segment.ts'
import { partsOf, rebuilt } from '../../../src/media/video/mp4-boxes.ts'
import { buildList, titleSample } from '../../../src/media/video/mp4-chapters.ts'
import { readFileBoxes } from '../../../src/media/video/mp4-file-boxes.ts'
import { openSourceFile } from '../../../src/media/video/source-file.ts'
import { viewBoxes } from '../../../src/media/video/view-metadata.ts'
import { firstOf } from '../../faults/long-suite.ts'
import { clip, inClipFolder, runJob, useClipFolder } from './run-job.ts'
import { makeTracks } from './several-tracks.ts'

useClipFolder()

const CHAPTERS = [
  { start: 0.1, end: 0.2, title: 'One' },
  { start: 0.2, end: 0.48, title: 'Two' },
]

const SHORT = { width: 64, height: 64, times: [0, 40], sound: 0.1 }

/** Makes a file with everything that is read here: chapters in both ways, edits, and tags of languages. */
async function rich(container: 'mp4' | 'mov' | 'mkv'): Promise<string> {
  const path = await makeTracks(await clip(SHORT), [{ tags: { language: roomForTag('por', 'pt-BR') } }])
  await splitLanguages(path)
  await appendToSegment(path, [matroskaChapters({ list: CHAPTERS })])
  return container === 'mkv' ? path : (await runJob(path, { codec: 'copy', container })).temporaryPath
}

/** Numbers that break sizes and counts. */
const byte = fc.oneof(fc.constantFrom(0, 1, 7, 0x7f, 0x80, 0xfe, 0xff), fc.nat(255))
const PARTS = 1_000_000
/** Where to change a file, in parts of its length, and to what. */
const changes = fc.array(fc.tuple(fc.noBias(fc.nat(PARTS - 1)), byte), { minLength: 1, maxLength: 6 })
const isCutShort = fc.noBias(fc.nat(4)).map((number) => number === 0)

it.each(firstOf(['mp4', 'mkv', 'mov'] as const, 2))(
  'a damaged index of %s neither stops nor misleads its readers',
  async (container) => {
    const path = await rich(container)
    const whole = await readFile(path)
    const format = container === 'mkv' ? 'matroska,webm' : 'mov,mp4,m4a,3gp,3g2,mj2'
    await using source = await openSourceFile(path, new AbortController().signal)
    // The clip is so small that most of it is its index.
    const counts: number[] = []
    const hostile = inClipFolder(`hostile.${container}`)
    await fc.assert(
      fc.asyncProperty(changes, isCutShort, async (some, isCut) => {
        const bytes = Buffer.from(whole)
        for (const [place, value] of some) bytes[Math.floor((place * bytes.length) / PARTS)] = value
        await writeFile(
          hostile,
          isCut ? bytes.subarray(0, Math.floor(((some[0]?.[0] ?? 0) * bytes.length) / PARTS)) : bytes,
        )
        const { list } = chaptersFrom(await readChapters(hostile), 0, 0.48)
        for (const { start, end } of list) {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(start).toBeLessThan(0.48)
          expect(end).toBeGreaterThan(start)
        }
        counts.push(list.length)
        buildList(list)
        for (const { title } of list) titleSample(title)
        await readFileBoxes(hostile, 'mov')
        await addLanguageTags(hostile, format, source.streams)
      }),
      { numRuns: 300 },
    )
    // Most changes leave something to read.
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(30)
  },
)

it.each([
  ['dashes', 'a----b'],
  ['many letters', 'a'.repeat(200)],
])('a language code with %s doesn’t damage a file', async (_, language) => {
  const tags = { language: roomForTag(language, 'pt-BR') }
  const path = await makeTracks(await clip(SHORT), [{ tags }])
  await splitLanguages(path)
  await using source = await openSourceFile(path, new AbortController().signal)
  const types = source.streams.map(({ codecpar }) => codecpar.codecType)
  expect(types).toEqual([AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO])
  expect(source.audioStreams[0]?.metadata?.getAll()).toMatchObject(
    language.length < 100 ? { language, 'mediatray-language': 'pt-BR' } : tags,
  )
})

it('a file that ends within the length of a box isn’t searched further for XMP', async () => {
  const path = inClipFolder('cut.mp4')
  await writeFile(path, Buffer.from('\0\0\0\x01mdat', 'latin1'))
  expect(await readFileBoxes(path, 'mov')).toMatchObject({ xmp: false, metadataBlocks: [] })
})

it('any bytes are elements, or end too early', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        for (const { body } of elementsIn(Buffer.from(bytes))) expect(body.length).toBeLessThanOrEqual(200)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
  )
})

it('chapters that contain each other without end are read without an error', async () => {
  const path = inClipFolder('nested.mkv')
  const whole = await readFile(await rich('mkv'))
  const nested = Buffer.alloc(2_000_000)
  // Each is an atom that takes the rest of its parent.
  for (let at = 0; at < nested.length; at += 2) nested.writeUInt16BE(0xb6_ff, at)
  const editions = Buffer.concat([Buffer.from('45b9ff', 'hex'), nested])
  const chapters = Buffer.concat([Buffer.from('1043a770ff', 'hex'), editions])
  // A segment without a length contains all that follows.
  const header = whole.subarray(0, whole.indexOf(Buffer.from('18538067', 'hex')))
  await writeFile(path, Buffer.concat([header, Buffer.from('18538067ff', 'hex'), chapters]))
  expect((await readChapters(path)).list.length).toBeLessThan(200)
})

it('boxes of tracks are built from any description of a view and any tag', () => {
  const type = fc.constantFrom(AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_STEREO3D, AV_PKT_DATA_DOVI_CONF)
  fc.assert(
    fc.property(type, fc.uint8Array({ minLength: 1, maxLength: 48 }), (type, bytes) => {
      using parameters = new CodecParameters()
      parameters.alloc()
      parameters.addCodedSideData(type, Buffer.from(bytes))
      const built = Buffer.concat([...viewBoxes(parameters)])
      expect(Buffer.concat(partsOf(built).map(rebuilt)).equals(built)).toBe(true)
    }),
  )
  expect(languageBoxes('pt-BR')).toHaveLength(1)
})

it('chapters outside of the picture don’t make a result longer', async () => {
  const path = await makeTracks(await clip({ width: 64, height: 64, sound: 0.48 }), [{}])
  await appendToSegment(path, [matroskaChapters({ list: [...CHAPTERS, { start: 100, title: 'Never' }] })])
  const { temporaryPath, losses } = await runJob(path, { codec: 'copy', container: 'mp4' })
  await using result = await openSourceFile(temporaryPath, new AbortController().signal)
  expect(result.duration).toBeLessThan(0.6)
  expect(losses).toMatchObject([{ code: 'chapters', values: { count: 1 } }])
})
