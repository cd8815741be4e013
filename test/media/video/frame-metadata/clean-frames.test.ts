import { AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, AV_PKT_DATA_PALETTE } from 'node-av/constants'
import { describe, expect, it } from 'vitest'
import { newPacket } from '../../../../src/media/ffmpeg/ffmpeg.ts'
import { cleanerFor, cleanPacket } from '../../../../src/media/video/frame-metadata/clean-frames.ts'
import { hasDate } from '../../../../src/media/video/frame-metadata/dv-packs.ts'
import { PNG_SIGNATURE, pngChunk } from '../../../../src/media/image/png-chunks.ts'
import type { VideoRecipe } from '../../../../src/shared/preset/preset.ts'

const join = (...parts: readonly Buffer[]) => Buffer.concat(parts)
const latin = (text: string) => Buffer.from(text, 'latin1')
const CAPTIONS = latin('\xb5\x00\x31GA94\x03cc')
const HDR10_PLUS = latin('\xb5\x00\x3c\x00\x01\x04')

const length = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
const startCode = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 1]), bytes])
const message = (type: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([type, payload.length]), payload])
const text = (content: string) => message(5, Buffer.concat([Buffer.alloc(16, 7), latin(content)]))
const messages = (head: number[], ...all: Buffer[]) =>
  Buffer.concat([Buffer.from(head), ...all, Buffer.from([0x80])])
/** Mastering display metadata, with bytes that look like a start code. */
const MASTERING = join(Buffer.from([137, 4]), latin('\x10\0\0\x03\x01'))

const userData = (content: string) => startCode(latin(`\xb2${content}`))
const SLICE = startCode(latin('\x01slice'))
const obu = (type: number, content: Buffer) =>
  Buffer.concat([Buffer.from([(type << 3) | 2, content.length]), content])
const OBUS = [obu(2, latin('')), obu(6, latin('frame'))] as const
const jpegSegment = (marker: number, content: string) =>
  Buffer.concat([Buffer.from([0xff, marker, 0, content.length + 2]), latin(content)])
const JPEG = {
  start: latin('\xff\xd8'),
  jfif: jpegSegment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0'),
  rest: Buffer.concat([jpegSegment(0xda, '\0'), latin('pixels\xff\0\xff\xd9')]),
}
const picture = (...segments: Buffer[]) => Buffer.concat([JPEG.start, JPEG.jfif, ...segments, JPEG.rest])
const [H264_RECORD, HEVC_RECORD] = [Buffer.from([1, 66, 0, 10, 0xff]), Buffer.alloc(23, 3)]
HEVC_RECORD[0] = 1
HEVC_RECORD[22] = 0

type Case = {
  readonly codec: string
  readonly header?: Buffer
  readonly frame: Buffer
  readonly cleaned: Buffer
}

const withText = (content: string): Readonly<Record<string, Case>> => ({
  'H.264 in MP4': {
    codec: 'h264',
    header: H264_RECORD,
    frame: join(length(messages([6], text(content), message(4, CAPTIONS))), length(latin('\x65slice'))),
    cleaned: join(length(messages([6], message(4, CAPTIONS))), length(latin('\x65slice'))),
  },
  'H.264 with start codes': {
    codec: 'h264',
    frame: join(Buffer.from([0]), startCode(messages([6], text(content))), startCode(latin('\x65slice'))),
    cleaned: join(Buffer.from([0]), startCode(latin('\x65slice'))),
  },
  'HEVC with HDR': {
    codec: 'hevc',
    header: HEVC_RECORD,
    frame: length(messages([78, 1], message(4, HDR10_PLUS), text(content), MASTERING)),
    cleaned: length(messages([78, 1], message(4, HDR10_PLUS), MASTERING)),
  },
  'MPEG-2': {
    codec: 'mpeg2video',
    frame: join(userData(content), userData('GA94\x03cc'), SLICE),
    cleaned: join(userData('GA94\x03cc'), SLICE),
  },
  'MPEG-4': {
    codec: 'mpeg4',
    frame: join(userData(content), userData('XviD0069'), SLICE),
    cleaned: join(userData('XviD0069'), SLICE),
  },
  'VC-1': {
    codec: 'vc1',
    frame: join(startCode(latin(`\x1d${content}`)), startCode(latin('\x0dframe'))),
    cleaned: startCode(latin('\x0dframe')),
  },
  AV1: {
    codec: 'av1',
    frame: join(OBUS[0], obu(5, latin(`\x14${content}`)), obu(15, latin(content)), OBUS[1]),
    cleaned: join(...OBUS),
  },
  'Motion JPEG': {
    codec: 'mjpeg',
    frame: join(picture(jpegSegment(0xfe, content)), picture(jpegSegment(0xfe, content))),
    cleaned: join(picture(), picture()),
  },
})

