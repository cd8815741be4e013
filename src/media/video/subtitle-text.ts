/**
 * Converts text subtitles between formats, packet by packet. Keeps the text, bold, italics and underlines. Keeps each line's vertical and
 * horizontal alignment, except in 3GPP timed text. Other styles are kept only if a container accepts the packets unchanged.
 */
import { uint16, uint32 } from '../big-endian.ts'
import { makeBox } from '../make-box.ts'
import { type AssHeader, readAssEvent, readOverrides } from './ass-text.ts'
import { FIRST_MARK, type Line, MARKS, STYLES, USUAL_PLACE } from './subtitle-line.ts'

const KINDS = ['subrip', 'text', 'ass', 'ssa', 'webvtt', 'mov_text'] as const
export type TextSubtitle = (typeof KINDS)[number]

export const isTextSubtitle = (codec: string): codec is TextSubtitle => KINDS.some((kind) => kind === codec)

const ANY_MARK = /[\ue000-\ue005]/g

export type LineContext = {
  readonly settings?: string | undefined
  readonly ass?: AssHeader | undefined
  /** The place of lines of 3GPP timed text that don't have their own. */
  readonly place?: number | undefined
  /** Height of the area of 3GPP timed text; 0 if unknown. */
  readonly height?: number | undefined
}

export function readLine(kind: TextSubtitle, data: Buffer, context: LineContext = {}): Line {
  switch (kind) {
    case 'mov_text':
      return { text: movText(data), place: placeOfMovLine(data, context), isStyled: false }
    case 'ass':
    case 'ssa':
      return tidied(readAssEvent(data.toString('utf8'), context.ass))
    case 'webvtt':
      return webVttLine(data.toString('utf8'), context.settings ?? '')
    case 'subrip':
    case 'text':
      return subRipLine(data.toString('utf8'))
  }
}

export const plainText = (kind: TextSubtitle, data: Buffer): string =>
  readLine(kind, data).text.replace(ANY_MARK, '')

/** Returns the text of a sample of 3GPP timed text, or of a chapter's title in MP4: UTF-8, or UTF-16 with a byte order mark. */
export function textOfSample(sample: Buffer): string {
  if (sample.length < 2) return ''
  const text = sample.subarray(2, 2 + sample.readUInt16BE(0))
  if (text.length < 2 || text.readUInt16BE(0) !== 0xfe_ff) return text.toString('utf8')
  return Buffer.from(text.subarray(2, text.length & ~1))
    .swap16()
    .toString('utf16le')
}

function movText(data: Buffer): string {
  if (data.length < 2) return ''
  // The offsets of styles count code points.
  return withMarks(Array.from(textOfSample(data)), stylesBehind(data, 2 + data.readUInt16BE(0)))
}

/** A range of characters and their styles: bits in the order of `STYLES`. */
type StyledPart = { readonly from: number; readonly to: number; readonly face: number }

const STYLE_BOX = 'styl'
const STYLE_BYTES = 12
const FACE_AT = 6

/** Reads the styles after the text of a sample of 3GPP timed text. */
function stylesBehind(data: Buffer, from: number): readonly StyledPart[] {
  const at = data.indexOf(STYLE_BOX, from, 'latin1')
  if (at < 0 || at + 6 > data.length) return []
  const count = Math.min(data.readUInt16BE(at + 4), Math.floor((data.length - at - 6) / STYLE_BYTES))
  return Array.from({ length: count }, (_, index) => {
    const entry = at + 6 + index * STYLE_BYTES
    const face = data.readUInt8(entry + FACE_AT)
    return { from: data.readUInt16BE(entry), to: data.readUInt16BE(entry + 2), face }
  })
}

function withMarks(characters: readonly string[], parts: readonly StyledPart[]): string {
  const before = new Map<number, string>()
  const put = (at: number, marks: readonly string[]) =>
    before.set(at, `${before.get(at) ?? ''}${marks.join('')}`)
  for (const { from, to, face } of parts) {
    const styles = STYLES.filter((_, bit) => (face & (1 << bit)) !== 0)
    if (from >= to) continue
    put(
      from,
      styles.map((style) => MARKS.get(style) ?? ''),
    )
    put(
      Math.min(to, characters.length),
      styles.toReversed().map((style) => MARKS.get(`/${style}`) ?? ''),
    )
  }
  if (before.size === 0) return characters.join('')
  return [...characters, ''].map((character, index) => `${before.get(index) ?? ''}${character}`).join('')
}

