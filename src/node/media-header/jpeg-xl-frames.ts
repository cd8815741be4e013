/** Counts the frames of an animated JPEG XL by the lengths in their headers (ISO/IEC 18181-1, F.2 and F.3). */
import type { Extent } from '../../shared/extent.ts'
import { findBox } from './iso-boxes.ts'
import {
  type AnimationLayout,
  type Bits,
  bitsFrom,
  oneOf,
  readCodestreamHeader,
  readLong,
  skipExtensions,
  skipFloats,
} from './jpeg-xl-codestream.ts'
import { HeaderTooLarge, type ReadPart } from './window.ts'

const SIGNATURE_BYTES = 2
/** Bytes to read of the codestream's header, and of a frame's header without its table of contents. Real ones are far smaller. */
const HEADER_BYTES = 1_024
const FRAME_HEADER_BYTES = 512
/** Maximum numbers of extra channels and of a frame's sections, far more than any real file has. A hostile one could keep this busy. */
const MOST_CHANNELS = 256
const MOST_SECTIONS = 100_000

/**
 * Counts the frames, including layers that are shown as one. If the animation is larger than a header may be, assumes that the rest has as
 * many frames per byte.
 * @param size of the file in bytes
 * @returns undefined if the frames can't be found without decoding, or if the last one is missing
 */
export async function countJpegXlFrames(read: ReadPart, size: number): Promise<number | undefined> {
  const { part, length } = await codestreamIn(read, size)
  const header = readCodestreamHeader(await part(SIGNATURE_BYTES, HEADER_BYTES))
  const { animation } = header
  if (animation === undefined || animation.extraChannels > MOST_CHANNELS) return undefined
  let frames = 0
  let at = SIGNATURE_BYTES + animation.headerBytes
  try {
    while (at < length) {
      const frame = readFrameHeader(bitsFrom(await part(at, FRAME_HEADER_BYTES)), header, animation)
      if (frame === undefined) return undefined
      const sizes = await part(at + frame.headerBytes, frame.sections * MOST_SECTION_BYTES)
      at += frame.headerBytes + lengthOfSections(bitsFrom(sizes), frame.sections)
      if (frame.isShown) frames += 1
      if (frame.isLast) return at <= length ? frames : undefined
    }
  } catch (error) {
    if (error instanceof HeaderTooLarge && frames > 0) return Math.ceil((frames * length) / at)
  }
  return undefined
}

/** Finds the codestream, which may be divided among boxes. `part` returns fewer bytes at its end. */
async function codestreamIn(read: ReadPart, size: number) {
  const areas: { readonly from: number; readonly end: number }[] = []
  if ((await read(0, 2)).readUInt16BE(0) === 0xff0a) areas.push({ from: 0, end: size })
  else
    await findBox(read, 0, size, ({ type, body, end }) => {
      // A box with a part of the codestream begins with the part's number.
      if (type === 'jxlc') areas.push({ from: body, end: Math.min(end, size) })
      if (type === 'jxlp') areas.push({ from: body + 4, end: Math.min(end, size) })
      return type === 'jxlc' ? true : undefined
    })
  async function part(at: number, length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let [skipped, missing] = [at, length]
    for (const { from, end } of areas) {
      const wanted = Math.min(missing, end - from - skipped)
      if (wanted > 0) parts.push(await read(from + skipped, wanted))
      missing -= Math.max(0, wanted)
      skipped = Math.max(0, skipped - (end - from))
      if (missing === 0) break
    }
    return Buffer.concat(parts)
  }
  return { part, length: areas.reduce((sum, { from, end }) => sum + Math.max(0, end - from), 0) }
}

/** Frames with pixels for other frames, and those that are read from the codestream but never shown. */
const [LOW_FREQUENCIES, REFERENCE_ONLY] = [1, 2]
/** A flag: another frame has the low frequencies of this one. */
const USES_OTHER_FRAME = 0x20
/** Width and height of a group of pixels; without a shift 128. The low frequencies of 8 × 8 groups are together. */
const [LEAST_GROUP, GROUPS_ACROSS] = [128, 8]

/** @returns undefined if the sections are too many, or in another order, which only a decoder can read */
function readFrameHeader(bits: Bits, image: Extent, layout: AnimationLayout) {
  const isUsual = bits(1) === 1
  const { isShown, isLast, groups, lowGroups, passes } = isUsual
    ? { isShown: true, isLast: true, passes: 1, ...groupsOf(image, 1) }
    : readFields(bits, image, layout)
  const isPermuted = bits(1) === 1
  const sections = groups === 1 && passes === 1 ? 1 : 2 + lowGroups + groups * passes
  if (isPermuted || sections > MOST_SECTIONS) return undefined
  return { isShown, isLast, sections, headerBytes: Math.ceil(bits.position() / 8) }
}

