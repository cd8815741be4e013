/** Removes text that encoders and other programs store in MP3 before, after and instead of audio (ISO/IEC 11172-3, 2.4.1). */
import { type Change, changeParts } from './change-parts.ts'

const HEADER_BYTES = 4
const CHECKSUM_BYTES = 2
/** Bit rates of layer III in kbit/s, for MPEG-1 and for the lower sampling frequencies of MPEG-2. */
const RATES = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const FREQUENCIES = [44_100, 48_000, 32_000] as const
/** Identifiers of the frame that holds the file's length and encoder name instead of audio. */
const NOTES = ['Xing', 'Info', 'VBRI']

/**
 * Empties frames that hold information instead of audio, and removes what follows the last frame. Returns undefined if the packet doesn't
 * begin with a frame.
 */
export function cleanMp3(packet: Buffer): Buffer | undefined {
  const changes: Change[] = []
  let at = 0
  for (let frame = frameAt(packet, at); frame !== undefined; frame = frameAt(packet, at)) {
    const [from, to] = [at + frame.head, Math.min(packet.length, at + frame.bytes)]
    const note = packet.toString('latin1', from, to)
    if (NOTES.some((mark) => [frame.side, VBRI_AT].includes(note.indexOf(mark)))) {
      const silence = Buffer.alloc(to - from)
      if (!packet.subarray(from, to).equals(silence)) changes.push({ from, to, by: silence })
    }
    at = to
  }
  if (at === 0) return undefined
  if (at < packet.length) changes.push({ from: at, to: packet.length })
  return changeParts(packet, changes)
}

const VBRI_AT = 32

/**
 * Returns a frame's length, and the lengths of its header with the checksum (`head`) and of the side information after it (`side`).
 * @returns undefined if no frame of known length begins there
 */
function frameAt(packet: Buffer, at: number) {
  if (at + HEADER_BYTES > packet.length) return undefined
  const header = packet.readUInt32BE(at)
  const [version, layer] = [(header >>> 19) & 3, (header >>> 17) & 3]
  const [rate, frequency] = [(header >>> 12) & 15, (header >>> 10) & 3]
  if (header >>> 21 !== 0x7ff || version === 1 || layer !== 1 || rate === 0 || rate === 15 || frequency === 3)
    return undefined
  const isFirst = version === 3
  const hertz = (FREQUENCIES[frequency] ?? 1) / (isFirst ? 1 : version === 2 ? 2 : 4)
  const bits = (RATES[isFirst ? 0 : 1][rate - 1] ?? 0) * 1000
  const isMono = ((header >>> 6) & 3) === 3
  return {
    bytes: Math.floor(((isFirst ? 144 : 72) * bits) / hertz) + ((header >>> 9) & 1),
    head: HEADER_BYTES + (((header >>> 16) & 1) === 0 ? CHECKSUM_BYTES : 0),
    side: isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17,
  }
}
