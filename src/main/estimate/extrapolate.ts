/** Extrapolates from measured samples to all files. Has no side effects. `estimate.ts` has a worked example. */
import { sumOf } from '../../shared/sum.ts'
import type { EstimateRange } from '../../shared/model/estimate.ts'
import { groupOf, groupsOf, keyOf, type SizedFile } from './choose-samples.ts'

export type Measurement = {
  readonly bytes: number
  readonly milliseconds: number
  /** Uncertainty of the measured values, as a fraction, if only parts of the file were processed. */
  readonly spread?: number
  /** How long in ms the process for such files takes to start. */
  readonly startMs?: number
  /** Number of pixels of a video's frame. */
  readonly pixels?: number | undefined
}

export type Extrapolated = { readonly bytes: EstimateRange; readonly milliseconds: EstimateRange }

/** Models of how a result depends on the input size. The model that fits the samples best is used. */
const MODELS: readonly ((size: number) => number)[] = [
  // Constant: every result has the same dimensions, for example 2048 px wide.
  () => 1,
  (size) => Math.sqrt(size),
  // Proportional: only the quality changes.
  (size) => size,
]
/** Used with fewer than two degrees of freedom, which aren't enough to tell the models apart. The middle model is never far off. */
const MIDDLE_MODEL = Math.sqrt
/** Assumed error within a group, as a fraction, while there are too few samples. */
const DEFAULT_ERROR = 0.45
/** Error of one additional, assumed sample, as a fraction. It is added because a few samples may be similar by chance. */
const PRIOR_ERROR = 0.25
/** Minimum error, as a fraction, for files of a group without samples. Such files are estimated from other groups of the same kind. */
const UNSAMPLED_ERROR = 0.7

/**
 * Factor that widens the range. The chosen model fits other files less well than the samples, and sampling stops early if samples are
 * similar by chance. With this factor, four of five outcomes are within the range (`npm run bench -- estimate`).
 */
const SELECTION_BIAS = 1.4

/** Student's t-distribution: 80% of outcomes are within this many standard deviations. Indexed by degrees of freedom. */
const STUDENT: readonly number[] = [3.08, 3.08, 1.89, 1.64, 1.53, 1.48, 1.44, 1.42, 1.4, 1.38, 1.37, 1.36]
const NORMAL = 1.28

type Sample = { readonly size: number; readonly value: number; readonly spread: number }
/** `exact` is the part of the value that was measured exactly, rather than estimated from parts of a video. */
type Total = { readonly value: number; readonly variance: number; readonly exact: number }

/** Returns an estimate for some of the files. */
export type Extrapolation = (some: readonly SizedFile[]) => Extrapolated

/**
 * Fits models to the measurements.
 * @param files all files that the samples represent
 * @param measured by `keyOf`; only sampled files
 * @returns undefined if there are no samples yet
 */
export function extrapolation(
  files: readonly SizedFile[],
  measured: ReadonlyMap<string, Measurement>,
): Extrapolation | undefined {
  if (!files.some((file) => measured.has(keyOf(file)))) return undefined
  const bytes = extrapolateValue(files, measured, (one) => one.bytes)
  const milliseconds = extrapolateValue(files, measured, (one) => one.milliseconds)
  return (some) => ({ bytes: bytes(some), milliseconds: milliseconds(some) })
}

/** The samples of a group or, if the group has none, of other groups of the same kind. */
type GroupModel = { readonly samples: readonly Sample[]; readonly fitted: Fit }

function extrapolateValue(
  files: readonly SizedFile[],
  measured: ReadonlyMap<string, Measurement>,
  valueOf: (one: Measurement) => number,
): (some: readonly SizedFile[]) => EstimateRange {
  const samplesOf = (some: readonly SizedFile[]): readonly Sample[] =>
    some.flatMap((file) => {
      const one = measured.get(keyOf(file))
      return one === undefined ? [] : [{ size: file.size, value: valueOf(one), spread: one.spread ?? 0 }]
    })
  const groups = groupsOf(files).map((group) => ({ group, samples: samplesOf(group) }))
  const known = new Map(
    groups.map(({ group: [first], samples }): readonly [string, GroupModel] => {
      const similar = groups.filter(
        (other) => other.group[0]?.kind === first?.kind && other.samples.length > 0,
      )
      const fitted = fit(similar.map((other) => other.samples))
      const key = first === undefined ? '' : groupOf(first)
      if (samples.length > 0) return [key, { samples, fitted }]
      const others = similar.length > 0 ? similar.flatMap((other) => other.samples) : samplesOf(files)
      return [
        key,
        { samples: others, fitted: { ...fitted, spread: Math.max(UNSAMPLED_ERROR, fitted.spread) } },
      ]
    }),
  )
  return (some) => {
    const totals = groupsOf(some).map((group) => {
      const [first] = group
      const groupModel = first && known.get(groupOf(first))
      const left = group.filter((file) => !measured.has(keyOf(file))).map(({ size }) => size)
      return groupModel === undefined ? NO_TOTAL : totalOf(samplesOf(group), left, groupModel)
    })
    const value = sumOf(totals.map((total) => total.value))
    const deviations = NORMAL * Math.sqrt(sumOf(totals.map(({ variance }) => variance)))
    const exact = sumOf(totals.map((total) => total.exact))
    return { low: Math.max(exact, value - deviations), likely: value, high: value + deviations }
  }
}

