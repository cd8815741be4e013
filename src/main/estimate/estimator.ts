/**
 * Processes samples of a draft until the estimate is precise enough, and updates the estimate after each sample. Runs only while
 * the user can see the estimate.
 */
import { sumOf } from '../../shared/sum.ts'
import type { Log } from '../../node/log.ts'
import { messageOf } from '../../node/errors.ts'
import type { EstimateRange, Estimate } from '../../shared/model/estimate.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { type EncoderFields, shareOfVideoTime, videosAtOnce } from '../../shared/video-cores.ts'
import { createChooser, keyOf, type SizedFile } from './choose-samples.ts'
import { widenRange, isTooWide, scaleRange, sumIfAll, addRanges } from './ranges.ts'
import { extrapolation, type Measurement } from './extrapolate.ts'

/** The files to estimate, and the settings that apply. */
export type EstimateInput = {
  readonly files: readonly SizedFile[]
  /** Identifies all settings that affect results. Measurements with a different key don't apply. */
  readonly key: string
  /** Number of results per file. */
  readonly variations: number
  /** The preset's part for videos, which determines how many are processed in parallel. */
  readonly video: EncoderFields | undefined
  /** Maximum size of a result in bytes, for each kind whose preset sets one. */
  readonly maxBytes: Readonly<Partial<Record<MediaKind, number>>>
  /** The kinds whose results are never larger than their originals. */
  readonly neverLarger: readonly MediaKind[]
}

export type Estimator = ReturnType<typeof createEstimator>

/** Maximum number of samples per kind. */
const MOST_SAMPLES = 12
/** Maximum number of samples per kind while the size range is wider than ± `DOUBTFUL`. */
const MOST_SAMPLES_IF_DOUBTFUL = 20
const DOUBTFUL = 0.2
/** Maximum width of a precise range to either side, as a fraction. Once it is reached, no more samples are needed. */
const NARROW_ENOUGH = 0.1
/** Maximum startup time of a job, as a multiple of a trial's: the service itself has to load for the first job. */
const SLOWEST_START = 4
/** Factor by which each file takes longer if files are processed in parallel, because they share memory and caches. */
const PARALLEL_SLOWDOWN = 1.1
/** Relative uncertainty of the time estimate due to other load on the computer (0..1). */
const OTHER_LOAD = 0.1
type KnownEstimate = Extract<Estimate, { readonly kind: 'known' }> & { readonly milliseconds: EstimateRange }