/** Returns the place of a line of 3GPP timed text. Takes only the row from the line's own box, if it has one and the height is known. */
function placeOfMovLine(data: Buffer, { place = USUAL_PLACE, height = 0 }: LineContext): number {
  const at = data.length < 2 ? -1 : data.indexOf('tbox', 2 + data.readUInt16BE(0), 'latin1')
  if (height <= 0 || at < 0 || at + 12 > data.length) return place
  const [top, bottom] = [data.readInt16BE(at + 4), data.readInt16BE(at + 8)]
  const row = Math.floor((3 * (top + bottom)) / 2 / height)
  return 3 * (2 - Math.min(2, Math.max(0, row))) + ((place - 1) % 3) + 1
}

/**
 * Returns the place of lines that don't have their own.
 * @param header the description of a track of 3GPP timed text
 */
export function placeOfMovText(header: Buffer): number {
  if (header.length < 6) return USUAL_PLACE
  const [across, down] = [header.readInt8(4), header.readInt8(5)]
  const column = across === 0 ? 1 : across === 1 ? 2 : 3
  return (down === 0 ? 6 : down === 1 ? 3 : 0) + column
}

const tidied = (line: Line): Line => ({ ...line, text: line.text.replace(/\r\n?/g, '\n').trimEnd() })

/** Only these are tags in SubRip. Any other `<` is a character of the text. */
const SUBRIP_TAG = /<(\/?)(b|i|u|s|font)(?:\s[^<>]*)?>/gi

function subRipLine(source: string): Line {
  const { text, place = USUAL_PLACE, ...overrides } = readOverrides(source)
  let { isStyled } = overrides
  const marked = text.replace(SUBRIP_TAG, (_, end: string, name: string) => {
    const mark = MARKS.get(end + name.toLowerCase())
    isStyled ||= mark === undefined
    return mark ?? ''
  })
  return tidied({ text: marked, place, isStyled })
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
}

function webVttLine(source: string, settings: string): Line {
  let isStyled = false
  const marked = source.replace(/<(\/?)([a-z]*)([^<>]*)>/gi, (_, end: string, name: string, rest: string) => {
    // Classes have colors, and a voice names the speaker.
    isStyled ||= rest.startsWith('.') || name === 'v'
    return MARKS.get(end + name.toLowerCase()) ?? ''
  })
  const text = marked.replace(/&([a-z]+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
  return tidied({ text, place: placeOfSettings(settings), isStyled })
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

export function writeLine(kind: WrittenSubtitle, { text, place }: Omit<Line, 'isStyled'>): Buffer {
  switch (kind) {
    case 'mov_text':
      return movTextSample(text)
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

/** Replaces marks with tags. Removes empty lines, because they would end the subtitle. */
const withTags = (text: string): string =>
  text.replace(ANY_MARK, (mark) => TAGS.get(mark) ?? '').replace(/\n{2,}/g, '\n')

/** Returns WebVTT's settings for a place; undefined for the usual place. */
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
  const bytes = Buffer.from(text.replace(ANY_MARK, ''), 'utf8').subarray(0, LONGEST_MOV_TEXT)
  const styles = styledParts(text).map(styleEntry)
  const boxes = styles.length === 0 ? [] : [makeBox(STYLE_BOX, uint16(styles.length), ...styles)]
  return Buffer.concat([uint16(bytes.length), bytes, ...boxes])
}

function styledParts(text: string): readonly StyledPart[] {
  const parts: StyledPart[] = []
  let [face, from, at] = [0, 0, 0]
  const change = (next: number): void => {
    if (face !== 0 && at > from) parts.push({ from, to: at, face })
    face = next
    from = at
  }
  for (const character of text) {
    const mark = (character.codePointAt(0) ?? 0) - FIRST_MARK
    if (mark < 0 || mark >= 2 * STYLES.length) at += 1
    else change(mark % 2 === 0 ? face | (1 << (mark >> 1)) : face & ~(1 << (mark >> 1)))
  }
  change(0)
  return parts.filter(({ to }) => to <= LONGEST_MOV_TEXT)
}

const FONT = { id: 1, size: 18, color: 0xff_ff_ff_ff }

const styleEntry = ({ from, to, face }: StyledPart): Buffer =>
  Buffer.concat([uint16(from, to, FONT.id), Buffer.from([face, FONT.size]), uint32(FONT.color)])

/** Returns the sample description for 3GPP timed text (TS 26.245): bottom center, white text on a transparent background, one font. */
export function movTextHeader(): Buffer {
  const font = Buffer.from('Sans-Serif', 'latin1')
  const bottomCenter = Buffer.from([0, 0, 0, 0, 1, 0xff])
  // The background and the box are empty.
  const place = Buffer.concat([bottomCenter, Buffer.alloc(4 + 8)])
  const fonts = makeBox('ftab', uint16(1, FONT.id), Buffer.from([font.length]), font)
  return Buffer.concat([place, styleEntry({ from: 0, to: 0, face: 0 }), fonts])
}
