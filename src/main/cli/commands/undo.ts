import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { notReplacedAgain, notRestored } from '../../../shared/failure/not-restored.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import type { Replacement, Restored } from '../../../shared/model/replacement.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import { type Line, type OriginalsInFolder, recordsInto } from '../../core/index.ts'
import { namesPath, type FinishedSwap } from '../../vault/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { combinedExitCode } from '../exit-code.ts'
import { endWith, notice } from '../output/events.ts'
import { t } from '../output/language.ts'

type Chosen = {
  /** ID of a record, or path of a file or folder. */
  readonly of: string
  /** Paths of originals, of the files that replaced them, or of folders; empty for all. */
  readonly files: readonly string[]
}

/** `from` and `to` are the states of an original before and after the change. */
const UNDO = {
  event: 'restored',
  from: 'replaced',
  to: 'restored',
  change: ({ replacing }: Line) => replacing.undo,
  failure: notRestored,
  get words() {
    return t().undo
  },
} as const
const REDO = {
  event: 'replacedAgain',
  from: 'restored',
  to: 'replaced',
  change: ({ replacing }: Line) => replacing.redo,
  failure: notReplacedAgain,
  get words() {
    return t().redo
  },
} as const
type Direction = typeof UNDO | typeof REDO

/** How many files to change in one group. Ctrl-C takes effect between groups. */
const AT_ONCE = 20

const changing =
  (direction: Direction): CliCommand<Chosen> =>
  async (context, options) => {
    const code = await change(context, direction, options)
    if (direction === UNDO) await sayWaiting(context, options)
    return code
  }

const change = async (context: Context, direction: Direction, { of, files }: Chosen): Promise<ExitCode> => {
  const { report, environment, line } = context
  const path = resolve(environment.cwd, of)
  const finished = (await line.replacing.recover(path)).filter(({ became }) => became === direction.to)
  const record = line.history.details(asRecordId(of))
  if (record !== undefined) return changeRecord(context, direction, record, files, finished)
  const isNamed = await namesPath(path)
  const ended = await filtered(finished, async ({ file }) => isNamed(file.path))
  const expired = await line.replacing.expiredIn(path, direction.from)
  const codes = [...sayFinished(context, direction, ended), ...sayExpired(context, direction, expired.length)]
  const found = await line.replacing.inFolder(path, direction.from)
  if (found.length === 0) {
    if (codes.length > 0) return combinedExitCode(codes)
    const there = await line.replacing.inFolder(path, direction.to)
    if (there.length > 0) return sayAlready(context, direction, there)
    const isPath = /[/\\]/.test(of) || existsSync(path)
    return endWith(report, isPath ? direction.words.nothingIn({ path }) : t().answers.noRecord({ id: of }))
  }
  if (files.length > 0) return endWith(report, t().undo.filesAfterRecord, EXIT.usage)
  codes.push(...(await changeAll(context, direction, found)))
  return combinedExitCode(codes)
}

/**
 * Reports originals that are still waiting to be replaced, for example because the disk was full. Users don't expect further replacements
 * after an undo.
 */
async function sayWaiting(
  { report, environment, line: { replacing, outbox } }: Context,
  { of, files }: Chosen,
): Promise<void> {
  const named = files.length > 0 ? files : [of]
  const tests = await Promise.all(named.map((one) => namesPath(resolve(environment.cwd, one))))
  for (const record of replacing.pending()) {
    // The originals of a canceled job stay as they are.
    if (outbox.cancelRequests.has(record.id)) continue
    const waiting = replacing.of(record).filter(({ state }) => state.kind === 'waiting')
    const isWhole = files.length === 0 && record.id === of
    const meant = isWhole
      ? waiting
      : await filtered(waiting, async ({ path }) =>
          (await Promise.all(tests.map((test) => test(path)))).includes(true),
        )
    if (meant.length > 0) report.say(notice(t().undo.waiting({ id: record.id, count: meant.length })))
  }
}

export const undo = changing(UNDO)
export const redo = changing(REDO)

async function changeRecord(
  context: Context,
  direction: Direction,
  record: PartDetails,
  files: readonly string[],
  finished: readonly FinishedSwap[],
): Promise<ExitCode> {
  const { report } = context
  const all = context.line.replacing.of(record)
  if (all.length === 0) {
    // If the history knows of replaced originals, the journal has lost their entries.
    const isLost = record.replaced !== null && record.replaced.replaced + record.replaced.restored > 0
    return endWith(report, isLost ? t().undo.lost : t().undo.notReplaced)
  }
  const { chosen, codes } = await chosenFrom(context, all, files)
  const ended = finished.filter(({ file }) => chosen.some(({ path }) => path === file.path))
  codes.push(...sayFinished(context, direction, ended))
  // Once all originals of a job have been replaced or kept, an original has the state `waiting` only while the app or another command
  // restores it or replaces it again.
  const isChanging = ({ state }: Replacement) => state.kind === 'waiting' && record.replaced !== null
  const paths = chosen
    .filter((one) => one.state.kind === direction.from || isChanging(one))
    .map(({ path }) => path)
  const expired = chosen.filter(({ state }) => state.kind === 'expired' && state.was === direction.from)
  codes.push(...sayExpired(context, direction, expired.length))
  if (paths.length > 0) {
    const job = { id: record.id, job: record, paths }
    return combinedExitCode([...codes, ...(await changeAll(context, direction, [job]))])
  }
  if (chosen.length === expired.length || ended.length > 0) return combinedExitCode(codes)
  const isThere = chosen.every(
    ({ state }) => state.kind === direction.to || (state.kind === 'expired' && state.was === direction.to),
  )
  if (isThere) {
    const job = { id: record.id, job: record, paths: chosen.map(({ path }) => path) }
    return combinedExitCode([...codes, await sayAlready(context, direction, [job])])
  }
  return combinedExitCode([...codes, endWith(report, direction.words.nothing)])
}