const cleaned = ({ codec, header, frame }: Omit<Case, 'cleaned'>, wanted: VideoRecipe['metadata']) =>
  cleanerFor(codec, header ?? null, wanted)?.frame(frame)

describe('a text within a frame', () => {
  it.each(Object.entries(withText('A SECRET')))('is removed, but nothing else: %s', (_, each) => {
    expect(cleaned(each, 'strip')).toEqual(each.cleaned)
    expect(cleaned({ ...each, frame: each.cleaned }, 'strip')).toBe(each.cleaned)
    expect(cleaned(each, 'strip-location')).toBe(each.frame)
    expect(cleanerFor(each.codec, null, 'keep')).toBeUndefined()
  })

  it.each(Object.entries(withText('At 48.1374, 11.5755')))('is removed for its location: %s', (_, each) => {
    expect(cleaned(each, 'strip-location')).toEqual(each.cleaned)
  })
})

it('what follows the order of the fields and the kind of colors in a Motion JPEG is removed', () => {
  const [order, colors] = ['AVI1\x01'.padEnd(14, '\0'), 'Adobe\0\x64\0\0\0\0\0']
  const made = (rest: string) => picture(jpegSegment(0xe0, order + rest), jpegSegment(0xee, colors + rest))
  expect(cleaned({ codec: 'mjpeg', frame: made('A SECRET') }, 'strip')).toEqual(made(''))
})

it.each(['\x03', 'JP3D', '\x05\x02', 'CC\x01'])(
  'a text that only begins like captions or an arrangement of stereo 3D is removed: %j',
  (beginning) => {
    const frame = join(userData(beginning + 'A SECRET '.repeat(40)), SLICE)
    expect(cleaned({ codec: 'mpeg2video', frame }, 'strip')).toEqual(SLICE)
  },
)

it('what follows a PNG in a frame is removed', () => {
  const frame = join(PNG_SIGNATURE, pngChunk('IHDR', Buffer.alloc(13)), pngChunk('IEND', Buffer.alloc(0)))
  expect(cleaned({ codec: 'png', frame: join(frame, latin('A SECRET')) }, 'strip')).toEqual(frame)
})

const SECRET = latin('A SECRET')
const [DISPLAY, TOO_LONG] = [message(144, latin('\0\x64\0\x32')), message(144, SECRET)]
const UNITS: Readonly<Record<string, Case>> = Object.fromEntries(
  [
    { codec: 'h264', header: H264_RECORD, head: [6], nesting: [30, 37], slice: latin('\x65slice') },
    { codec: 'hevc', header: HEVC_RECORD, head: [78, 1], nesting: [133], slice: latin('\x26\x01slice') },
  ].flatMap(({ codec, header, head, nesting, slice }) => {
    const sei = (...parts: Buffer[]) => join(Buffer.from(head), ...parts)
    const stop = latin('\x80')
    const type = (number: number) => Buffer.from(codec === 'h264' ? [number] : [number << 1, 1])
    const kept = messages(head, DISPLAY)
    const isH264 = codec === 'h264'
    const others = isH264 ? [0, 12, 13, 14, 16, 17, 18, 22, 23, 24, 28, 30] : [10, 15, 22, 31, 38, 41, 62, 63]
    const delimiter = join(type(isH264 ? 9 : 35), latin('\x50'))
    const made: [name: string, unit: Buffer, wanted?: Buffer][] = [
      ['a longer message than defined', messages(head, TOO_LONG)],
      ['no stop bit', sei(text('A SECRET'))],
      ['more than the stop bit', sei(DISPLAY, stop, SECRET, latin('\x01')), kept],
      ['more before another stop bit', sei(DISPLAY, stop, SECRET, stop), kept],
      ['delimiter', join(delimiter, SECRET), delimiter],
    ]
    for (const number of [...nesting, 50, 60, 202])
      made.push([`message ${number}`, messages(head, message(number, SECRET), DISPLAY), kept])
    for (const provider of ['\xb5\0\x2fA', '\xb5\0\x3c\0\x09', '\xb5\0\x3b', '\xb5\0\x31DTG1'].map(latin)) {
      const unit = messages(head, message(4, join(provider, SECRET)), DISPLAY)
      made.push([`provider ${provider.toString('hex')}`, unit, kept])
    }
    for (const number of others) made.push([`unit ${number}`, join(type(number), latin('A LONG SECRET\x80'))])
    for (const number of isH264 ? [10, 11] : [36, 37])
      made.push([`end ${number}`, join(type(number), SECRET), type(number)])
    return made.map(([name, unit, wanted]) => {
      const frame = join(length(unit), length(slice))
      const cleaned = join(...(wanted ? [length(wanted)] : []), length(slice))
      return [`${codec}, ${name}`, { codec, header, frame, cleaned }]
    })
  }),
)

