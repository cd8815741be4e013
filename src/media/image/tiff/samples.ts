/** Converts stored samples of any depth and number format to unsigned samples of 8 or 16 bits. */

export type SampleFormat = 'integer' | 'signed' | 'float'

export type SampleLayout = {
  readonly bits: number
  readonly format: SampleFormat
  readonly littleEndian: boolean
  /** 1: none; 2: horizontal differencing; 3: floating-point differencing. */
  readonly predictor: number
  readonly perRow: number
  /** Distance between neighboring samples of the same channel, in samples. */
  readonly step: number
  /** Values of floating-point samples that become black and white, for each channel in turn. */
  readonly ranges: readonly (readonly [least: number, most: number])[]
}

export const isReadable = ({ bits, format }: Pick<SampleLayout, 'bits' | 'format'>): boolean =>
  format === 'float' ? [16, 24, 32, 64].includes(bits) : bits >= 1 && bits <= 32

export const bytesPerRow = ({ perRow, bits }: Pick<SampleLayout, 'perRow' | 'bits'>): number =>
  Math.ceil((perRow * bits) / 8)

/** Returns whether samples become 16 bits. Samples of up to 8 bits become 8 bits. */
export const isDeep = ({ bits }: Pick<SampleLayout, 'bits'>): boolean => bits > 8

type WholeNumbers = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>
type Numbers = WholeNumbers | Float32Array | Float64Array
export type Samples = Uint8Array | Uint16Array

/** @param rows complete rows, each padded to a byte */
export function samplesOf(rows: Buffer, layout: SampleLayout): Samples {
  const { bits, format } = layout
  const numbers = numbersOf(rows, layout)
  const count = countIn(rows, layout)
  if (format === 'float') return fromFloats(numbers, count, layout)
  const most = isDeep(layout) ? 0xffff : 0xff
  // Signed samples count from the middle.
  const middle = format === 'signed' ? 2 ** (bits - 1) : 0
  const span = 2 ** bits
  const factor = most / (span - 1)
  const samples = most === 0xff ? new Uint8Array(count) : new Uint16Array(count)
  for (let at = 0; at < count; at++) samples[at] = ((((numbers[at] ?? 0) + middle) % span) * factor + 0.5) | 0
  return samples
}

export const floatsOf = (rows: Buffer, layout: SampleLayout): ArrayLike<number> =>
  numbersOf(rows, layout).subarray(0, countIn(rows, layout))

const countIn = (rows: Buffer, layout: SampleLayout): number =>
  Math.floor(rows.length / bytesPerRow(layout)) * layout.perRow

function fromFloats(numbers: Numbers, count: number, { ranges }: SampleLayout): Samples {
  const samples = new Uint16Array(count)
  const channels = ranges.length
  for (let at = 0; at < count; at++) {
    const [least, most] = ranges[at % channels] ?? [0, 1]
    const share = ((numbers[at] ?? 0) - least) / (most - least)
    // A value that isn't a number becomes 0.
    samples[at] = share > 0 ? Math.min(share, 1) * 0xffff + 0.5 : 0
  }
  return samples
}

/** Undoes the prediction and returns the stored numbers. Signed integers are returned as their unsigned bits. */
function numbersOf(rows: Buffer, layout: SampleLayout): Numbers {
  const { bits, format, predictor } = layout
  const isShuffled = predictor === 3
  const bytes = isShuffled ? unshuffled(rows, layout) : rows
  const littleEndian = layout.littleEndian && !isShuffled
  const whole = wholeNumbers(bytes, { ...layout, littleEndian })
  if (predictor === 2) addDifferences(whole, layout)
  if (format !== 'float') return whole
  if (bits === 32) return new Float32Array(whole.buffer, whole.byteOffset, whole.length)
  if (bits === 64) return new Float64Array(whole.buffer, whole.byteOffset, whole.length / 2)
  return Float32Array.from(whole, bits === 16 ? halfFloat : floatOf24Bits)
}

