/** Finds user data in MPEG-1, MPEG-2, MPEG-4 part 2 and VC-1, where it follows its own start code. */
import { type Change, changeParts, type KeepsText, withoutZeros } from './change-parts.ts'
import { isPictureUserData } from './user-data.ts'

export const START_CODE = Buffer.from([0, 0, 1])

export type UserDataCodec = {
  /** The last bytes of the start codes of user data, of parts without content, and of the parts that decoders need. */
  readonly isUserData: (code: number) => boolean
  readonly empty: readonly number[]
  readonly isDefined: (code: number) => boolean
  readonly isNeeded: (content: Buffer) => boolean
}

const USER_DATA = 0xb2

export const MPEG: UserDataCodec = {
  isUserData: (code) => code === USER_DATA,
  empty: [0xb4, 0xb7],
  isDefined: (code) => code < 0xb0 || [0xb3, 0xb4, 0xb5, 0xb7, 0xb8].includes(code),
  isNeeded: isPictureUserData,
}

/** Slices, fields, frames, entry points and sequences have their own user data. */
export const VC1: UserDataCodec = {
  isUserData: (code) => code >= 0x1b && code <= 0x1f,
  empty: [0x0a],
  isDefined: (code) => code >= 0x0a && code <= 0x0f,
  isNeeded: isPictureUserData,
}

/** Names of encoders that deviate from the standard. Decoders follow these deviations, so frames look wrong without the name. */
const ENCODER = /^(?:XviD\d+\w?|DivX\d+(?:Build|b)\d+\w?|Lavc[\d.]+|FFmpe?g?[ v\d.]*b?\d*)\0*$/

export const MPEG4: UserDataCodec = {
  ...MPEG,
  empty: [0xb1, 0xb4],
  isDefined: (code) => code < 0x30 || (code >= 0xb0 && code <= 0xb8),
  isNeeded: (content) => content.length < 40 && ENCODER.test(content.toString('latin1')),
}

export const cleanUserData = (bytes: Buffer, codec: UserDataCodec, keeps: KeepsText): Buffer =>
  changeParts(bytes, userDataIn(bytes, codec, keeps))

function* userDataIn(bytes: Buffer, codec: UserDataCodec, keeps: KeepsText): Generator<Change> {
  for (let from = bytes.indexOf(START_CODE); from >= 0;) {
    const next = bytes.indexOf(START_CODE, from + 3)
    const to = next < 0 ? bytes.length : next
    const code = bytes[from + 3] ?? 0
    const content = bytes.subarray(from + 4, to)
    const isKept = codec.isUserData(code) ? codec.isNeeded(content) : codec.isDefined(code)
    if (!isKept && !keeps(content)) yield { from, to }
    else if (codec.empty.includes(code) && withoutZeros(content).length > 0) yield { from: from + 4, to }
    from = next
  }
}