const OTHERS: Readonly<Record<string, Case>> = {
  'AV1, undefined metadata': {
    codec: 'av1',
    frame: join(OBUS[0], obu(5, latin('\x06A SECRET')), obu(5, latin('\x01A SECRET')), OBUS[1]),
    cleaned: join(...OBUS),
  },
  'AV1, an undefined kind of a provider': {
    codec: 'av1',
    frame: join(obu(5, latin('\x04\xb5\0\x3c\0\x09A SECRET\x80')), OBUS[1]),
    cleaned: OBUS[1],
  },
  'AV1, a delimiter with content': { codec: 'av1', frame: join(obu(2, SECRET), OBUS[1]), cleaned: OBUS[1] },
  'MPEG-2, undefined parts': {
    codec: 'mpeg2video',
    frame: join(startCode(latin('\xb0A SECRET')), SLICE, startCode(latin('\xb7A SECRET'))),
    cleaned: join(SLICE, startCode(latin('\xb7'))),
  },
  'VC-1, undefined parts': {
    codec: 'vc1',
    frame: join(startCode(latin('\x20A SECRET')), startCode(latin('\x0dframe'))),
    cleaned: startCode(latin('\x0dframe')),
  },
}

it.each(Object.entries({ ...UNITS, ...OTHERS }))(
  'only parts that decoders and displays need stay: %s',
  (_, each) => {
    expect(cleaned(each, 'strip')).toEqual(each.cleaned)
    expect(cleaned({ ...each, frame: each.cleaned }, 'strip')).toBe(each.cleaned)
  },
)

it('the units of Dolby Vision stay if the track has it', () => {
  const frame = join(length(latin('\x26\x01slice')), length(latin('\x7c\x01\x19dynamic')))
  const cleaner = cleanerFor('hevc', HEVC_RECORD, 'strip', { isDolby: true })
  expect(cleaner?.frame(frame)).toBe(frame)
})

it('parameters of H.264 have nothing but their sets', () => {
  const sets = latin('\x01\x42\0\x0a\xff\xe1\0\x02\x67A\x01\0\x02\x68B')
  const cleaner = cleanerFor('h264', sets, 'strip')
  expect(cleaner?.header(join(sets, SECRET))).toEqual(sets)
  expect(cleaner?.header(sets)).toBe(sets)
})

const PARAMETERS = {
  h264: ['6742c00ada0836c044000003000400000300c83c489a80', '68ce0fc8'],
  hevc: [
    '40010c01ffff02200000030090000003000003001e959809',
    '42010102200000030090000003000003001ea0102061365959a4932bc05a020000030002000003003210',
    '4401c172b42240',
  ],
} as const

it.each(['h264', 'hevc'] as const)('what follows the end of a parameter set is removed: %s', (codec) => {
  const sets = PARAMETERS[codec].map((hex) => Buffer.from(hex, 'hex'))
  const made = (text: string) =>
    join(...sets.map((set, index) => startCode(index === sets.length - 1 ? set : join(set, latin(text)))))
  const cleaner = cleanerFor(codec, null, 'strip')
  const plain = made('')
  for (const part of ['header', 'frame'] as const) {
    expect(cleaner?.[part](made('A SECRET\x80'))).toEqual(plain)
    expect(cleaner?.[part](plain)).toBe(plain)
  }
})

it('a track whose parameter sets can’t be read isn’t copied', () => {
  expect(cleaned({ codec: 'h264', frame: startCode(latin('\x67A')) }, 'strip')).toBeUndefined()
})

/** @param numbers each with its number of bits, for example `4:3` */
const bits = (numbers: string) =>
  numbers
    .split(' ')
    .map((number) => number.split(':').map(Number))
    .map(([value = 0, count = 0]) => value.toString(2).padStart(count, '0'))
    .join('')