export function createEstimator(options: {
  /** Returns what to estimate now; undefined if nothing can be sampled. */
  readonly input: () => EstimateInput | undefined
  /**
   * Processes a file and discards the result. Resolves to null if the file can't be processed. Rejects if processing was stopped, or its
   * process ended, which says nothing about the file.
   */
  readonly measureFile: (file: SizedFile, signal: AbortSignal) => Promise<Measurement | null>
  /** How many cores the service uses. */
  readonly cores: number
  readonly onChange: (estimate: Estimate | null) => void
  readonly log: Log
}) {
  const { onChange, cores, log } = options
  let isVisible = false
  let isClosed = false
  let measuredKey = ''
  let measured = new Map<string, Measurement>()
  let failed = new Set<string>()
  /** Samples whose process ended. They count like files that aren't sampled. */
  let interrupted = new Set<string>()
  const choose = createChooser()
  let current: { readonly controller: AbortController; readonly key: string } | undefined
  let running: Promise<void> = Promise.resolve()
  let shown: Estimate | null = null

  function show(): void {
    const next = estimateOf(options.input())
    if (JSON.stringify(next) === JSON.stringify(shown)) return
    shown = next
    onChange(next)
  }

  function estimateOf(input: EstimateInput | undefined): Estimate | null {
    if (input === undefined || input.files.length === 0) return null
    if (input.key !== measuredKey) return { kind: 'unknown', why: 'counting' }
    return describeEstimate(input, { measured, failed, interrupted, cores, choose })
  }

  /** Discards measurements that were made with other settings, and stops a sample that is being processed with them. */
  function discardOutdated(input: EstimateInput | undefined): void {
    const key = input?.key ?? ''
    if (key !== measuredKey) {
      measuredKey = key
      measured = new Map()
      failed = new Set()
      interrupted = new Set()
    }
    if (current !== undefined && current.key !== key) current.controller.abort()
  }

  async function processSamples(): Promise<void> {
    for (;;) {
      const input = options.input()
      discardOutdated(input)
      show()
      const file = isVisible && !isClosed && input ? nextFile(input) : undefined
      if (input === undefined || file === undefined) return
      await processSample(file, input)
    }
  }

  async function processSample(file: SizedFile, input: EstimateInput): Promise<void> {
    const controller = new AbortController()
    current = { controller, key: input.key }
    try {
      const found = await options.measureFile(file, controller.signal)
      if (input.key !== measuredKey) return
      if (found === null) failed.add(keyOf(file))
      else measured.set(keyOf(file), found)
    } catch (error) {
      if (!controller.signal.aborted) {
        interrupted.add(keyOf(file))
        log('sample not processed', { error: messageOf(error) })
      }
    } finally {
      current = undefined
    }
  }

  const nextFile = (input: EstimateInput): SizedFile | undefined =>
    remainingSamples(input, { measured, failed, interrupted, cores, choose })[0]

  function begin(): void {
    running = running
      .then(processSamples)
      .catch((error: unknown) => log('estimate', { error: messageOf(error) }))
  }

  return {
    setVisible(next: boolean): void {
      isVisible = next
      if (next) return begin()
      current?.controller.abort()
      if (shown === null) return
      // The estimate would be outdated when it becomes visible again.
      shown = null
      onChange(null)
    },
    /** Call this when the input may have changed. */
    refresh(): void {
      if (!isVisible) return
      discardOutdated(options.input())
      show()
      begin()
    },
    /** Returns the current estimate; null if there is nothing to estimate. */
    now: (): Estimate | null => estimateOf(options.input()),
    /** Creates a function that estimates a subset of the files from the current measurements, or returns null if they aren't sufficient. */
    forSubset(): (some: readonly SizedFile[]) => Estimate | null {
      const input = options.input()
      if (input === undefined || input.key !== measuredKey) return () => null
      const estimateSome = subsetEstimator(input, { measured, failed, interrupted, cores, choose })
      // Files to which the preset doesn't apply have no result.
      const kinds = new Set(input.files.map(({ kind }) => kind))
      return (some) => {
        const known = estimateSome(some.filter(({ kind }) => kinds.has(kind)))
        return known === undefined || isTooWide(known.bytes) ? null : known
      }
    },
    /** Resolves when there is nothing left to sample. */
    async whenIdle(): Promise<void> {
      await running
    },
    close(): void {
      isClosed = true
      current?.controller.abort()
    },
  }
}

type SampleResults = {
  readonly measured: ReadonlyMap<string, Measurement>
  readonly failed: ReadonlySet<string>
  readonly interrupted: ReadonlySet<string>
  readonly cores: number
  readonly choose: ReturnType<typeof createChooser>
}

function remainingSamples(input: EstimateInput, results: SampleResults): readonly SizedFile[] {
  const { measured, failed, interrupted, choose } = results
  const known = estimate(input, results)
  if (
    known !== undefined &&
    isWithin(known.bytes, NARROW_ENOUGH) &&
    isWithin(known.milliseconds, Math.hypot(NARROW_ENOUGH, OTHER_LOAD))
  )
    return []
  // If the results differ too much for any estimate, a few more samples wouldn't help.
  const isDoubtful = known !== undefined && !isWithin(known.bytes, DOUBTFUL) && !isTooWide(known.bytes)
  const tried = [measured, failed, interrupted]
  return choose(input.files, isDoubtful ? MOST_SAMPLES_IF_DOUBTFUL : MOST_SAMPLES).filter(
    (file) => !tried.some((some) => some.has(keyOf(file))),
  )
}

/** @param share allowed deviation to either side, as a fraction */
const isWithin = ({ low, likely, high }: EstimateRange, share: number): boolean =>
  high - low <= 2 * share * likely

