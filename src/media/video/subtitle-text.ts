/**
 * Converts text subtitles between formats, packet by packet. Keeps the text, bold, italics and underlines, and where a line is shown:
 * at the top, in the middle or at the bottom, left, centered or right. Other effects are kept only where a container accepts the packets
 * unchanged.
 */

/** FFmpeg's names of the text subtitle codecs. */
export type TextSubtitle = 'subrip' | 'text' | 'ass' | 'ssa' | 'webvtt' | 'mov_text'

const KINDS: ReadonlySet<string> = new Set<TextSubtitle>([
  'subrip',
  'text',
  'ass',
  'ssa',
  'webvtt',
  'mov_text',
])

export function isTextSubtitle(codec: string): codec is TextSubtitle {
  return KINDS.has(codec)
}

/** A line as it is shown. */
export type Line = {
  /** Bold, italics and underlines are marked by characters of the private use area. */
  readonly text: string
  /** As on a numeric keypad: 2 is the usual place, 8 the top. */
  readonly place: number
}

const USUAL_PLACE = 2

const STYLES = ['b', 'i', 'u'] as const
const FIRST_MARK = 0xe0_00
const MARKS: ReadonlyMap<string, string> = new Map(
  STYLES.flatMap((style, index) => [
    [style, String.fromCodePoint(FIRST_MARK + 2 * index)],
    [`/${style}`, String.fromCodePoint(FIRST_MARK + 2 * index + 1)],
  ]),
)
const ANY_MARK = /[\ue000-\ue005]/g

/** What a packet and its track contain in addition to the text. */
export type LineContext = {
  /** WebVTT's cue settings. */
  readonly settings?: string | undefined
  /** Places of the styles of ASS, by name. */
  readonly styles?: ReadonlyMap<string, number> | undefined
}

export function readLine(kind: TextSubtitle, data: Buffer, context: LineContext = {}): Line {
  switch (kind) {
    case 'mov_text':
      return { text: movText(data), place: USUAL_PLACE }
    case 'ass':
    case 'ssa':
      return assLine(data.toString('utf8'), context.styles)
    case 'webvtt':
      return { text: webVttText(data.toString('utf8')), place: placeOfSettings(context.settings ?? '') }
    case 'subrip':
    case 'text':
      return subRipLine(data.toString('utf8'))
  }
}

/** Returns the text without marks. */
export const plainText = (kind: TextSubtitle, data: Buffer): string =>
  readLine(kind, data).text.replace(ANY_MARK, '')

function movText(data: Buffer): string {
  if (data.length < 2) return ''
  const text = data.subarray(2, 2 + data.readUInt16BE(0))
  const isUtf16 = text.length >= 2 && text.readUInt16BE(0) === 0xfe_ff
  return isUtf16
    ? Buffer.from(text.subarray(2, text.length & ~1))
        .swap16()
        .toString('utf16le')
    : text.toString('utf8')
}

const tidy = (text: string): string => text.replace(/\r\n?/g, '\n').trimEnd()

/** Only these are tags in SubRip. Any other `<` is a character of the text. */
const SUBRIP_TAG = /<(\/?)(b|i|u|s|font)(?:\s[^<>]*)?>/gi

function subRipLine(source: string): Line {
  const { text, place } = withoutOverrides(source)
  const marked = text.replace(
    SUBRIP_TAG,
    (_, end: string, name: string) => MARKS.get(end + name.toLowerCase()) ?? '',
  )
  return { text: tidy(marked), place: place ?? USUAL_PLACE }
}

/** Takes ASS's overrides, which SubRip files contain too, out of a text. */
function withoutOverrides(source: string) {
  let place: number | undefined
  const text = source.replace(/\{\\[^{}]*\}/g, (overrides) => {
    const [, keypad, old] = /\\an([1-9])|\\a(\d{1,2})/.exec(overrides) ?? []
    place ??= keypad === undefined ? placeOfOldStyle(Number(old)) : Number(keypad)
    return [...overrides.matchAll(/\\([biu])(\d+)/g)]
      .map(([, style = '', value]) => MARKS.get(value === '0' ? `/${style}` : style) ?? '')
      .join('')
  })
  return { text, place }
}

/** SSA counts from left to right, adds 4 for the top and 8 for the middle. */
const OLD_PLACES = new Map([
  [1, 1],
  [2, 2],
  [3, 3],
  [5, 7],
  [6, 8],
  [7, 9],
  [9, 4],
  [10, 5],
  [11, 6],
])

const placeOfOldStyle = (old: number): number | undefined => OLD_PLACES.get(old)

/** Eight fields, each followed by a comma, precede the text. The third is the style. The text itself may contain commas. */
const ASS_LINE = /^[^,]*,[^,]*,([^,]*),(?:[^,]*,){5}([^]*)$/

