/**
 * Scores how similar two images look with SSIMULACRA 2.1, a perceptual metric by Jon Sneyers (Cloudinary).
 * Its weights were fitted to human ratings of 22,000 pairs. 100 means identical, 90 indistinguishable when flipping between the
 * images, 70 high quality, 50 medium, 30 low. Implements the published method row by row with typed arrays, and takes about 0.3 s
 * per megapixel.
 */
import type { Extent } from '../../shared/extent.ts'
import { rowBlur, type RowSource } from './gaussian-blur.ts'
import { lightOfSrgb } from './srgb-profile.ts'

/** 8-bit sRGB, three bytes per pixel, rows from the top. */
export type RgbImage = Extent & { readonly pixels: Uint8Array | Uint8ClampedArray }

/** One plane per XYB channel: red-green, luminance, blue-yellow. */
type Planes = readonly [Float32Array, Float32Array, Float32Array]

type Scale = Extent & { readonly planes: Planes; readonly means: Planes; readonly squares: Planes }

const SCALES = 6
/** Minimum side length. In smaller images, the blur would cover mostly edges. */
export const LEAST_SIDE = 8

/** Creates a function that scores images of the same size against this one. Computes this image's data only once, for all scores. */
export function createScorer(original: RgbImage): (other: RgbImage) => number {
  const scales = [...scalesOf(original)].map(({ planes, ...extent }) => ({
    ...extent,
    planes,
    means: eachPlane(planes, (plane) => blurred(rowsOf(plane, extent), extent)),
    squares: eachPlane(planes, (plane) => blurred(productsOf(plane, plane, extent), extent)),
  }))
  return (other) => {
    if (other.width !== original.width || other.height !== original.height)
      throw new RangeError('Only images of the same size can be compared.')
    let sum = 0
    let index = 0
    for (const { planes } of scalesOf(other)) {
      const scale = scales[index]
      if (scale !== undefined) sum += differenceAt(scale, planes, index)
      index += 1
    }
    return scoreOf(sum)
  }
}

function* scalesOf({ pixels, width, height }: RgbImage): Generator<Extent & { planes: Planes }> {
  let extent: Extent = { width, height }
  let light = linearLight(pixels)
  for (let scale = 0; scale < SCALES; scale++) {
    if (scale > 0) [light, extent] = halved(light, extent)
    if (extent.width < LEAST_SIDE || extent.height < LEAST_SIDE) return
    yield { ...extent, planes: perceived(light) }
  }
}

const LINEAR = Float32Array.from({ length: 256 }, (_, value) => lightOfSrgb(value / 255))

function linearLight(pixels: Uint8Array | Uint8ClampedArray): Planes {
  const count = pixels.length / 3
  const light: Planes = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  const [red, green, blue] = light
  for (let at = 0, from = 0; at < count; at++, from += 3) {
    red[at] = LINEAR[pixels[from] ?? 0] ?? 0
    green[at] = LINEAR[pixels[from + 1] ?? 0] ?? 0
    blue[at] = LINEAR[pixels[from + 2] ?? 0] ?? 0
  }
  return light
}

function halved(planes: Planes, { width, height }: Extent): [Planes, Extent] {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  const halve = (plane: Float32Array) => {
    const small = new Float32Array(half.width * half.height)
    for (let y = 0, at = 0; y < half.height; y++) {
      const upper = 2 * y * width
      const lower = Math.min(2 * y + 1, height - 1) * width
      for (let x = 0; x < half.width; x++, at++) {
        const left = 2 * x
        const right = Math.min(left + 1, width - 1)
        small[at] =
          ((plane[upper + left] ?? 0) +
            (plane[upper + right] ?? 0) +
            (plane[lower + left] ?? 0) +
            (plane[lower + right] ?? 0)) /
          4
      }
    }
    return small
  }
  return [eachPlane(planes, halve), half]
}

