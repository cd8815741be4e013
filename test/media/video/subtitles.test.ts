import { open } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { hasCoordinates } from '../../../src/media/metadata/coordinates.ts'
import { readAssHeader } from '../../../src/media/video/ass-text.ts'
import { newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'
import { partAt, partsOf, readMovie } from '../../../src/media/video/mp4-boxes.ts'
import { createSplitter } from '../../../src/media/video/shown-together.ts'
import { openSourceFile } from '../../../src/media/video/source-file.ts'
import {
  movTextHeader,
  placeOfMovText,
  plainText,
  readLine,
  settingsOfPlace,
  writeLine,
} from '../../../src/media/video/subtitle-text.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import type { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { clip, runJob, useClipFolder } from './run-job.ts'
import { withSubtitles } from './with-subtitles.ts'

useClipFolder()

const bytes = (text: string) => Buffer.from(text, 'utf8')
const read = (kind: Parameters<typeof readLine>[0], text: string, settings?: string) =>
  readLine(kind, bytes(text), { settings })
const asSubRip = (...line: Parameters<typeof read>) => writeLine('subrip', read(...line)).toString('utf8')

describe('the text of a subtitle', () => {
  it('keeps signs that look like tags', () => {
    expect(plainText('subrip', bytes('5 < 6 and 7 > 2'))).toBe('5 < 6 and 7 > 2')
    expect(plainText('subrip', bytes('<font color="#fff">a</font> <3 <b>b</b>'))).toBe('a <3 b')
    expect(plainText('webvtt', bytes('<v Ann>5 &lt; 6 &amp; <c.loud>more</c>'))).toBe('5 < 6 & more')
    expect(writeLine('webvtt', read('subrip', 'a < b & <i>c</i>')).toString()).toBe('a &lt; b &amp; <i>c</i>')
  })

  it('has neither overrides nor drawings', () => {
    expect(plainText('subrip', bytes('{\\an8}Top'))).toBe('Top')
    expect(plainText('ass', bytes('0,0,Default,,0,0,0,,{\\b1}a{\\b0}, b\\Nc'))).toBe('a, b\nc')
    expect(plainText('ass', bytes('0,0,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}Sign'))).toBe('Sign')
  })

  it('may be UTF-16 in MP4', () => {
    expect(plainText('mov_text', Buffer.from('0006feff00e400df', 'hex'))).toBe('äß')
  })
})

describe('the place of a subtitle', () => {
  it('stays the same in every format that has places', () => {
    expect(asSubRip('subrip', '{\\an8}Top')).toBe('{\\an8}Top')
    expect(asSubRip('subrip', '{\\a6}Top')).toBe('{\\an8}Top')
    expect(asSubRip('webvtt', 'Top', 'line:0 align:start')).toBe('{\\an7}Top')
    expect(asSubRip('webvtt', 'Bottom', 'line:90%')).toBe('Bottom')
    expect([2, 4, 8, 9].map(settingsOfPlace)).toEqual([
      undefined,
      'line:50% position:0% align:start',
      'line:0',
      'line:0 position:100% align:end',
    ])
  })

  it('is that of the whole track in MP4', () => {
    const header = movTextHeader()
    expect(placeOfMovText(header)).toBe(2)
    for (const [across, down, place] of [
      [1, 0, 8],
      [0, 1, 4],
      [-1, -1, 3],
    ] as const) {
      header.writeInt8(across, 4)
      header.writeInt8(down, 5)
      expect(placeOfMovText(header)).toBe(place)
    }
    expect(writeLine('subrip', readLine('mov_text', Buffer.from('000161', 'hex'), { place: 8 }))).toEqual(
      bytes('{\\an8}a'),
    )
  })

  it.each([
    [0, 60, 8],
    [120, 240, 5],
    [300, 360, 2],
    [-20, 10, 8],
    [350, 400, 2],
  ])('is that of the box of a line of 3GPP timed text: from %i to %i of 360', (top, bottom, place) => {
    const sample = Buffer.from('0001610000001074626f78000000000000fa00', 'hex')
    sample.writeInt16BE(top, 11)
    sample.writeInt16BE(bottom, 15)
    expect(readLine('mov_text', sample, { height: 360 })).toEqual({ text: 'a', place, isStyled: false })
    expect(readLine('mov_text', sample, { height: 360, place: 3 }).place).toBe(place + 1)
    expect(readLine('mov_text', sample.subarray(0, 13), { height: 360 }).place).toBe(2)
  })

  describe('in ASS', () => {
    const header = [
      'PlayResX: 640',
      'PlayResY: 360',
      'Format: Name, Size, Alignment',
      'Style: Talk,20,2',
      'Style: Sign,20,8',
      '',
      'Format: Layer, Start, Style, Text',
    ].join('\n')
    const ass = readAssHeader(header, 'ass')

    it('comes from the style', () => {
      expect(readLine('ass', bytes('0,0,Sign,,0,0,0,,SHOP'), { ass })).toMatchObject({
        text: 'SHOP',
        place: 8,
      })
      expect(readAssHeader('Format: Name, Alignment\nStyle: Old,6', 'ssa').places.get('Old')).toBe(8)
    })

    it.each([
      ['0,0,Talk,,0,0,0,,{\\pos(320,40)}a', 8],
      ['0,0,Talk,,0,0,0,,{\\an7\\pos(600,180)}a', 6],
      ['0,0,Talk,,0,0,0,,{\\move(-20,20,300,300)}a', 7],
      ['0,0,Talk,,0,0,0,,{\\pos(320,340)}a', 2],
      ['0,0,Talk,,0,0,250,,a', 8],
      ['0,0,Sign,,0,0,150,,a', 5],
      ['0,0,Talk,,0,0,20,,a', 2],
    ])('comes from coordinates and margins: %s', (event, place) => {
      expect(readLine('ass', bytes(event), { ass })).toEqual({
        text: 'a',
        place,
        isStyled: event.includes('Sign'),
      })
    })
  })
})

it.each([
  ['ass', '0,0,Talk,,0,0,0,,{\\i1\\an8}a{\\i0}', false],
  ['ass', '0,0,Talk,,0,0,0,,{\\pos(1,2)}a{\\r}', false],
  ['ass', '0,0,Talk,,0,0,0,,{\\c&H0000FF&}a', true],
  ['ass', '0,0,Talk,,0,0,0,,{\\fs40}a', true],
  ['ass', '0,0,Talk,,0,0,0,,{\\k20}a', true],
  ['ass', '0,0,Talk,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}', true],
  ['ass', '0,0,Talk,,0,0,0,Scroll up;20,a', true],
  ['subrip', '<i>a</i> {\\an8}', false],
  ['subrip', '<font color="red">a</font>', true],
  ['webvtt', '<i>a</i> <00:01.000>b', false],
  ['webvtt', '<c.red>a</c>', true],
  ['webvtt', '<v Ann>a', true],
] as const)('styles that only %s has are noticed: %s', (kind, text, isStyled) => {
  expect(read(kind, text).isStyled).toBe(isStyled)
})

const inMp4 = (text: string) => writeLine('mov_text', read('subrip', text))
const back = (sample: Buffer) => writeLine('subrip', readLine('mov_text', sample)).toString()

describe('bold, italics and underlines', () => {
  it('are kept in MP4, and back', () => {
    expect(back(inMp4('a <b>b</b> ü<i>𝄞</i>c'))).toBe('a <b>b</b> ü<i>𝄞</i>c')
    expect(back(inMp4('<b>a<i>b</i></b>'))).toBe('<b>a</b><b><i>b</i></b>')
    expect(inMp4('plain').equals(Buffer.from('\0\x05plain', 'latin1'))).toBe(true)
    expect(plainText('mov_text', inMp4('a <u>b</u>'))).toBe('a b')
  })

  it('are left out where a sample of MP4 is damaged', () => {
    const sample = inMp4('<b>a</b>')
    for (let length = 0; length < sample.length; length++)
      expect(plainText('mov_text', sample.subarray(0, length)).length).toBeLessThanOrEqual(1)
    sample.writeUInt16BE(0xffff, sample.indexOf('styl') + 4)
    expect(back(sample)).toBe('<b>a</b>')
  })
})

const subtitleHeader = async (path: string) => {
  await using file = await open(path)
  const movie = await readMovie(file)
  const track = partsOf(movie!.body).findLast(({ type }) => type === 'trak')
  return { movie: movie!, header: partAt(track!.body, 'tkhd')! }
}

describe('the region of subtitles', () => {
  /** Where the matrix of a track's header has its vertical scale and offset. */
  const [SCALE, OFFSET] = [56, 68]

  it.each([
    { recipe: { codec: 'copy' }, expected: [1, 60] },
    { recipe: { height: 40 }, expected: [0.5, 30] },
    { recipe: { height: 40, container: 'mov', metadata: 'strip' }, expected: [0.5, 30] },
  ] as const)('stays where it was in the picture: $recipe', async ({ recipe, expected }) => {
    const line = { start: 0, end: 0.3, text: 'Hi' }
    const plain = await withSubtitles(await clip({ width: 80, height: 80 }), [line])
    const { temporaryPath: original } = await runJob(plain, { codec: 'copy' })
    const { movie, header } = await subtitleHeader(original)
    header.writeInt32BE(60 * 0x1_00_00, OFFSET)
    {
      await using file = await open(original, 'r+')
      await file.write(movie.body, 0, movie.body.length, movie.at)
    }
    const result = await subtitleHeader((await runJob(original, recipe)).temporaryPath)
    expect([SCALE, OFFSET].map((at) => result.header.readInt32BE(at) / 0x1_00_00)).toEqual(expected)
  })
})

it('subtitles that overlap are shown together where a format shows one at a time', () => {
  const splitter = createSplitter<string>()
  const parts = [
    ...splitter.put({ start: 2n, end: 15n, line: 'Hello' }),
    ...splitter.put({ start: 8n, end: 12n, line: 'SHOP' }),
    ...splitter.put({ start: 20n, end: 25n, line: 'Bye' }),
    ...splitter.end(),
  ]
  expect(parts.map(({ start, end, lines }) => `${start}-${end} ${lines.join('+')}`)).toEqual([
    '2-8 Hello',
    '8-12 Hello+SHOP',
    '12-15 Hello',
    '20-25 Bye',
  ])
})

/** Returns the packets of a file's subtitles as text. */
async function subtitlesOf(path: string): Promise<readonly string[]> {
  await using source = await openSourceFile(path, new AbortController().signal)
  const wanted = new Set(source.subtitles.map(({ index }) => index))
  const texts: string[] = []
  using packet = newPacket()
  while (await source.read(packet)) {
    if (wanted.has(packet.streamIndex)) texts.push(packet.data?.toString('utf8') ?? '')
    packet.unref()
  }
  return texts.map((text) => text.replace(/^\0./s, '')).filter((text) => text !== '')
}

const small = { width: 64, height: 64 }

describe('a subtitle track', () => {
  const LINES = [
    { start: 0, end: 0.3, text: '{\\an8}Top' },
    { start: 0.1, end: 0.2, text: '<font color="red">5 < 6</font>' },
  ]

  it('reaches MP4, WebM and Matroska with its signs and simultaneous lines', async () => {
    const original = await withSubtitles(await clip(small), LINES)
    const shown = async (recipe: Partial<VideoRecipe>) => {
      const { temporaryPath, losses } = await runJob(original, recipe)
      return [await subtitlesOf(temporaryPath), losses]
    }
    const why = lossReason('formatLacksThem', { format: 'MP4' })
    const one = { track: 1, count: 1 }
    expect(await shown({ container: 'mp4', codec: 'copy' })).toEqual([
      ['Top', 'Top\n5 < 6', 'Top'],
      [loss('subtitlePlaces', one, why), loss('subtitleStyles', one, why)],
    ])
    expect(await shown({ container: 'mkv', codec: 'copy' })).toEqual([LINES.map(({ text }) => text), []])
    const unwritten = loss('subtitleStyles', one, lossReason('notWritten'))
    expect(await shown({ container: 'webm', codec: 'vp9' })).toEqual([['Top', '5 &lt; 6'], [unwritten]])
  })

  it('is removed with the location if it has coordinates, regardless of its name, and isn’t listed as lost', async () => {
    const line = { start: 0, end: 0.3, text: 'GPS(11.5755,48.1374,18) BAROMETER:52.3' }
    const original = await withSubtitles(await clip(small), [line])
    for (const container of ['mp4', 'mkv'] as const) {
      const recipe = { container, codec: 'copy', metadata: 'strip-location' } as const
      const { temporaryPath, losses } = await runJob(original, recipe)
      expect([await subtitlesOf(temporaryPath), losses]).toEqual([[], []])
    }
    const kept = await runJob(original, { container: 'mkv', codec: 'copy' })
    expect(await subtitlesOf(kept.temporaryPath)).toHaveLength(1)
  })

  it('loses only its lines with coordinates when the location is removed', async () => {
    const hundredths = Array.from({ length: 20 }, (_, index) => index / 100)
    const talk = hundredths.map((start) => ({ start, end: start + 0.01, text: 'Hi' }))
    const place = { start: 0.4, end: 0.45, text: '48.13743, 11.57549' }
    const original = await withSubtitles(await clip(small), [...talk, place])
    const { temporaryPath } = await runJob(original, { container: 'mkv', codec: 'copy', metadata: 'strip' })
    expect(await subtitlesOf(temporaryPath)).toEqual(talk.map(({ text }) => text))
  })
})

describe('a text', () => {
  it.each([
    'GPS(11.5755,48.1374,18)',
    'HOME(11.57,48.13) 2024.01.08',
    '[latitude: 48.137430] [longitude: 11.575490]',
    '+48.1374+011.5755+519.000/',
    '48° 8\' 14.64" N, 11° 34\' 31.80" E',
    '48.1374° N',
    '{"lat":48.137154,"lon":11.576124}',
    '{"longitude": 11.5, "latitude": 48.1}',
    '<point lat="48.137154" lon="11.576124">',
    '48 deg 8\' 14.60" N, 11 deg 34\' 34.00" E',
    "N 48° 08.244' E 11° 34.567'",
    'N48.13 E11.57',
    'N 48.137154, E 11.576124',
    '48.137 N, 11.576 E',
    'gps_lat: 48.137154',
    'GPSLatitude = 48.137',
    'latitude is 48.137154',
    'lat: 48.137154',
    'geo:lat=48.137154',
    'At 48.1374, 11.5755 it was cold',
    '48.137154 : 11.576124',
    'POINT(139.691711 35.689487)',
    '48.137,11.576',
    '+4808+01134/',
    'Taken at +48.1374-011.5755',
    '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A',
  ])('has coordinates: %s', (text) => {
    expect(hasCoordinates(text)).toBe(true)
  })

  it.each([
    'Meet me at 12.30 or 13.45.',
    'It is 20° outside.',
    'GPS is off',
    '+49 89 1234567',
    '1.5 of 2.75',
    '2024-01-08T15:06:17-0800',
    'ISO 100, 1/2000.0, EV 0.7',
    'Take me home 10.45',
    'The race was long: 42.195 km',
    'Train departs home 12.30',
    'We have version 1.2345, 2.3456',
    'It costs home: 12.50 EUR',
    'Score +10-120/',
    'Between +12.5-100',
    'Call +4930-12345-6',
    'Long 1.85 m',
    "turn by 5° 30' and stop",
    'Scores: 99.1234; 87.4321',
    'A flat: 1.2345',
  ])('has none: %s', (text) => {
    expect(hasCoordinates(text)).toBe(false)
  })
})