function assLine(source: string, styles: LineContext['styles']): Line {
  const [, style = '', rest = ''] = ASS_LINE.exec(source) ?? []
  // Between these overrides, the text is a vector drawing.
  const written = rest.replace(/\{[^{}]*\\p[1-9][^{}]*\}[^]*?(?:\{[^{}]*\\p0[^{}]*\}|$)/g, '')
  const { text, place } = withoutOverrides(written)
  const plain = text
    .replace(/\{[^{}]*\}/g, '')
    .replace(/\\[Nn]/g, '\n')
    .replace(/\\h/g, ' ')
  return { text: tidy(plain), place: place ?? styles?.get(style) ?? USUAL_PLACE }
}

/** Reads where the styles of an ASS or SSA header put their lines. */
export function placesOfStyles(header: string, kind: TextSubtitle): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  let fields: readonly string[] = []
  for (const line of header.split(/\r?\n/)) {
    const [, key, rest = ''] = /^(Format|Style):(.*)$/.exec(line) ?? []
    const values = rest.split(',').map((value) => value.trim())
    // The format of the events follows that of the styles.
    if (key === 'Format' && values.includes('Alignment')) fields = values
    const alignment = Number(values[fields.indexOf('Alignment')])
    if (key !== 'Style' || !Number.isInteger(alignment)) continue
    places.set(values[0] ?? '', (kind === 'ssa' ? placeOfOldStyle(alignment) : alignment) ?? USUAL_PLACE)
  }
  return places
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
}

function webVttText(source: string): string {
  const marked = source.replace(
    /<(\/?)([a-z]*)[^<>]*>/gi,
    (_, end: string, name: string) => MARKS.get(end + name.toLowerCase()) ?? '',
  )
  return tidy(marked.replace(/&([a-z]+);/g, (entity, name: string) => ENTITIES[name] ?? entity))
}

function placeOfSettings(settings: string): number {
  const [, line = '', percent] = /\bline:(-?[\d.]+)(%?)/.exec(settings) ?? []
  const at = Number(line)
  // Lines count from the top, or from the bottom if they are negative.
  const isTop = line !== '' && (percent === '%' ? at < 33 : at >= 0 && at < 8)
  const isMiddle = percent === '%' && at >= 33 && at < 66
  const [, align] = /\balign:(start|left|end|right)\b/.exec(settings) ?? []
  const column = align === undefined ? 2 : align === 'start' || align === 'left' ? 1 : 3
  return (isTop ? 6 : isMiddle ? 3 : 0) + column
}

/** The plain text codec of each container family. */
export type WrittenSubtitle = 'mov_text' | 'subrip' | 'webvtt'

const LONGEST_MOV_TEXT = 0xffff

/** Returns a packet's content. */
export function writeLine(kind: WrittenSubtitle, { text, place }: Line): Buffer {
  switch (kind) {
    case 'mov_text':
      return movTextSample(text.replace(ANY_MARK, ''))
    case 'webvtt':
      return Buffer.from(
        withTags(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
        'utf8',
      )
    case 'subrip':
      return Buffer.from(`${place === USUAL_PLACE ? '' : `{\\an${place}}`}${withTags(text)}`, 'utf8')
  }
}

const TAGS: ReadonlyMap<string, string> = new Map([...MARKS].map(([name, mark]) => [mark, `<${name}>`]))

/** An empty line would end the subtitle. */
const withTags = (text: string): string =>
  text.replace(ANY_MARK, (mark) => TAGS.get(mark) ?? '').replace(/\n{2,}/g, '\n')

/** @returns WebVTT's settings for a place; undefined for the usual one */
export function settingsOfPlace(place: number): string | undefined {
  const row = Math.ceil(place / 3)
  const column = (place - 1) % 3
  const words = [
    ...(row === 3 ? ['line:0'] : row === 2 ? ['line:50%'] : []),
    ...(column === 0 ? ['position:0%', 'align:start'] : column === 2 ? ['position:100%', 'align:end'] : []),
  ]
  return words.length === 0 ? undefined : words.join(' ')
}

function movTextSample(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8').subarray(0, LONGEST_MOV_TEXT)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
/**
 * Returns the sample description for 3GPP timed text (TS 26.245): bottom center, white text on a transparent background, one font.
 */
export function movTextHeader(): Buffer {
  const font = Buffer.from('Sans-Serif', 'latin1')
  const fixed = Buffer.alloc(4 + 2 + 4 + 8 + 12)
  fixed.writeInt8(1, 4)
  fixed.writeInt8(-1, 5)
  fixed.writeUInt16BE(1, 18 + 4)
  fixed.writeUInt8(18, 18 + 7)
  fixed.writeUInt32BE(0xff_ff_ff_ff, 18 + 8)
  const table = Buffer.alloc(8 + 2 + 2 + 1)
  table.writeUInt32BE(table.length + font.length, 0)
  table.write('ftab', 4, 'latin1')
  table.writeUInt16BE(1, 8)
  table.writeUInt16BE(1, 10)
  table.writeUInt8(font.length, 12)
  return Buffer.concat([fixed, table, font])
}