function readFields(bits: Bits, image: Extent, { isXyb, extraChannels, hasTimecodes }: AnimationLayout) {
  const type = bits(2)
  const isModular = bits(1) === 1
  const isComplete = (readLong(bits) & USES_OTHER_FRAME) === 0
  const isYcbcr = !isXyb && bits(1) === 1
  // The subsampling of each channel.
  if (isYcbcr && isComplete) bits(6)
  const upsampling = isComplete ? 2 ** bits(2) : 1
  if (isComplete) for (let left = extraChannels; left > 0; left--) bits(2)
  const shift = isModular ? bits(2) : 1
  // How precisely X and B are quantized.
  if (!isModular && isXyb) bits(6)
  const passes = type === REFERENCE_ONLY ? 1 : readPasses(bits)
  const level = type === LOW_FREQUENCIES ? bits(2) + 1 : 0
  const crop = type !== LOW_FREQUENCIES && bits(1) === 1 ? readCrop(bits, type) : undefined
  const { left, top, ...size } = crop ?? { left: 0, top: 0, width: image.width, height: image.height }
  const coversAll =
    left <= 0 && top <= 0 && left + size.width >= image.width && top + size.height >= image.height
  const isShown = type !== LOW_FREQUENCIES && type !== REFERENCE_ONLY
  const isReplacing = isShown && readBlending(bits, extraChannels, coversAll)
  const duration = isShown ? oneOf(bits, [0, 0, 8, 32], [0, 1, 0, 0]) : 0
  if (isShown && hasTimecodes) bits(32)
  const isLast = isShown && bits(1) === 1
  const reference = type !== LOW_FREQUENCIES && !isLast ? bits(2) : 0
  const canRefer = !isLast && type !== LOW_FREQUENCIES && (duration === 0 || reference !== 0)
  // Whether it is kept for other frames before its colors are converted.
  if (type === REFERENCE_ONLY || (isReplacing && coversAll && canRefer)) bits(1)
  // The name.
  for (let count = oneOf(bits, [0, 4, 5, 10], [0, 0, 16, 48]); count > 0; count--) bits(8)
  skipFilter(bits, isModular)
  skipExtensions(bits)
  return { isShown, isLast, passes, ...groupsOf(size, shift, upsampling * 8 ** level) }
}

function groupsOf({ width, height }: Extent, shift: number, divisor = 1) {
  const group = LEAST_GROUP * 2 ** shift
  const [across, down] = [Math.ceil(width / divisor), Math.ceil(height / divisor)]
  const count = (side: number) => Math.ceil(across / side) * Math.ceil(down / side)
  return { groups: count(group), lowGroups: count(group * GROUPS_ACROSS) }
}

function readPasses(bits: Bits): number {
  const passes = oneOf(bits, [0, 0, 0, 3], [1, 2, 3, 4])
  if (passes === 1) return passes
  const smaller = oneOf(bits, [0, 0, 0, 1], [0, 1, 2, 3])
  for (let left = passes - 1; left > 0; left--) bits(2)
  for (let left = smaller; left > 0; left--) bits(2)
  for (let left = smaller; left > 0; left--) oneOf(bits, [0, 0, 0, 3], [0, 1, 2, 0])
  return passes
}

function readCrop(bits: Bits, type: number) {
  const side = () => oneOf(bits, [8, 11, 14, 30], [0, 256, 2_304, 18_688])
  const [left, top] = type === REFERENCE_ONLY ? [0, 0] : [signed(side()), signed(side())]
  return { left, top, width: side(), height: side() }
}

/** Even numbers are positive, odd ones negative. */
const signed = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)

const [REPLACE, BLEND, ADD_BLENDED, MULTIPLY] = [0, 2, 3, 4]

/** Reads how the colors and the extra channels are blended with earlier frames. Returns whether the colors replace them. */
function readBlending(bits: Bits, extraChannels: number, coversAll: boolean): boolean {
  const modes = Array.from({ length: 1 + extraChannels }, () => {
    const mode = oneOf(bits, [0, 0, 0, 2], [0, 1, 2, 3])
    const usesAlpha = extraChannels > 0 && (mode === BLEND || mode === ADD_BLENDED)
    if (usesAlpha) oneOf(bits, [0, 0, 0, 3], [0, 1, 2, 3])
    // Whether values are clamped.
    if (usesAlpha || mode === MULTIPLY) bits(1)
    // Which of the kept frames is blended.
    if (mode !== REPLACE || !coversAll) bits(2)
    return mode
  })
  return modes[0] === REPLACE
}

/** Skips the settings of the filters that smooth the decoded image. */
function skipFilter(bits: Bits, isModular: boolean): void {
  const isUsual = bits(1) === 1
  if (isUsual) return
  const has = () => bits(1) === 1
  if (has() && has()) skipFloats(bits, 6)
  const steps = bits(2)
  if (steps > 0) {
    if (!isModular && has()) skipFloats(bits, 8)
    if (has()) skipFloats(bits, 5)
    if (has()) skipFloats(bits, isModular ? 3 : 4)
    if (isModular) skipFloats(bits, 1)
  }
  skipExtensions(bits)
}

/** Maximum number of bytes in which the length of a section is stored. */
const MOST_SECTION_BYTES = 4

/** Returns the total length, in bytes, of the sections and of the table that lists their lengths. */
function lengthOfSections(bits: Bits, sections: number): number {
  let length = 0
  for (let left = sections; left > 0; left--)
    length += oneOf(bits, [10, 14, 22, 30], [0, 1_024, 17_408, 4_211_712])
  return Math.ceil(bits.position() / 8) + length
}