const NO_TOTAL: Total = { value: 0, variance: 0, exact: 0 }

/**
 * Predicts one value from past ones, such as the next job from earlier jobs.
 * @param past input sizes and values
 */
export function predict(size: number, past: readonly Pick<Sample, 'size' | 'value'>[]): EstimateRange {
  const { model, spread, freedom } = fit([past])
  const likely = scaledModel(model, past)(size)
  const distance = likely * spread * studentQuantile(freedom) * Math.sqrt(1 + 1 / past.length)
  return { low: Math.max(0, likely - distance), likely, high: likely + distance }
}

/**
 * Estimates the total of a group.
 * @param sampled the sampled files of the group
 * @param left sizes of the other files
 */
function totalOf(
  sampled: readonly Sample[],
  left: readonly number[],
  { samples, fitted: { model, spread, freedom } }: GroupModel,
): Total {
  const known = sumOf(sampled.map(({ value }) => value))
  const measurementVariance = sumOf(sampled.map((one) => (one.value * one.spread) ** 2))
  const predictions = left.map(scaledModel(model, samples))
  const rest = sumOf(predictions)
  const uncertainty = spread * SELECTION_BIAS * (studentQuantile(freedom) / NORMAL)
  const single = sumOf(predictions.map((one) => (one * uncertainty) ** 2))
  const common = (rest * uncertainty) ** 2 / samples.length
  const exact = sumOf(sampled.filter((one) => one.spread === 0).map(({ value }) => value))
  return { value: known + rest, variance: measurementVariance + single + common, exact }
}

const studentQuantile = (freedom: number): number => STUDENT[freedom] ?? NORMAL + 0.08

type Model = (size: number) => number
type Values = readonly Pick<Sample, 'size' | 'value'>[]

function scaledModel(model: Model, samples: Values): Model {
  const scale = sumOf(samples.map(({ value }) => value)) / sumOf(samples.map(({ size }) => model(size)))
  return (size) => scale * model(size)
}

type Fit = {
  readonly model: Model
  /** Error per file, as a fraction. */
  readonly spread: number
  /**
   * Degrees of freedom: each group's number of samples minus one, added up. One is subtracted because each group has its own scale.
   */
  readonly freedom: number
}

/** Chooses one model for all groups and determines its error. Each group has its own scale. Uses defaults if there are too few samples. */
function fit(groups: readonly Values[]): Fit {
  const freedom = sumOf(groups.map((samples) => Math.max(0, samples.length - 1)))
  const fallback: Fit = { model: MIDDLE_MODEL, spread: DEFAULT_ERROR, freedom }
  if (freedom < 2) return fallback
  const fits = MODELS.map((model): Fit => {
    const errors = groups.flatMap((samples) => errorsOf(model, samples))
    return { model, spread: deviationOf(errors), freedom }
  })
  return fits.toSorted((a, b) => a.spread - b.spread)[0] ?? fallback
}

/**
 * Returns each sample's error when it is predicted from the other samples (leave-one-out cross-validation), without the part of the error
 * that the other samples contribute.
 */
function errorsOf(model: Model, samples: Values): readonly number[] {
  if (samples.length < 2) return []
  const shareOfOthers = Math.sqrt(samples.length / (samples.length - 1))
  return samples.map((left) => {
    const others = samples.filter((sample) => sample !== left)
    const guess = scaledModel(model, others)(left.size)
    return guess === 0 ? 0 : (left.value / guess - 1) / shareOfOthers
  })
}

const deviationOf = (errors: readonly number[]): number =>
  Math.sqrt((sumOf(errors.map((error) => error ** 2)) + PRIOR_ERROR ** 2) / (errors.length + 1))
