/** From what some files have come to, to what all of them will. Pure. */
import type { Expected } from '../../shared/model/forecast.ts'
import { groupOf, groupsOf, type SizedFile } from './choose-samples.ts'
import { sumOf } from './expected.ts'

/** What became of a file that was tried. */
export type Measured = {
  readonly bytes: number
  readonly milliseconds: number
  /** How far its own numbers may be off, where only parts of it were tried. */
  readonly spread?: number
  /** What a process takes to start that makes such files. */
  readonly startMs?: number
}

export type Extrapolated = { readonly bytes: Expected; readonly milliseconds: Expected }

/** How the result's number follows from the size of the original. Which one fits best, the samples themselves say. */
const SHAPES: readonly ((size: number) => number)[] = [
  // Alike whatever went in: everything becomes 2048 pixels wide.
  () => 1,
  (size) => Math.sqrt(size),
  // A share of what went in: only the quality changes.
  (size) => size,
]
/** With fewer than three there is nothing to choose by; the one in the middle is never far off. */
const MIDDLE_SHAPE = Math.sqrt
/** How much results of one group differ, as a share, until there are enough of them to tell. */
const USUAL_SPREAD = 0.45
/** A few samples may be alike by chance: one more is imagined that was so far off, as a share. */
const FEW_SAY_LITTLE = 0.25
/** What is assumed of files of which no sample was taken, by others of their kind. */
const STRANGE_SPREAD = 0.7

/**
 * The shape that fits the samples best fits the others less well; and trying ends as soon as the range is narrow, which is
 * sooner where samples are alike by chance. So much wider, and four of five outcomes are inside (`npm run bench -- forecast`).
 */
const CHOSEN_BY_THEM = 1.4

/** 80 % of outcomes lie within so many standard deviations, by how many samples there are beyond the first. */
const STUDENT: readonly number[] = [3.08, 3.08, 1.89, 1.64, 1.53, 1.48, 1.44, 1.42, 1.4, 1.38, 1.37, 1.36]
const NORMAL = 1.28

type Sample = { readonly size: number; readonly value: number; readonly spread: number }
/** `sure` is the part of the value that was measured, and not reckoned from samples of a film. */
type Total = { readonly value: number; readonly variance: number; readonly sure: number }

/** What some of the files will come to. */
export type Extrapolation = (some: readonly SizedFile[]) => Extrapolated

/**
 * @param files those that the samples stand for
 * @param measured by path; what is not in it has not been tried
 * @returns undefined where nothing has been tried yet
 */
export function extrapolation(
  files: readonly SizedFile[],
  measured: ReadonlyMap<string, Measured>,
): Extrapolation | undefined {
  if (!files.some(({ path }) => measured.has(path))) return undefined
  const bytes = expectation(files, measured, (one) => one.bytes)
  const milliseconds = expectation(files, measured, (one) => one.milliseconds)
  return (some) => ({ bytes: bytes(some), milliseconds: milliseconds(some) })
}

/** What is known of a group: `samples` of its own or, where there are none, of others of its kind. */
type GroupKnowledge = { readonly samples: readonly Sample[]; readonly fitted: Fit }

function expectation(
  files: readonly SizedFile[],
  measured: ReadonlyMap<string, Measured>,
  valueOf: (one: Measured) => number,
): (some: readonly SizedFile[]) => Expected {
  const samplesOf = (some: readonly SizedFile[]): readonly Sample[] =>
    some.flatMap(({ path, size }) => {
      const one = measured.get(path)
      return one === undefined ? [] : [{ size, value: valueOf(one), spread: one.spread ?? 0 }]
    })
  const groups = groupsOf(files).map((group) => ({ group, samples: samplesOf(group) }))
  const known = new Map(
    groups.map(({ group: [first], samples }): readonly [string, GroupKnowledge] => {
      const alike = groups.filter((other) => other.group[0]?.kind === first?.kind && other.samples.length > 0)
      const fitted = fit(alike.map((other) => other.samples))
      const key = first === undefined ? '' : groupOf(first)
      if (samples.length > 0) return [key, { samples, fitted }]
      const others = alike.length > 0 ? alike.flatMap((other) => other.samples) : samplesOf(files)
      return [
        key,
        { samples: others, fitted: { ...fitted, spread: Math.max(STRANGE_SPREAD, fitted.spread) } },
      ]
    }),
  )
  return (some) => {
    const totals = groupsOf(some).map((group) => {
      const [first] = group
      const knowledge = first && known.get(groupOf(first))
      const left = group.filter(({ path }) => !measured.has(path)).map(({ size }) => size)
      return knowledge === undefined ? NO_TOTAL : totalOf(samplesOf(group), left, knowledge)
    })
    const value = sumOf(totals.map((total) => total.value))
    const deviations = NORMAL * Math.sqrt(sumOf(totals.map(({ variance }) => variance)))
    const sure = sumOf(totals.map((total) => total.sure))
    return { low: Math.max(sure, value - deviations), likely: value, high: value + deviations }
  }
}

