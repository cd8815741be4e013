import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { uint32 } from '../../../src/media/big-endian.ts'
import { makeBox } from '../../../src/media/make-box.ts'
import { chaptersFrom, readChapters } from '../../../src/media/video/chapters.ts'
import { matroskaChapters } from '../../../src/media/video/matroska-chapters.ts'
import { appendToSegment } from '../../../src/media/video/matroska-segment.ts'
import {
  handlerOf,
  type Part,
  partAt,
  partsOf,
  readMovie,
  rebuilt,
} from '../../../src/media/video/mp4-boxes.ts'
import { titleSample } from '../../../src/media/video/mp4-chapters.ts'
import { decodedDigests } from './decoded-digests.ts'
import { clip, inClipFolder, runJob, useClipFolder } from './run-job.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

useClipFolder()

const TWO = [
  { start: 0, end: 0.2, title: 'Start' },
  { start: 0.2, end: 0.48, title: 'Zürich' },
]

/** Makes a Matroska file with chapters. */
async function withChapters(list = TWO, element?: Buffer): Promise<string> {
  const path = await clip({ width: 64, height: 64, sound: 0.48 }, 'mkv')
  await appendToSegment(path, [matroskaChapters({ list, ...(element && { element }) })])
  return path
}

const inMs = (seconds: number) => Math.round(seconds * 1000) / 1000
const rounded = async (path: string) => {
  const { list } = await readChapters(path)
  return list.map(({ start, end = 0, title }) => ({ start: inMs(start), end: inMs(end), title }))
}

/** Bytes of a Matroska element. */
const part = (id: string, ...body: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(body)
  return Buffer.concat([
    Buffer.from(id, 'hex'),
    Buffer.from([0x40 | (content.length >> 8), content.length & 0xff]),
    content,
  ])
}
const byte = (id: string, value: number) => part(id, Buffer.from([value]))

const atom = (uid: number, ...more: readonly Buffer[]) =>
  part('b6', byte('73c4', uid), byte('91', 0), ...more)
const called = (name: string, language = 'eng') =>
  part('80', part('85', Buffer.from(name)), part('437c', Buffer.from(language)))

it('Chapters that only Matroska has are kept there, and named elsewhere', async () => {
  const named = part('80', part('85', Buffer.from('48.13743, 11.57549')))
  const element = part(
    '1043a770',
    part(
      '45b9',
      byte('45bc', 1),
      byte('45dd', 1),
      atom(1, called('One'), called('Uno', 'deu'), atom(2)),
      atom(3, byte('98', 1), named),
    ),
    part('45b9', byte('45bc', 2), atom(4)),
  )
  const path = await withChapters(TWO, element)
  const lost = async (container: 'mp4' | 'mkv') => (await runJob(path, { container, codec: 'copy' })).losses
  expect(await lost('mkv')).toEqual([])
  expect(await lost('mp4')).toMatchObject([
    { code: 'chapters', values: { count: 2 } },
    { code: 'chapterNames', values: { count: 1, detail: 'deu' }, why: { code: 'formatLacksThem' } },
    { code: 'chapterOrder', why: { code: 'formatLacksIt' } },
  ])
  const removed = await runJob(path, { container: 'mkv', codec: 'copy', metadata: 'strip-location' })
  expect((await readFile(removed.temporaryPath)).includes('48.13743')).toBe(false)
})

it('Without its location, a video loses only the chapter names that contain one', async () => {
  const [place, name] = [called('48.13743, 11.57549', 'deu'), called('Der See', 'deu')]
  const element = part(
    '1043a770',
    part('45b9', byte('45bc', 1), atom(1, called('One'), place), atom(2, called('The lake'), name)),
  )
  const path = await withChapters(TWO, element)
  const recipe = { container: 'mkv', codec: 'copy', metadata: 'strip-location' } as const
  const { temporaryPath, losses } = await runJob(path, recipe)
  expect(losses).toEqual([])
  const { list } = await readChapters(temporaryPath)
  expect(list.map(({ title, others }) => [title, others?.map((other) => other.title)])).toEqual([
    ['One', []],
    ['The lake', ['Der See']],
  ])
})

/** Adds a track with the German titles of the two chapters to an MP4 file. */
async function withGermanTitles(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  const { at, body } = (await readMovie(file)) ?? { at: 0, body: Buffer.alloc(0) }
  const { size: end } = await file.stat()
  const titles = ['The first', 'The second'].map(titleSample)
  const samples: Readonly<Record<string, Buffer>> = {
    stsz: uint32(0, 0, titles.length, ...titles.map(({ length }) => length)),
    stsc: uint32(0, 1, 1, titles.length, 1),
    stco: uint32(0, 1, end + 8),
  }
  const german = (part: Part): Buffer => {
    const { type } = part
    if (type === 'tkhd') return makeBox(type, part.body.subarray(0, 12), uint32(9), part.body.subarray(16))
    if (type === 'mdhd')
      return makeBox(type, part.body.subarray(0, 20), uint32(0x10b5_0000), part.body.subarray(24))
    if (['mdia', 'minf', 'stbl'].includes(type)) return makeBox(type, ...partsOf(part.body).map(german))
    return makeBox(type, samples[type] ?? part.body)
  }
  const tracks = partsOf(body).map((part) => {
    if (part.type !== 'trak') return rebuilt(part)
    const added = handlerOf(part.body) === 'text' ? [makeBox('trak', ...partsOf(part.body).map(german))] : []
    const parts = partsOf(part.body).map((one) =>
      one.type === 'tref'
        ? makeBox('tref', makeBox('chap', partAt(one.body, 'chap')!, uint32(9)))
        : rebuilt(one),
    )
    return Buffer.concat([makeBox('trak', ...parts), ...added])
  })
  await file.write('free', at - 4)
  await file.write(Buffer.concat([makeBox('mdat', ...titles), makeBox('moov', ...tracks)]), 0, null, end)
}

