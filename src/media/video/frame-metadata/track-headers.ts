/** Finds metadata in tracks: comments of Vorbis and Theora, authors, file names and remarks in subtitles. */
import { hasCoordinates } from '../../metadata/coordinates.ts'
import type { KeepsText } from './change-parts.ts'

/** First bytes of the comment headers of Vorbis and Theora, and the framing byte at the end of the Vorbis header. */
const XIPH = [
  { name: '\x03vorbis', end: [1] },
  { name: '\x81theora', end: [] },
]

/** Drops the comments, and keeps the other two headers. @returns the same buffer if it has no comments */
export function cleanXiph(header: Buffer): Buffer {
  const [first, comments, setup] = headersIn(header)
  const kind = XIPH.find(({ name }) => comments?.toString('latin1', 0, name.length) === name)
  if (first === undefined || setup === undefined || kind === undefined) return header
  const empty = Buffer.concat([Buffer.from(kind.name, 'latin1'), Buffer.alloc(8), Buffer.from(kind.end)])
  return comments?.equals(empty) === true
    ? header
    : Buffer.concat([Buffer.from([2, first.length, empty.length]), first, empty, setup])
}

/** FFmpeg uses two forms: the lengths of the first two headers at the start, or a length before each header. */
function headersIn(header: Buffer): readonly Buffer[] {
  let at = 0
  const take = (length: number) => header.subarray(at, (at += length))
  if (header[0] !== 2) return header.length < 6 ? [] : [0, 1, 2].map(() => take(take(2).readUInt16BE(0)))
  at = 1
  const [first, second] = [0, 1].map(() => {
    let length = 0
    for (; header[at] === 0xff; at++) length += 0xff
    return length + (header[at++] ?? 0)
  })
  return [take(first ?? 0), take(second ?? 0), header.subarray(at)]
}

/** Lines of the header that affect how subtitles look, and the sections that follow: styles, lines, fonts. */
const LAYOUT =
  /^(?:ScriptType|(?:PlayRes|LayoutRes)[XY]|PlayDepth|WrapStyle|ScaledBorderAndShadow|Collisions|Timer|YCbCr Matrix|Kerning|Language)\s*:|^\s*$/i
const LOOK = /^\[(?:V4\+{0,2} Styles|Events|Fonts|Graphics)\]/i

/** Removes what editing programs store before the styles, and private comments and dialogue after them. */
export function cleanScript(header: Buffer, keeps: KeepsText): Buffer {
  let isLook = false
  return keptLines(header, (line) => {
    if (line.startsWith('[')) isLook = LOOK.test(line)
    if (isLook) return !line.startsWith(';') && !isPrivateEvent(line, keeps)
    return LAYOUT.test(line) || /^\[Script Info\]/i.test(line) || keeps(Buffer.from(line))
  })
}

/** Returns whether a line of the header is a comment that isn't kept, or a dialogue with a location. */
function isPrivateEvent(line: string, keeps: KeepsText): boolean {
  const [, kind, fields = ''] = /^(Comment|Dialogue)\s*:(.*)/i.exec(line) ?? []
  if (kind === undefined) return false
  const parts = fields.split(',')
  const texts = [fields, parts[4] ?? '', parts.slice(9).join(',')]
  return kind.toLowerCase() === 'comment'
    ? !texts.every((text) => keeps(Buffer.from(text)))
    : texts.some(hasCoordinates)
}

/** A packet of an event: its number, its layer, its style, who speaks, three margins, an effect, and the text. */
const EVENT = /^((?:[^,]*,){3})([^,]*)(,(?:[^,]*,){3})([^,]*)(,[^]*)$/

/** A remark in the text. With a backslash, it would be an override. */
const REMARK = /\{[^{}\\]*\}/g

/** Events are changed as Latin-1, in which each byte is a character, so that text in an encoding other than UTF-8 stays the same. */
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Removes hidden data from an event: speakers and remarks that `keeps` rejects, and effects with coordinates. */
export function cleanEvent(event: Buffer, keeps: KeepsText): Buffer {
  const text = event.toString('latin1')
  const [, start, name = '', margins, effect = '', rest = ''] = EVENT.exec(text) ?? []
  if (start === undefined) return event
  const kept = (part: string) => part === '' || keeps(bytesOf(part))
  const shown = rest.replace(REMARK, (remark) => (kept(remark.slice(1, -1)) ? remark : ''))
  const isPlace = hasCoordinates(bytesOf(effect).toString())
  const cleaned = [start, kept(name) ? name : '', margins, isPlace ? '' : effect, shown].join('')
  return cleaned === text ? event : bytesOf(cleaned)
}

export const cleanIndex = (header: Buffer, keeps: KeepsText): Buffer =>
  keptLines(header, (line) => !line.startsWith('#') || keeps(Buffer.from(line)))

function keptLines(header: Buffer, isKept: (line: string) => boolean): Buffer {
  const lines = header.toString('utf8').split(/(?<=\n)/)
  const kept = lines.filter((line, index) => isKept(index === 0 ? line.replace(/^\uFEFF/, '') : line))
  return kept.length === lines.length ? header : Buffer.from(kept.join(''))
}
