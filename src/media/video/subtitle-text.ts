/**
 * Converts text subtitles to plain text, packet by packet.
 * Colors, positions and effects are kept only where a container accepts the packets unchanged.
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

export function plainText(kind: TextSubtitle, data: Buffer): string {
  if (kind === 'mov_text') return data.length < 2 ? '' : data.toString('utf8', 2, 2 + data.readUInt16BE(0))
  const text = data.toString('utf8')
  return kind === 'ass' || kind === 'ssa' ? withoutAssMarks(text) : withoutTags(text)
}

function withoutTags(text: string): string {
  return text
    .replace(/<[^<>\n]*>/g, '')
    .replace(/\r\n?/g, '\n')
    .trimEnd()
}

/** Eight fields, each followed by a comma, precede the text. The text itself may contain commas. */
const ASS_TEXT = /^(?:[^,]*,){8}([^]*)$/

function withoutAssMarks(line: string): string {
  const [, text = ''] = ASS_TEXT.exec(line) ?? []
  return text
    .replace(/\{[^{}]*\}/g, '')
    .replace(/\\[Nn]/g, '\n')
    .replace(/\\h/g, ' ')
    .trimEnd()
}

/** The plain text codec of each container family. */
export type WrittenSubtitle = 'mov_text' | 'subrip' | 'webvtt'

const LONGEST_MOV_TEXT = 0xffff

export function encodeText(kind: WrittenSubtitle, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  if (kind !== 'mov_text') return bytes
  const kept = bytes.subarray(0, LONGEST_MOV_TEXT)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(kept.length)
  return Buffer.concat([length, kept])
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
