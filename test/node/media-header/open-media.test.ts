import { open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as fc from 'fast-check'
import sharp from 'sharp'
import { expect, it, vi } from 'vitest'
import { mediaIn, withMedia } from '../../../src/node/media-header/open-media.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const SAMPLES = resolve(import.meta.dirname, '../../../assets/samples')
const UNKNOWN = { width: null, height: null, duration: null }

const read = (path: string) =>
  withMedia(path, async (media) => ({ kind: await media.kind(), ...(await media.header()) }))

it.each([
  // Stored lying on its side.
  ['dawn-upright.jpg', 'image', 900, 1_200],
  ['evening-lake.heic', 'image', 960, 720],
  ['flower-on-nothing.png', 'image', 480, 480],
  ['mountain-lake.webp', 'image', 1_200, 800],
  ['sunrise.mp4', 'video', 640, 360],
])('reads the kind and the displayed dimensions of %s from its header', async (name, kind, width, height) => {
  expect(await read(join(SAMPLES, name))).toMatchObject({ kind, width, height })
})

const formatOf = (path: string) => withMedia(path, async (media) => (await media.content())?.extensions[0])

it('recognizes a format by its content, and not every file', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'notes.jpg'), 'not a photo')
  expect(await formatOf(join(SAMPLES, 'evening-lake.heic'))).toBe('heic')
  expect(await formatOf(join(SAMPLES, 'dawn-upright.jpg'))).toBe('jpg')
  expect(await formatOf(join(folder, 'notes.jpg'))).toBeUndefined()
  await expect(formatOf(join(folder, 'missing.jpg'))).rejects.toThrow('ENOENT')
})

it('doesn’t know the duration of a video whose header has all bits set', async () => {
  const movie = await readFile(join(SAMPLES, 'sunrise.mp4'))
  movie.writeUInt32BE(2 ** 32 - 1, movie.indexOf('mvhd') + 20)
  const path = join(temporaryFolder(), 'sunrise.mp4')
  await writeFile(path, movie)
  expect((await read(path)).duration).toBeNull()
})

it.each([
  [1_500, 1_500],
  [Number.NaN, null],
  [Infinity, null],
  [Number.MAX_VALUE, null],
  [-1, null],
])('reads a duration of %s from a Matroska header as %s', async (units, expected) => {
  const duration = Buffer.alloc(8)
  duration.writeDoubleBE(units)
  // The beginning of the file, a segment of unknown length, and information that consists of the duration.
  const head = Buffer.from(
    '1a45dfa3 80 18538067 01ffffffffffffff 1549a966 8b 4489 88'.replaceAll(' ', ''),
    'hex',
  )
  const path = join(temporaryFolder(), 'video.mkv')
  await writeFile(path, Buffer.concat([head, duration]))
  expect(await read(path)).toEqual({ kind: 'video', ...UNKNOWN, duration: expected })
})

it('reads the duration of a video', async () => {
  const { duration } = await read(join(SAMPLES, 'sunrise.mp4'))
  expect(duration).toBe(3_000)
})

it.each(
  mediaCorpus().flatMap((entry) =>
    entry.expect === 'processable' && typeof entry.width === 'number' ? [entry] : [],
  ),
)('reads the header of $file', async ({ path, kind, width, height, duration_s: seconds }) => {
  const header = await read(path)
  expect(header).toMatchObject({ kind, width, height })
  if (kind === 'video' && typeof seconds === 'number' && header.duration !== null)
    expect(Math.abs(header.duration - seconds * 1_000)).toBeLessThan(250)
})

it.each(['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif', 'jxl'] as const)(
  'reads the dimensions of a small %s file',
  async (format) => {
    const path = join(temporaryFolder(), `small.${format}`)
    const image = sharp({ create: { width: 37, height: 21, channels: 3, background: 'teal' } })
    const encoded = await image
      .toFormat(format)
      .toBuffer()
      .catch(() => undefined)
    // Not every build of sharp encodes JPEG XL.
    if (encoded === undefined) return
    await writeFile(path, encoded)
    expect(await read(path)).toEqual({ kind: 'image', width: 37, height: 21, duration: null })
  },
)