const BIAS = 0.0037930732552754493
const BIAS_ROOT = Math.cbrt(BIAS)

/** Converts to XYB and shifts each channel to 0..1, as the metric requires. */
function perceived([red, green, blue]: Planes): Planes {
  const count = red.length
  const planes: Planes = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  const [x, y, b] = planes
  for (let at = 0; at < count; at++) {
    const r = red[at] ?? 0
    const g = green[at] ?? 0
    const bl = blue[at] ?? 0
    const long = Math.cbrt(0.3 * r + 0.622 * g + 0.078 * bl + BIAS) - BIAS_ROOT
    const middle = Math.cbrt(0.23 * r + 0.692 * g + 0.078 * bl + BIAS) - BIAS_ROOT
    const short =
      Math.cbrt(0.24342268924548 * r + 0.20476744424497 * g + 0.55180986650955 * bl + BIAS) - BIAS_ROOT
    const light = (long + middle) / 2
    x[at] = ((long - middle) / 2) * 14 + 0.42
    y[at] = light + 0.01
    b[at] = short - light + 0.55
  }
  return planes
}

const eachPlane = (planes: Planes, work: (plane: Float32Array) => Float32Array): Planes => [
  work(planes[0]),
  work(planes[1]),
  work(planes[2]),
]

const rowsOf =
  (plane: Float32Array, { width }: Extent): RowSource =>
  (y) =>
    plane.subarray(y * width, (y + 1) * width)

/** Returns the rows of the product of two planes. All rows share one array. */
function productsOf(one: Float32Array, other: Float32Array, { width }: Extent): RowSource {
  const row = new Float32Array(width)
  return (y) => {
    for (let x = 0, at = y * width; x < width; x++, at++) row[x] = (one[at] ?? 0) * (other[at] ?? 0)
    return row
  }
}

function blurred(rows: RowSource, extent: Extent): Float32Array {
  const plane = new Float32Array(extent.width * extent.height)
  const nextRow = rowBlur(rows, extent)
  for (let y = 0; y < extent.height; y++) plane.set(nextRow(), y * extent.width)
  return plane
}

function differenceAt(scale: Scale, others: Planes, index: number): number {
  let sum = 0
  for (const [channel, other] of others.entries()) {
    const weights = WEIGHTS[channel * SCALES + index] ?? []
    if (weights.every((weight) => weight === 0)) continue
    const differences = planeDifferences(scale, other, channel)
    for (const [at, weight] of weights.entries()) sum += weight * (differences[at] ?? 0)
  }
  return sum
}

/**
 * Returns the means, then the 4-norms, of three maps: structural difference, added edges (ringing, blocks) and lost edges (blur).
 * The 4-norm emphasizes the worst areas.
 */
function planeDifferences(scale: Scale, other: Float32Array, channel: number): readonly number[] {
  const [plane, means, squares] = [scale.planes[channel], scale.means[channel], scale.squares[channel]]
  if (plane === undefined || means === undefined || squares === undefined) return []
  const blurOf = (rows: RowSource) => rowBlur(rows, scale)
  const nextMeans = blurOf(rowsOf(other, scale))
  const nextSquares = blurOf(productsOf(other, other, scale))
  const nextProducts = blurOf(productsOf(plane, other, scale))
  const sums = new Float64Array(6)
  for (let y = 0; y < scale.height; y++) {
    const rowOf = (each: Float32Array) => rowsOf(each, scale)(y)
    addDifferences(sums, {
      plane: rowOf(plane),
      other: rowOf(other),
      means: rowOf(means),
      otherMeans: nextMeans(),
      squares: rowOf(squares),
      otherSquares: nextSquares(),
      products: nextProducts(),
    })
  }
  return [...sums].map((sum, index) => (index < 3 ? sum / plane.length : (sum / plane.length) ** 0.25))
}