function describeEstimate(input: EstimateInput, results: SampleResults): Estimate {
  const known = estimate(input, results)
  const isGrowing = remainingSamples(input, results).length > 0
  if (known === undefined) return { kind: 'unknown', why: isGrowing ? 'counting' : 'notProcessable' }
  if (isTooWide(known.bytes)) return { kind: 'unknown', why: isGrowing ? 'counting' : 'tooDifferent' }
  return { ...known, isGrowing }
}

const estimate = (input: EstimateInput, results: SampleResults): KnownEstimate | undefined =>
  subsetEstimator(input, results)(input.files)

/**
 * Creates a function that estimates some of the files. Files that failed have no result. Files that haven't been sampled are assumed to
 * succeed.
 */
function subsetEstimator(
  input: EstimateInput,
  { measured, failed, cores }: SampleResults,
): (some: readonly SizedFile[]) => KnownEstimate | undefined {
  const { files, variations, maxBytes, video } = input
  const isUsable = (file: SizedFile): boolean => !failed.has(keyOf(file))
  const byKind = Map.groupBy(files.filter(isUsable), ({ kind }) => kind)
  const extrapolations = new Map([...byKind].map(([kind, all]) => [kind, extrapolation(all, measured)]))
  const start = startOf([...measured.values()])
  const videos = byKind.get('video')?.flatMap((file) => measured.get(keyOf(file)) ?? []) ?? []
  return (some) => {
    const parts = [...Map.groupBy(some.filter(isUsable), ({ kind }) => kind)].map(([kind, usable]) => {
      const most = sumOf(usable.map((file) => largestResult(file, input))) * variations
      const atMost = maxBytes[kind] === undefined ? undefined : most
      const results = usable.length * variations
      const share =
        kind === 'image'
          ? shareOfPhotoTime(results, Math.max(1, cores))
          : meanShareOfVideoTime(results, videos, (pixels) => video && videosAtOnce(cores, video, pixels))
      return { found: extrapolations.get(kind)?.(usable), most, atMost, share }
    })
    if (parts.length === 0 || parts.some(({ found }) => found === undefined)) return undefined
    return {
      kind: 'known',
      inputBytes: sumOf(some.map(({ size }) => size)),
      bytes: addRanges(parts.map(({ found, most }) => scaleRange(found?.bytes, variations, most))),
      milliseconds: widenRange(
        addRanges([
          start,
          ...parts.map(({ found, share }) => scaleRange(found?.milliseconds, variations * share)),
        ]),
        OTHER_LOAD,
      ),
      atMostBytes: sumIfAll(parts.map(({ atMost }) => atMost)),
      isGrowing: false,
    }
  }
}

/** Returns the upper limit for the size of a file's result; Infinity if there is none. */
const largestResult = ({ kind, size }: SizedFile, { maxBytes, neverLarger }: EstimateInput): number =>
  Math.min(maxBytes[kind] ?? Infinity, neverLarger.includes(kind) ? size : Infinity)

/** Returns how long photos take in parallel, one on each core, as a fraction of their time one after another. */
function shareOfPhotoTime(files: number, parallelism: number): number {
  const rounds = Math.ceil(files / parallelism)
  return rounds === files ? 1 : (rounds / files) * PARALLEL_SLOWDOWN
}

/**
 * Returns how long videos take in parallel, as a fraction of their time one after another. The samples represent the dimensions of all.
 * @param atOnce returns how many videos of these dimensions are processed in parallel
 */
function meanShareOfVideoTime(
  results: number,
  samples: readonly Measurement[],
  atOnce: (pixels: number | undefined) => number | undefined,
): number {
  const alone = sumOf(samples.map(({ milliseconds }) => milliseconds))
  const together = samples.map(
    ({ milliseconds, pixels }) => milliseconds * shareOfVideoTime(results, atOnce(pixels) ?? 1),
  )
  return alone === 0 ? 1 : sumOf(together) / alone
}

/**
 * Estimates how long the processes take to start. The lower bound is 0 because they may still be running from the previous job.
 */
function startOf(measured: readonly Measurement[]): EstimateRange {
  const likely = Math.max(0, ...measured.map(({ startMs = 0 }) => startMs))
  return { low: 0, likely, high: likely * SLOWEST_START }
}