const letters = (content: string) => [...latin(content)].map((letter) => bits(`${letter}:8`)).join('')
function bytesOf(...parts: readonly string[]): Buffer {
  const text = parts.join('')
  const bytes = text.padEnd(Math.ceil(text.length / 8) * 8, '0').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/** Data, at a byte and not at one; a fill element; higher frequencies; the sound. */
const aacFrame = (secret: string) =>
  bytesOf(
    bits('4:3 0:4 1:1 8:8') + letters(secret),
    bits('4:3 0:4 0:1 3:8') + letters('\xbc\xc0\0'),
    bits('6:3 8:4') + letters(secret),
    bits('6:3 2:4 0xd:4 0x123:12'),
    bits('0:3 0x421:12') + letters('pcm'),
    bits('7:3'),
  )

it('texts in front of the sound of AAC are emptied, but not what decoders need', () => {
  const plain = aacFrame('\0'.repeat(8))
  const cleaner = cleanerFor('aac', null, 'strip')
  expect(cleaner?.frame(aacFrame('A SECRET'))).toEqual(plain)
  expect(cleaner?.frame(plain)).toBe(plain)
  const [head, checked] = [latin('\xff\xf1\x50\x80\0\0\xfc'), latin('\xff\xf0\x50\x80\0\0\xfc\0\0')]
  for (const header of [head, checked])
    expect(cleaner?.frame(join(header, aacFrame('A SECRET')))).toEqual(join(header, plain))
})

/** One pair of channels in front. */
const aacParameters = (comment: string) =>
  bytesOf(
    bits('2:5 4:4 0:4 0:3'),
    bits('0:4 1:2 4:4 1:4 0:4 0:4 0:2 0:3 0:4 0:3'),
    bits('1:1 0:4 0:1 8:8') + letters(comment),
  )

it('the comment in the parameters of AAC is emptied, and what follows them is dropped', () => {
  const cleaner = cleanerFor('aac', aacParameters(''), 'strip')
  expect(cleaner?.header(aacParameters('A SECRET'))).toEqual(aacParameters('\0'.repeat(8)))
  const usual = Buffer.from('120856e500', 'hex')
  expect(cleaner?.header(usual)).toBe(usual)
  expect(cleaner?.header(join(usual, Buffer.alloc(8), SECRET)).includes('SECRET')).toBe(false)
})

it('notes instead of sound in MP3, and texts after it, are removed', () => {
  const frame = (content: string) => join(latin('\xff\xfb\x90\x64'), latin(content.padEnd(413, '\0')))
  const sound = frame('\0\0sound')
  const packet = (note: string, after = '') =>
    join(frame(note === '' ? '' : note.padStart(32 + note.length, '\0')), sound, latin(after))
  const cleaner = cleanerFor('mp3', null, 'strip')
  expect(cleaner?.frame(packet('InfoLAME A SECRET', 'TAG SECRET'))).toEqual(packet(''))
  expect(cleaner?.frame(packet(''))).toEqual(packet(''))
  expect(cleaner?.frame(sound)).toBe(sound)
  expect(cleaner?.frame(latin('ID3A SECRET'))).toBeUndefined()
})

it('a Motion JPEG whose frames list the places of their parts can’t be cleaned', () => {
  const listed = jpegSegment(0xe1, '\0\0\0\0mjpg')
  const frames = [picture(listed), picture(listed, jpegSegment(0xfe, 'A SECRET'))]
  expect(frames.map((frame) => cleaned({ codec: 'mjpeg', frame }, 'strip'))).toEqual([frames[0], undefined])
})

it('data that isn’t a text is removed with the location', () => {
  const camera = messages([6], message(5, Buffer.concat([Buffer.alloc(16, 7), latin('MDPM\x01\xff')])))
  const frame = length(camera)
  expect(cleaned({ codec: 'h264', header: H264_RECORD, frame }, 'strip-location')).toHaveLength(0)
})

it('the settings of x265 are removed from the header', () => {
  const unit = messages([78, 1], text('x265'))
  const header = join(HEVC_RECORD.subarray(0, 22), Buffer.from([1, 39, 0, 1, 0, unit.length]), unit)
  expect(cleanerFor('hevc', header, 'strip')?.header(header)).toEqual(HEVC_RECORD)
})

it('the comments of Vorbis are removed from the header', () => {
  const texts = ['\x01vorbis first', '\x03vorbis\x05\0\0\0maker\x01\0\0\0', '\x05vorbis setup']
  const parts = texts.map(latin)
  const header = join(Buffer.from([2, ...parts.slice(0, 2).map((part) => part.length)]), ...parts)
  const cleaner = cleanerFor('vorbis', header, 'strip')
  const result = cleaner?.header(header) ?? header
  expect([result.includes('maker'), result.includes('\x05vorbis setup')]).toEqual([false, true])
  expect(cleaner?.header(result)).toBe(result)
})

it('subtitles keep their look, but not what their editor noted', () => {
  const info = ['[Script Info]', '; by me', 'Title: A SECRET', 'PlayResX: 640', '']
  const look = ['[V4+ Styles]', 'Format: Name', '[Events]', 'Format: Layer']
  const garbage = ['[Aegisub Project Garbage]', 'Video File: /home/me/holiday.mp4']
  const header = Buffer.from([...info, ...garbage, ...look].join('\n'))
  expect(cleanerFor('ass', header, 'strip')?.header(header).toString()).toBe(
    ['[Script Info]', 'PlayResX: 640', '', ...look].join('\n'),
  )
})

const shown = (text: string) => `3,0,Default,,0,0,0,,{\\an8}${text}`

describe('Subtitles lose what isn’t shown', () => {
  const place = 'at 48.137154, 11.576124'
  const comments = [place, 'check'].map((text) => `Comment: 0,0,0,A,,0,0,0,,${text}`)
  const header = Buffer.from(['[Events]', 'Format: Layer', ...comments].join('\n'))
  const event = Buffer.from(`3,0,Default,GPS 48.137154,0,0,0,,{\\an8}Hi{${place}}, {nice}you`)

  it('where it has a location', () => {
    const cleaner = cleanerFor('ass', header, 'strip-location')
    expect(cleaner?.header(header).toString()).toBe('[Events]\nFormat: Layer\nComment: 0,0,0,A,,0,0,0,,check')
    expect(cleaner?.frame(event)?.toString()).toBe(shown('Hi, {nice}you'))
    const plain = Buffer.from('3,0,Default,Anna,0,0,0,,Hi')
    expect(cleaner?.frame(plain)).toBe(plain)
  })

  it('without a change to texts in another encoding than UTF-8', () => {
    const cleaner = cleanerFor('ass', header, 'strip')
    const [event, cleaned] = ['Anna', ''].map((name) => latin(`3,0,Default,${name},0,0,0,,Grüße`))
    expect(event && cleaner?.frame(event)).toEqual(cleaned)
  })

  it('or all of it with all metadata', () => {
    const cleaner = cleanerFor('ssa', header, 'strip')
    expect(cleaner?.header(header).toString()).toBe('[Events]\nFormat: Layer\n')
    expect(cleaner?.frame(event)?.toString()).toBe(shown('Hi, you'))
  })
})

it('dates in DV are removed, but not how its pictures are stored', () => {
  const block = Buffer.alloc(80, 0xff)
  block[0] = 2 << 5
  Buffer.from([0x61, 1, 2, 3, 4, 0x62, 5, 6, 7, 8]).copy(block, 3)
  const wanted = Buffer.from(block).fill(0xff, 8, 13)
  expect(cleaned({ codec: 'dvvideo', frame: block }, 'strip')).toEqual(wanted)
  expect(cleaned({ codec: 'dvvideo', frame: wanted }, 'strip')).toBe(wanted)
  // Year 8 is 2008. Without a clock, programs write 1970.
  expect([block, wanted, Buffer.from(block).fill(0x70, 12, 13)].map(hasDate)).toEqual([true, false, false])
})

const addition = (number: number) => join(Buffer.alloc(7), Buffer.from([number]), latin('more'))

it('packets keep their times, their palette and their transparency, but no other additions', () => {
  const cleaner = cleanerFor('mjpeg', null, 'strip')!
  const after = [1, 5].map((number) => {
    using packet = newPacket()
    packet.data = picture(jpegSegment(0xfe, 'A SECRET'))
    Object.assign(packet, { pts: 5n, dts: 4n, duration: 3n, isKeyframe: true })
    packet.addSideData(AV_PKT_DATA_PALETTE, latin('colors'))
    packet.addSideData(AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, addition(number))
    expect(cleanPacket(packet, cleaner)).toBe(true)
    expect(packet.data).toEqual(picture())
    const { pts, dts, duration, isKeyframe } = packet
    expect({ pts, dts, duration, isKeyframe }).toEqual({ pts: 5n, dts: 4n, duration: 3n, isKeyframe: true })
    expect(packet.getSideData(AV_PKT_DATA_PALETTE)).toEqual(latin('colors'))
    return packet.getSideData(AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL)
  })
  expect(after).toEqual([addition(1), null])
})