itInLongSuite(
  'Chapter names in several languages are kept from QuickTime to Matroska, and named elsewhere',
  async () => {
    const { temporaryPath: path } = await runJob(await withChapters(), { container: 'mp4', codec: 'copy' })
    await withGermanTitles(path)
    const kept = await runJob(path, { container: 'mkv', codec: 'copy' })
    const { list } = await readChapters(kept.temporaryPath)
    expect(list.map(({ title, others }) => [title, others?.[0]])).toEqual([
      ['Start', { title: 'The first', language: 'deu' }],
      ['Zürich', { title: 'The second', language: 'deu' }],
    ])
    expect((await runJob(path, { container: 'mp4', codec: 'copy' })).losses).toMatchObject([
      { code: 'chapterNames', values: { count: 2, detail: 'deu' } },
    ])
  },
)

describe('chapters', () => {
  it.each(firstOf(['mp4', 'mov', 'mkv'] as const))(
    'are kept in %s, encoded and copied',
    async (container) => {
      const original = await withChapters()
      for (const codec of ['h264', 'copy'] as const) {
        const { temporaryPath, losses } = await runJob(original, { container, codec })
        expect(losses).toEqual([])
        expect(await rounded(temporaryPath)).toEqual(TWO)
        const again = await runJob(temporaryPath, { container: 'mkv', codec: 'copy' })
        expect(await rounded(again.temporaryPath)).toEqual(TWO)
      }
    },
  )

  itInLongSuite('are kept in WebM', async () => {
    const { temporaryPath, losses } = await runJob(await withChapters(), { container: 'webm', codec: 'vp9' })
    expect([await rounded(temporaryPath), losses]).toEqual([TWO, []])
  })

  it('are kept with only the audio', async () => {
    const { temporaryPath } = await runJob(await withChapters(), { codec: 'none' })
    expect(await rounded(temporaryPath)).toEqual(TWO)
  })

  it('may be many, start late, and have long titles', async () => {
    const list = Array.from({ length: 300 }, (_, index) => ({
      start: (10 + index) / 1000,
      end: (11 + index) / 1000,
      title: `${index} ${'ü'.repeat(200)}`,
    }))
    const original = await withChapters(list)
    const { temporaryPath, losses } = await runJob(original, { container: 'mp4', codec: 'copy' })
    expect([await rounded(temporaryPath), losses]).toEqual([list, []])
  })

  itInLongSuite('leave the pictures as they are', async () => {
    const original = await withChapters()
    const { temporaryPath } = await runJob(original, { container: 'mp4', codec: 'copy' })
    expect((await decodedDigests(temporaryPath))[0]).toEqual((await decodedDigests(original))[0])
  })

  it('end with the video', async () => {
    const original = await withChapters([{ start: 0.2, end: 9, title: 'Long' }])
    const { temporaryPath } = await runJob(original, { container: 'mp4', codec: 'copy' })
    const [chapter] = await rounded(temporaryPath)
    expect(chapter?.end).toBeCloseTo(0.48, 1)
  })

  it('stay with their pictures if the file’s clock doesn’t start at zero', () => {
    const list = [
      { start: 10, title: 'One' },
      { start: 12, title: 'Two' },
    ]
    expect(chaptersFrom({ list, element: Buffer.from('old') }, 10, 4)).toEqual({
      list: [
        { start: 0, end: 2, title: 'One' },
        { start: 2, end: 4, title: 'Two' },
      ],
      element: undefined,
    })
  })

  it('lose titles with coordinates when the location is removed', async () => {
    const place = { start: 0, end: 0.2, title: '48.13743, 11.57549' }
    const original = await withChapters([place, ...TWO.slice(1)])
    const { temporaryPath } = await runJob(original, { container: 'mkv', codec: 'copy', metadata: 'strip' })
    expect((await rounded(temporaryPath)).map(({ title }) => title)).toEqual(['', 'Zürich'])
  })

  it('aren’t looked for in a damaged index', async () => {
    const whole = await withChapters()
    await using file = await open(whole, 'r+')
    await file.truncate((await file.stat()).size - 40)
    expect((await readChapters(whole)).list).toEqual([])
    const folder = inClipFolder('damaged')
    await mkdir(folder)
    const path = join(folder, 'short.mp4')
    await writeFile(path, Buffer.from('000000106d6f6f760000ff08747261', 'hex'))
    expect((await readChapters(path)).list).toEqual([])
  })
})