const sayExpired = ({ report }: Context, direction: Direction, count: number): readonly ExitCode[] =>
  count === 0 ? [] : [endWith(report, direction.words.expired({ count }))]

/** Reports that the originals are already as requested, or which other data folder has changed them. */
async function sayAlready(
  context: Context,
  direction: Direction,
  jobs: readonly OriginalsInFolder[],
): Promise<ExitCode> {
  const codes: ExitCode[] = []
  for (const { id, job, paths } of jobs)
    codes.push(...sayChanged(context, id, direction, await direction.change(context.line)(job, paths)))
  if (codes.length === 0) context.report.say(notice(direction.words.already))
  return combinedExitCode(codes)
}

/** Reports the files whose interrupted undo or redo is now finished. Returns an exit code for each. */
const sayFinished = (
  context: Context,
  direction: Direction,
  ended: readonly FinishedSwap[],
): readonly ExitCode[] =>
  ended.flatMap(({ output, file }) =>
    sayChanged(context, recordsInto(context.line.history, output).get(file.path) ?? null, direction, [file]),
  )

async function changeAll(
  context: Context,
  direction: Direction,
  jobs: readonly OriginalsInFolder[],
): Promise<readonly ExitCode[]> {
  // Originals are restored in groups. Those in later groups must not expire if this command is killed.
  if (direction === UNDO) for (const { job, paths } of jobs) context.line.replacing.retain(job, paths)
  const codes: ExitCode[] = []
  for (const one of jobs) codes.push(...(await changeOriginals(context, direction, one)))
  return codes
}

async function changeOriginals(
  context: Context,
  direction: Direction,
  { id, job, paths }: OriginalsInFolder,
): Promise<readonly ExitCode[]> {
  const codes: ExitCode[] = []
  let left = paths
  while (left.length > 0) {
    if (context.environment.interrupted.aborted) return [...codes, EXIT.interrupted]
    const some = left.slice(0, AT_ONCE)
    const changed = await direction.change(context.line)(job, some)
    const others = some.filter((path) => changed.every((one) => one.path !== path))
    const all = [...changed, ...changedByOthers(context.line.replacing.of(job), others, direction)]
    codes.push(...sayChanged(context, id, direction, all))
    // The owner is shutting down, and leaves the remaining originals as they are.
    if (all.length === 0) return [...codes, EXIT.failed]
    left = left.filter((path) => all.every((one) => one.path !== path))
  }
  return codes
}

/** Returns the originals that another command has just restored or replaced again. */
const changedByOthers = (
  now: readonly Replacement[],
  paths: readonly string[],
  { to }: Direction,
): readonly Restored[] =>
  now.flatMap(({ path, state }) =>
    state.kind === to && paths.includes(path)
      ? [{ path, kind: 'restored', place: state.place } as const]
      : [],
  )

/**
 * Finds the job's originals that the user named: by the originals' paths or, if none matches, by the current paths of the originals or of
 * the files that replaced them. Follows links. A folder stands for all originals in it. Reports paths without any of the job's originals.
 */
async function chosenFrom(
  { report, environment }: Context,
  all: readonly Replacement[],
  files: readonly string[],
): Promise<{ readonly chosen: readonly Replacement[]; readonly codes: ExitCode[] }> {
  if (files.length === 0) return { chosen: all, codes: [] }
  const chosen = new Set<Replacement>()
  const codes: ExitCode[] = []
  for (const file of files) {
    const path = resolve(environment.cwd, file)
    const isNamed = await namesPath(path)
    const byPath = await filtered(all, (one) => isNamed(one.path))
    const byPlace = async ({ state }: Replacement) => {
      const place = placeOf(state)
      return place !== null && isNamed(place)
    }
    const found = byPath.length > 0 ? byPath : await filtered(all, byPlace)
    for (const one of found) chosen.add(one)
    if (found.length === 0) {
      report.say(notice(t().undo.notOfRecord({ path })))
      codes.push(EXIT.failed)
    }
  }
  return { chosen: [...chosen], codes }
}

async function filtered<T>(all: readonly T[], isMeant: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const are = await Promise.all(all.map(isMeant))
  return all.filter((_, index) => are[index])
}

const placeOf = (state: Replacement['state']): string | null => ('place' in state ? state.place : null)

const sayChanged = (
  { report }: Context,
  id: RecordId | null,
  { event, failure }: Direction,
  changed: readonly Restored[],
): readonly ExitCode[] =>
  changed.map((file) => {
    report.say({ event, id, file, failure: file.kind === 'failed' ? failure(file) : null })
    return file.kind === 'failed' ? EXIT.failed : EXIT.done
  })