function addDifferences(numbers: WholeNumbers, { bits, perRow, step }: SampleLayout): void {
  if (bits === 64) {
    const pairs = new BigUint64Array(numbers.buffer)
    for (let row = 0; row + perRow <= pairs.length; row += perRow)
      for (let at = row + step; at < row + perRow; at++)
        pairs[at] = (pairs[at] ?? 0n) + (pairs[at - step] ?? 0n)
    return
  }
  const span = 2 ** bits
  for (let row = 0; row + perRow <= numbers.length; row += perRow)
    for (let at = row + step; at < row + perRow; at++)
      numbers[at] = ((numbers[at] ?? 0) + (numbers[at - step] ?? 0)) % span
}

/** Undoes the floating-point predictor (Adobe Photoshop TIFF Technical Note 3): it stores bytes of equal significance together. */
function unshuffled(rows: Buffer, { bits, perRow, step }: SampleLayout): Buffer {
  const width = bits / 8
  const length = perRow * width
  const bytes = Buffer.alloc(rows.length)
  const row = Buffer.alloc(length)
  for (let start = 0; start + length <= rows.length; start += length) {
    rows.copy(row, 0, start, start + length)
    for (let at = step; at < length; at++) row[at] = (row[at] ?? 0) + (row[at - step] ?? 0)
    for (let at = 0; at < perRow; at++)
      for (let byte = 0; byte < width; byte++) bytes[start + at * width + byte] = row[byte * perRow + at] ?? 0
  }
  return bytes
}

/** Reads samples as unsigned integers. Samples of 64 bits are returned as pairs. */
function wholeNumbers(bytes: Buffer, layout: SampleLayout): WholeNumbers {
  const { bits, littleEndian } = layout
  if (bits === 8) return Uint8Array.from(bytes)
  if (bits === 24) return triples(bytes, littleEndian)
  if (bits !== 16 && bits !== 32 && bits !== 64) return unpacked(bytes, layout)
  // Typed arrays must begin at a multiple of their element's size.
  const width = bits / 8
  const content = new ArrayBuffer(bytes.length - (bytes.length % width))
  const aligned = Buffer.from(content)
  bytes.copy(aligned)
  if (!littleEndian && width === 2) aligned.swap16()
  if (!littleEndian && width === 4) aligned.swap32()
  if (!littleEndian && width === 8) aligned.swap64()
  return width === 2 ? new Uint16Array(content) : new Uint32Array(content)
}

function triples(bytes: Buffer, littleEndian: boolean): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(Math.floor(bytes.length / 3))
  for (let at = 0; at < numbers.length; at++)
    numbers[at] = littleEndian ? bytes.readUIntLE(at * 3, 3) : bytes.readUIntBE(at * 3, 3)
  return numbers
}

/** Unpacks samples that aren't whole bytes. They begin at the most significant bit, regardless of the byte order. */
function unpacked(bytes: Buffer, { bits, perRow }: SampleLayout): Uint32Array<ArrayBuffer> {
  const stride = bytesPerRow({ bits, perRow })
  const rows = Math.floor(bytes.length / stride)
  const numbers = new Uint32Array(rows * perRow)
  for (let row = 0, to = 0; row < rows; row++) {
    let [at, value, count] = [row * stride, 0, 0]
    for (const end = to + perRow; to < end; to++) {
      while (count < bits) {
        value = value * 256 + (bytes[at++] ?? 0)
        count += 8
      }
      const rest = 2 ** (count - bits)
      const sample = Math.floor(value / rest)
      numbers[to] = sample
      value -= sample * rest
      count -= bits
    }
  }
  return numbers
}

const halfFloat = (pattern: number): number => floatFrom(pattern, 5, 10)
const floatOf24Bits = (pattern: number): number => floatFrom(pattern, 7, 16)

function floatFrom(pattern: number, exponentBits: number, fractionBits: number): number {
  const bias = 2 ** (exponentBits - 1) - 1
  const fraction = (pattern % 2 ** fractionBits) / 2 ** fractionBits
  const exponent = Math.floor(pattern / 2 ** fractionBits) % 2 ** exponentBits
  const sign = pattern >= 2 ** (exponentBits + fractionBits) ? -1 : 1
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Infinity : NaN
  return sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias))
}
