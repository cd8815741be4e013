/**
 * Tries files of a draft until it is clear what all of them will come to, and says so after each of them. It begins when
 * somebody looks, and stops when nobody does: a forecast that is not read costs nothing.
 */
import { messageOf } from '../../node/errors.ts'
import type { Expected, Forecast } from '../../shared/model/forecast.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { chooseSamples, type SizedFile } from './choose-samples.ts'
import { doubted, isTooWide, scaled, sumOf, together } from './expected.ts'
import { extrapolation, type Measured } from './extrapolate.ts'

/** What a forecast is about. */
export type ForecastSubject = {
  readonly files: readonly SizedFile[]
  /** Changes with everything that results depend on: samples of another key say nothing. */
  readonly key: string
  /** Results of each file. */
  readonly variations: number
  /** Bytes of each result at the most, where the preset sets that for every kind of the files. */
  readonly maxBytes: Readonly<Partial<Record<MediaKind, number>>>
}

export type ForecasterOptions = {
  /** What is asked for now; undefined where there is nothing that could be tried. */
  readonly subject: () => ForecastSubject | undefined
  /** Processes the file and throws the result away. null where it can't be processed. Rejects when it was stopped. */
  readonly tryFile: (
    file: SizedFile,
    subject: ForecastSubject,
    signal: AbortSignal,
  ) => Promise<Measured | null>
  /** How many files of a kind the service works on at once. */
  readonly parallelism: (kind: MediaKind) => number
  readonly onChange: (forecast: Forecast | null) => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface Forecaster {
  look(isLooking: boolean): void
  /** The subject may be another one. */
  refresh(): void
  /** Of the subject as it is now, as far as it is known; null where there is none. */
  now(): Forecast | null
  /** Of some of its files, by what is known of all of them at this moment. */
  ofSome(): (some: readonly SizedFile[]) => Forecast | null
  /** Resolves when there is nothing left to try. */
  settled(): Promise<void>
  close(): void
}

/** Of each kind. */
const MOST_SAMPLES = 12
/** Where that many leave the size in doubt by more than `DOUBTFUL` to either side. */
const MOST_OF_DOUBTFUL = 20
const DOUBTFUL = 0.2
/** A range of so much to either side needs no more samples. */
const NARROW_ENOUGH = 0.1
/** So many times as long as in a trial a start may take: the first job of a service also waits for what the service loads. */
const SLOWEST_START = 4
/** Files that are made beside each other share memory and caches: each takes so much longer than alone. */
const BESIDE_OTHERS = 1.1
/** What else the computer does while the job runs, as a share of the time, nobody can know. */
const OTHER_WORK = 0.1
type Known = Extract<Forecast, { readonly kind: 'known' }> & { readonly milliseconds: Expected }

export function createForecaster(options: ForecasterOptions): Forecaster {
  const { onChange, log } = options
  let isLooking = false
  let isClosed = false
  let measuredFor = ''
  let measured = new Map<string, Measured>()
  let failed = new Set<string>()
  let under: { readonly controller: AbortController; readonly key: string } | undefined
  let trying: Promise<void> = Promise.resolve()
  let shown: Forecast | null = null

  function show(): void {
    const next = forecastOf(options.subject())
    if (JSON.stringify(next) === JSON.stringify(shown)) return
    shown = next
    onChange(next)
  }

  function forecastOf(subject: ForecastSubject | undefined): Forecast | null {
    if (subject === undefined || subject.files.length === 0) return null
    if (subject.key !== measuredFor) return { kind: 'unknown', why: 'counting' }
    return describe(subject, { measured, failed, parallelism: options.parallelism })
  }

  /** What has been measured with other settings is forgotten. */
  function turnTo(subject: ForecastSubject | undefined): void {
    const key = subject?.key ?? ''
    if (key !== measuredFor) {
      measuredFor = key
      measured = new Map()
      failed = new Set()
    }
    if (under !== undefined && under.key !== key) under.controller.abort()
  }

  async function tryAll(): Promise<void> {
    for (;;) {
      const subject = options.subject()
      turnTo(subject)
      show()
      const file = isLooking && !isClosed && subject ? nextFile(subject) : undefined
      if (subject === undefined || file === undefined) return
      await tryOne(file, subject)
    }
  }

  async function tryOne(file: SizedFile, subject: ForecastSubject): Promise<void> {
    const controller = new AbortController()
    under = { controller, key: subject.key }
    try {
      const found = await options.tryFile(file, subject, controller.signal)
      if (subject.key !== measuredFor) return
      if (found === null) failed.add(file.path)
      else measured.set(file.path, found)
    } catch (error) {
      if (!controller.signal.aborted) {
        failed.add(file.path)
        log('file not tried', { error: messageOf(error) })
      }
    } finally {
      under = undefined
    }
  }

  const nextFile = (subject: ForecastSubject): SizedFile | undefined =>
    filesToTry(subject, { measured, failed, parallelism: options.parallelism })[0]

  function begin(): void {
    trying = trying.then(tryAll).catch((error: unknown) => log('forecast', { error: messageOf(error) }))
  }

  return {
    look(next) {
      isLooking = next
      if (next) return begin()
      under?.controller.abort()
      if (shown === null) return
      // What stands there would be old when somebody looks again.
      shown = null
      onChange(null)
    },
    refresh() {
      if (!isLooking) return
      turnTo(options.subject())
      show()
      begin()
    },
    now: () => forecastOf(options.subject()),
    ofSome() {
      const subject = options.subject()
      if (subject === undefined || subject.key !== measuredFor) return () => null
      const reckonSome = reckoning(subject, { measured, failed, parallelism: options.parallelism })
      // Those that the preset is not for have no result.
      const kinds = new Set(subject.files.map(({ kind }) => kind))
      return (some) => {
        const known = reckonSome(some.filter(({ kind }) => kinds.has(kind)))
        return known === undefined || isTooWide(known.bytes) ? null : known
      }
    },
    async settled() {
      await trying
    },
    close() {
      isClosed = true
      under?.controller.abort()
    },
  }
}

type Tried = {
  readonly measured: ReadonlyMap<string, Measured>
  readonly failed: ReadonlySet<string>
  readonly parallelism: ForecasterOptions['parallelism']
}

function filesToTry(subject: ForecastSubject, tried: Tried): readonly SizedFile[] {
  const { measured, failed } = tried
  const known = reckon(subject, tried)
  if (
    known !== undefined &&
    isWithin(known.bytes, NARROW_ENOUGH) &&
    isWithin(known.milliseconds, Math.hypot(NARROW_ENOUGH, OTHER_WORK))
  )
    return []
  // Of what is too different to be said at all, a few more would change nothing.
  const isDoubtful = known !== undefined && !isWithin(known.bytes, DOUBTFUL) && !isTooWide(known.bytes)
  return chooseSamples(subject.files, isDoubtful ? MOST_OF_DOUBTFUL : MOST_SAMPLES).filter(
    ({ path }) => !measured.has(path) && !failed.has(path),
  )
}

/** @param share to either side of what is likely */
const isWithin = ({ low, likely, high }: Expected, share: number): boolean => high - low <= 2 * share * likely

function describe(subject: ForecastSubject, tried: Tried): Forecast {
  const known = reckon(subject, tried)
  const isGrowing = filesToTry(subject, tried).length > 0
  if (known === undefined) return { kind: 'unknown', why: isGrowing ? 'counting' : 'notProcessable' }
  if (isTooWide(known.bytes)) return { kind: 'unknown', why: isGrowing ? 'counting' : 'tooDifferent' }
  return { ...known, isGrowing }
}

const reckon = (subject: ForecastSubject, tried: Tried): Known | undefined =>
  reckoning(subject, tried)(subject.files)

/** Files that can't be processed have no result, and as many of the others won't have one either. */
function reckoning(
  { files, variations, maxBytes }: ForecastSubject,
  { measured, failed, parallelism }: Tried,
): (some: readonly SizedFile[]) => Known | undefined {
  const isUsable = ({ path }: SizedFile): boolean => !failed.has(path)
  const byKind = Map.groupBy(files.filter(isUsable), ({ kind }) => kind)
  const extrapolations = new Map([...byKind].map(([kind, all]) => [kind, extrapolation(all, measured)]))
  const start = startOf([...measured.values()])
  return (some) => {
    const parts = [...Map.groupBy(some.filter(isUsable), ({ kind }) => kind)].map(([kind, usable]) => {
      const most = maxBytes[kind]
      const atMost = most === undefined ? undefined : most * usable.length * variations
      const share = shareOfTime(usable.length * variations, parallelism(kind))
      return { found: extrapolations.get(kind)?.(usable), atMost, share }
    })
    if (parts.length === 0 || parts.some(({ found }) => found === undefined)) return undefined
    return {
      kind: 'known',
      inputBytes: sumOf(some.map(({ size }) => size)),
      bytes: together(parts.map(({ found, atMost = Infinity }) => scaled(found?.bytes, variations, atMost))),
      milliseconds: doubted(
        together([
          start,
          ...parts.map(({ found, share }) => scaled(found?.milliseconds, variations * share)),
        ]),
        OTHER_WORK,
      ),
      atMostBytes: sumIfAll(parts.map(({ atMost }) => atMost)),
      isGrowing: false,
    }
  }
}

/** Of the time that so many files take one after the other. */
function shareOfTime(files: number, parallelism: number): number {
  const rounds = Math.ceil(files / parallelism)
  return rounds === files ? 1 : (rounds / files) * BESIDE_OTHERS
}

/** How long a job's processes take to start; none has to where the job before it has left them running. */
function startOf(measured: readonly Measured[]): Expected {
  const likely = Math.max(0, ...measured.map(({ startMs = 0 }) => startMs))
  return { low: 0, likely, high: likely * SLOWEST_START }
}

const sumIfAll = (numbers: readonly (number | undefined)[]): number | null =>
  numbers.every((one) => one !== undefined) ? sumOf(numbers) : null