/** A row of both planes, and of their means, means of squares and mean of products. */
type Rows = {
  readonly plane: Float32Array
  readonly other: Float32Array
  readonly means: Float32Array
  readonly otherMeans: Float32Array
  readonly squares: Float32Array
  readonly otherSquares: Float32Array
  readonly products: Float32Array
}

/** Adds a row's values of the three maps, then their fourth powers. */
function addDifferences(sums: Float64Array, rows: Rows): void {
  const { plane, other, means, otherMeans, squares, otherSquares, products } = rows
  let unlike = sums[0] ?? 0
  let gained = sums[1] ?? 0
  let lost = sums[2] ?? 0
  let unlike4 = sums[3] ?? 0
  let gained4 = sums[4] ?? 0
  let lost4 = sums[5] ?? 0
  for (let x = 0; x < plane.length; x++) {
    const mean = means[x] ?? 0
    const otherMean = otherMeans[x] ?? 0
    const apart = mean - otherMean
    const shared = 2 * ((products[x] ?? 0) - mean * otherMean) + STABILIZER
    const spread =
      (squares[x] ?? 0) - mean * mean + ((otherSquares[x] ?? 0) - otherMean * otherMean) + STABILIZER
    const structure = Math.max(0, 1 - ((1 - apart * apart) * shared) / spread)
    unlike += structure
    unlike4 += fourthPower(structure)
    const edge = (1 + Math.abs((other[x] ?? 0) - otherMean)) / (1 + Math.abs((plane[x] ?? 0) - mean)) - 1
    if (edge > 0) {
      gained += edge
      gained4 += fourthPower(edge)
    } else {
      lost -= edge
      lost4 += fourthPower(edge)
    }
  }
  sums.set([unlike, gained, lost, unlike4, gained4, lost4])
}
/** Much faster than `**`, which calls a function for any exponent. */
const fourthPower = (value: number): number => value * value * (value * value)

/** Prevents noise in flat areas from dominating. */
const STABILIZER = 0.0009

/** Maps the sum of the weighted differences to the scale of the human ratings. */
function scoreOf(sum: number): number {
  const difference = sum * 0.9562382616834844
  const bent =
    6.248496625763138e-5 * difference ** 3 -
    0.020884521182843837 * difference ** 2 +
    2.326765642916932 * difference
  return bent > 0 ? 100 - 10 * bent ** 0.6276336467831387 : 100
}

/** One row per channel and scale: weights for the means of structure, added edges and lost edges, then for their 4-norms. */
const WEIGHTS: readonly (readonly number[])[] = [
  [0, 0.000737660671, 0, 0, 0.000779348168, 0],
  [0, 0.000437115573, 0, 1.10417264, 0.000662848341, 0.000152316328],
  [0, 0.00164064375, 0, 1.84224555, 11.4411726, 0],
  [0.000798910944, 0.000176816438, 0, 1.8787595, 10.9490699, 0],
  [0.000728934699, 0.967793708, 0, 0.000140034243, 0.998176698, 0.000319497559],
  [0.000455099211, 0, 0, 0.00136487662, 0, 0],
  [0, 0, 0, 7.46689033, 0, 17.445834],
  [0.000623560163, 0, 0, 6.68367815, 0.00037724408, 1.02788994],
  [225.205153, 0, 0, 19.2132382, 0.00114015246, 0.00123775564],
  [176.393176, 0, 0, 24.43301, 0.285208026, 0.000448543692],
  [0, 0, 0, 34.7790634, 44.8356253, 0],
  [0, 0, 0, 0, 0, 0],
  [0, 0.000868055657, 0, 0, 0, 0],
  [0, 0.000531319187, 0, 0.000165338142, 0, 0],
  [0, 0, 0, 0.00041791718, 0.00172908282, 0],
  [0.00208270058, 0, 0, 8.82698276, 23.1924334, 0],
  [95.1080499, 0.986397803, 0.983438279, 0.0012286405, 171.266726, 0.980785887],
  [0, 0, 0, 0.000513006459, 0, 0.000108540579],
]