it('the dimensions of a truncated file without a header are unknown, and its name says what it is', async () => {
  const path = join(temporaryFolder(), 'short.jpg')
  await writeFile(path, Buffer.from('ffd8ffe0', 'hex'))
  expect(await read(path)).toEqual({ kind: 'image', ...UNKNOWN })
  await truncate(path, 1)
  expect(await read(path)).toEqual({ kind: 'image', ...UNKNOWN })
})

it('a text isn’t recognized, and neither is a missing file without a telling name', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'notes'), 'not a photo')
  expect(await read(join(folder, 'notes'))).toEqual({ kind: null, ...UNKNOWN })
  expect(await read(join(folder, 'gone'))).toEqual({ kind: null, ...UNKNOWN })
  expect(await read(join(folder, 'gone.mov'))).toEqual({ kind: 'video', ...UNKNOWN })
})

const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4)
  return bytes
}
const many = (count: number, one: Buffer) => Buffer.concat(Array.from({ length: count }, () => one))

/** A movie header without a duration, for which each reader searches all other boxes. */
const movieHeader = Buffer.concat([u32(28), Buffer.from('mvhd'), u32(0, 0, 0, 1, 0)])
/** A track with boxes in front of its size. */
const trackOf = (boxes: number) =>
  Buffer.concat([u32(8 + boxes * 8), Buffer.from('trak'), many(boxes, Buffer.from('\0\0\0\x08free'))])

it.each<[string, string, () => Buffer]>([
  ['movie headers that all search the rest', 'a.mp4', () => many(4_000, movieHeader)],
  ['tracks with thousands of boxes each', 'a.mp4', () => many(1_000, trackOf(4_000))],
])('gives up a file whose header consists of %s after a limited number of reads', async (_, name, make) => {
  const path = join(temporaryFolder(), name)
  const content = make()
  const head = [u32(16), Buffer.from('ftypisom'), u32(0), u32(8 + content.length), Buffer.from('moov')]
  await writeFile(path, Buffer.concat([...head, content]))
  await using file = await open(path)
  const reads = vi.spyOn(file, 'read')
  await mediaIn(file, path).header()
  expect(reads.mock.calls.length).toBeLessThan(2_100)
})

it('facts are those of the open file, even if another file has taken its path', async () => {
  const path = join(temporaryFolder(), 'a.png')
  await sharp({ create: { width: 30, height: 20, channels: 3, background: '#123' } }).toFile(path)
  await using file = await open(path)
  await rm(path)
  await writeFile(path, 'text')
  const media = mediaIn(file, path)
  expect([(await media.content())?.kind, await media.kind()]).toEqual(['image', 'image'])
  expect(await media.header()).toMatchObject({ width: 30, height: 20 })
})

itInLongSuite(
  'any bytes after a known beginning end in known or unknown facts, never in an error',
  async () => {
    const path = join(temporaryFolder(), 'hostile')
    const beginnings = [
      'ffd8ffe1',
      '89504e470d0a1a0a',
      '4949 2a00 0800 0000',
      '0000 000c 4a58 4c20 0d0a 870a',
      '0000 0014 6674 7970 6865 6963 0000 0000 6865 6963',
      '0000 0014 6674 7970 6973 6f6d 0000 0000 6973 6f6d 0000 0040 6d6f 6f76',
      '1a45 dfa3 80 18538067 01ffffffffffffff 1549a966',
      '52494646 00000000 57454250 56503858',
      'ff0a',
    ].map((hex) => Buffer.from(hex.replaceAll(' ', ''), 'hex'))
    const contents = fc.tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 300 }))
    await fc.assert(
      fc.asyncProperty(contents, async ([beginning, rest]) => {
        await writeFile(path, Buffer.concat([beginning, rest]))
        const { width, height, duration } = await read(path)
        for (const value of [width, height, duration]) expect(value === null || value >= 0).toBe(true)
      }),
      { numRuns: 300 },
    )
  },
)
