/** Finds user data in MPEG-1, MPEG-2, MPEG-4 part 2 and VC-1, where it follows its own start code. */
import { type Change, changeParts, type KeepsText } from './change-parts.ts'
import { isPictureUserData } from './user-data.ts'

const START_CODE = Buffer.from([0, 0, 1])

export type UserDataCodec = {
  /** The last byte of the start codes of user data. */
  readonly first: number
  readonly last: number
  readonly isNeeded: (content: Buffer) => boolean
}

export const MPEG: UserDataCodec = { first: 0xb2, last: 0xb2, isNeeded: isPictureUserData }

/** Slices, fields, frames, entry points and sequences have their own user data. */
export const VC1: UserDataCodec = { first: 0x1b, last: 0x1f, isNeeded: isPictureUserData }

/** Decoders repeat the deviations of the encoder that such a name tells, so a picture without it looks wrong. */
const ENCODER = /^(?:XviD\d+\w?|DivX\d+(?:Build|b)\d+\w?|Lavc[\d.]+|FFmpe?g?[ v\d.]*b?\d*)\0*$/

export const MPEG4: UserDataCodec = {
  ...MPEG,
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
    const isUserData = code >= codec.first && code <= codec.last
    if (isUserData && !codec.isNeeded(content) && !keeps(content)) yield { from, to }
    from = next
  }
}