const NO_TOTAL: Total = { value: 0, variance: 0, sure: 0 }

/**
 * One more of what there have been some of, such as a job like earlier ones.
 *
 * @param past what went in and what came of it
 */
export function expectedOf(size: number, past: readonly Pick<Sample, 'size' | 'value'>[]): Expected {
  const { shape, spread, freedom } = fit([past])
  const likely = through(shape, past)(size)
  const distance = likely * spread * student(freedom) * Math.sqrt(1 + 1 / past.length)
  return { low: Math.max(0, likely - distance), likely, high: likely + distance }
}

/**
 * @param tried those of the files that were
 * @param left sizes of the others
 */
function totalOf(
  tried: readonly Sample[],
  left: readonly number[],
  { samples, fitted: { shape, spread, freedom } }: GroupKnowledge,
): Total {
  const known = sumOf(tried.map(({ value }) => value))
  const ownDoubt = sumOf(tried.map((one) => (one.value * one.spread) ** 2))
  const predictions = left.map(through(shape, samples))
  const rest = sumOf(predictions)
  const doubt = spread * CHOSEN_BY_THEM * (student(freedom) / NORMAL)
  const single = sumOf(predictions.map((one) => (one * doubt) ** 2))
  const common = (rest * doubt) ** 2 / samples.length
  const sure = sumOf(tried.filter((one) => one.spread === 0).map(({ value }) => value))
  return { value: known + rest, variance: ownDoubt + single + common, sure }
}

const student = (freedom: number): number => STUDENT[freedom] ?? NORMAL + 0.08

type Shape = (size: number) => number
type Values = readonly Pick<Sample, 'size' | 'value'>[]

/** The shape with the scale of these samples. */
function through(shape: Shape, samples: Values): Shape {
  const scale = sumOf(samples.map(({ value }) => value)) / sumOf(samples.map(({ size }) => shape(size)))
  return (size) => scale * shape(size)
}

type Fit = {
  readonly shape: Shape
  /** How far one file is off, as a share. */
  readonly spread: number
  /** How many samples there are beyond those that the scales are taken from. */
  readonly freedom: number
}

/** Groups have scales of their own; how their results follow from the originals, and how far off that is, they tell together. */
function fit(groups: readonly Values[]): Fit {
  const freedom = sumOf(groups.map((samples) => Math.max(0, samples.length - 1)))
  const usual: Fit = { shape: MIDDLE_SHAPE, spread: USUAL_SPREAD, freedom }
  if (freedom < 2) return usual
  const tried = SHAPES.map((shape): Fit => {
    const errors = groups.flatMap((samples) => errorsOf(shape, samples))
    return { shape, spread: deviationOf(errors), freedom }
  })
  return tried.toSorted((a, b) => a.spread - b.spread)[0] ?? usual
}

/** How far each is off by the others; those are off themselves, which is taken out. */
function errorsOf(shape: Shape, samples: Values): readonly number[] {
  if (samples.length < 2) return []
  const shareOfOthers = Math.sqrt(samples.length / (samples.length - 1))
  return samples.map((left) => {
    const others = samples.filter((sample) => sample !== left)
    const guess = through(shape, others)(left.size)
    return guess === 0 ? 0 : (left.value / guess - 1) / shareOfOthers
  })
}

const deviationOf = (errors: readonly number[]): number =>
  Math.sqrt((sumOf(errors.map((error) => error ** 2)) + FEW_SAY_LITTLE ** 2) / (errors.length + 1))
