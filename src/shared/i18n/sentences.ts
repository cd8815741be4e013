/** Sentences about jobs and their state: the second line of a row, and the same information elsewhere. */
import type { Events } from '../ipc/contract.ts'
import type { ConnectionView } from '../model/connection.ts'
import type { ClipboardNews } from '../model/clipboard-news.ts'
import { lostIn } from '../model/outcome.ts'
import { endOf, outcomeOfParts, plannedResults } from '../model/job-outcome.ts'
import type { Job, Outcome, PartAt, PartTitle, SubmissionState } from '../model/job.ts'
import type { HistoryQuery, TaskNames } from '../model/history-page.ts'
import { currentFileOf, filesSoFar, timeLeftOf } from '../model/job-progress.ts'
import { currentPart, hasEnded, jobOf, titleOf } from '../model/job-state.ts'
import { isQuietReason, type QuietWait } from '../model/quiet.ts'
import type { NoteCount } from '../result-notes.ts'
import type { ServiceError } from '../service-error.ts'
import { describeFailure, type FailureTranslation, type Reported } from './failures.ts'
import { areAllRestored, type ReplacedCounts } from '../model/replacement.ts'
import { activity, phaseWord } from './activity.ts'
import { contentCount } from './names.ts'
import { shownText } from '../paths.ts'
import {
  changedTaskOf,
  TASK_NAMES,
  type TaskName,
  taskOf,
  underSize,
  USUAL_MEGABYTES,
} from '../preset/task-names.ts'
import type { CommonTranslation, ViewTranslation, WindowTranslation } from './i18n.ts'
import type { LossCode } from '../loss/loss.ts'
import { lostResults } from '../loss/lost-counts.ts'
import { averageOf, isScore, type Quality } from '../quality/quality.ts'

/** Returns the name of a preset, or of a task in the user's language. */
export function presetName(preset: string | null, t: CommonTranslation): string {
  if (preset === null) return t.preset.basic
  const task = taskOf(preset)
  if (task !== undefined)
    return preset === task.name || task.megabytes === undefined
      ? taskName(task.name, t)
      : t.preset.under({ size: t.sizeIn(task.megabytes, 'MB') })
  const base = changedTaskOf(preset)
  return base === undefined ? preset : `${presetName(base, t)}${preset.slice(base.length)}`
}

/** Returns the name of a preset for use outside a sentence, where the basic defaults start with a capital letter. */
export const presetTitle = (preset: string | null, t: WindowTranslation): string =>
  preset === null ? t.phrases.basicDefaults : presetName(preset, t)

/** "Web 2048, Mail" */
export const presetTitles = (presets: readonly string[], t: WindowTranslation): string =>
  t.listed(presets.map((name) => presetName(name, t))) || presetTitle(null, t)

export function taskName(task: TaskName, t: CommonTranslation): string {
  const names = {
    'Make smaller': t.preset.makeSmaller,
    'For the web': t.preset.forTheWeb,
    'Under a size': t.preset.underASize,
    'Remove location': t.preset.removeLocation,
  } satisfies Readonly<Record<TaskName, string>>
  return names[task]
}

/** Adds the names of tasks in the user's language to a search. */
export const inLanguage = (query: HistoryQuery, t: CommonTranslation): HistoryQuery =>
  query.text === undefined ? query : { ...query, taskNames: taskNames(t) }

/** Returns each task's name, and for *Under a size* also the words around the size. */
const taskNames = (t: CommonTranslation): TaskNames =>
  TASK_NAMES.map((task) => {
    const preset = task === 'Under a size' ? underSize(USUAL_MEGABYTES) : task
    return { task, names: `${taskName(task, t)} ${presetName(preset, t)}`.replaceAll(/\p{N}/gu, '') }
  })

/** "Web 2048", "2 presets" */
export const presetsOf = ({ place, preset }: PartTitle, t: CommonTranslation): string =>
  place.presets > 1 ? t.count.presets({ count: place.presets }) : presetName(preset, t)

/**
 * "Resizing 7 of 24, about 2 min left", "Web 2048, 7 of 24", "Next, H.264 1080p", "2nd, 2 presets", "Processed, uploading to Drive"
 * @param part the part of the job that the line is about
 * @param more the text after the place of a queued job: the name of the preset, the number of presets, or where it waits
 */
export function jobLine(
  part: PartAt<'service'>,
  t: CommonTranslation,
  job: Job = jobOf([part]),
  more: string = presetName(part.preset, t),
): string {
  const { unreadable, held, stage } = part
  if (unreadable !== undefined) return t.stage.unreadable({ field: unreadable })
  if (held !== undefined) return heldLine(held, stage.kind === 'queued' ? null : filesSoFar(job), t)
  switch (stage.kind) {
    case 'queued': {
      const { position } = stage
      return t.listed([placeWords(job.turn ?? { place: position, isNext: position === 1 }, t), more])
    }
    case 'cancelling':
      return t.stage.cancelling
    case 'uploading':
      return t.stage.uploading
    case 'processing': {
      const left = timeLeftOf(job)
      const doing = part.place.presets > 1 ? presetLine(job, part, t) : activity(job, part, t)
      return left === null ? doing : t.listed([doing, t.timeLeft(left)])
    }
  }
}

/** "Next", "2nd" */
const placeWords = (
  { place, isNext }: Pick<NonNullable<Job['turn']>, 'place' | 'isNext'>,
  t: CommonTranslation,
): string => (isNext ? t.stage.next : t.stage.position({ position: t.ordinal(place) }))

/** "Web 2048, 7 of 24", "Mail, Encoding" */
function presetLine(job: Job, running: PartAt<'service'>, t: CommonTranslation): string {
  const at = currentFileOf(job, running)
  const doing = at === null ? phaseWord(running.progress.phase, t) : t.stage.fileCount(at)
  return t.listed([presetName(running.preset, t), doing])
}

/** "Waiting until 22:00", "Waiting for AC power", "Paused until 13:04" */
export function quietWords({ reason, until }: QuietWait, t: CommonTranslation): string {
  if (reason === 'paused') {
    return until === null ? t.waiting.paused : t.waiting.pausedUntil({ time: t.clockTime(until) })
  }
  if (reason === 'power') return t.waiting.power
  return reason === 'idle' || until === null ? t.waiting.idle : t.waiting.time({ time: t.clockTime(until) })
}

/** "Waiting until 22:00, 7 of 24 done" */
function heldLine(
  held: QuietWait,
  files: { readonly done: number; readonly all: number } | null,
  t: CommonTranslation,
): string {
  const waiting = quietWords(held, t)
  if (files === null || files.all < 2) return waiting
  return t.waiting.held({ waiting, done: files.done, count: files.all })
}

/** "3rd, Web 2048, 4 variations", "4th, sent when there’s room", "Waiting until 22:00" */
function waitingLine(
  { because, until, unsaved }: SubmissionState & { readonly kind: 'waiting' },
  variations: number,
  { turn, preset, isElsewhere }: LineContext,
  t: CommonTranslation,
): string {
  if (isQuietReason(because)) return quietWords({ reason: because, until: until ?? null }, t)
  if (because !== 'turn' && because !== 'queueFull') {
    if (unsaved?.code === 'presetUnknown') return t.waiting.preset(unsaved.values)
    const isDrive = unsaved?.code === 'cloudDriveSilent' || unsaved?.code === 'cloudDriveNotConnected'
    return isDrive ? t.waiting.drive : t.waiting[because]
  }
  const place = turn === null ? [] : [placeWords(turn, t)]
  if (isElsewhere && because === 'queueFull') return t.listed([...place, t.stage.whenRoom])
  const several = variations > 1 ? [t.count.variations({ count: variations })] : []
  return t.listed([...place, preset, ...several])
}

/** What the line of a submission shows about its job. */
type LineContext = Pick<Job, 'turn'> & {
  /** The name of the preset, or the number of presets. */
  readonly preset: string
  /** Whether the job's service isn't the built-in one. */
  readonly isElsewhere: boolean
}

/** "Next, Web 2048", "Waiting until 22:00", "Sending, 42%", "Refused: …" */
export function outboxLine(
  entry: PartAt<'outbox'>,
  t: CommonTranslation,
  context: LineContext = { turn: null, preset: presetName(entry.preset, t), isElsewhere: false },
): string {
  const { state } = entry
  switch (state.kind) {
    case 'waiting':
      return waitingLine(state, entry.variations, context, t)
    case 'sending':
      return state.upload === null || state.upload.total === 0
        ? t.stage.sending
        : t.stage.sendingShare({
            percent: t.percent(state.upload.sent / state.upload.total),
          })
    case 'refused':
      return withReason('refused', reasonWords(state.message, state, t), t)
    case 'unknown':
      return t.outcome.unknown
  }
}

/**
 * "Done with 2 problems", "Failed: the disk is full"
 * @param planned number of results if everything succeeds; null if unknown. A service may report more results than were planned
 */
export function outcomeWord(outcome: Outcome, planned: number | null, t: CommonTranslation): string {
  switch (outcome.kind) {
    case 'done':
      return t.outcome.done
    case 'problems':
      return t.outcome.problems({ count: outcome.problems })
    case 'failed':
      return withReason('failed', outcome.reason === '' ? '' : reasonWords(outcome.reason, outcome, t), t)
    case 'cancelled':
      return planned !== null && planned > 1 && outcome.results <= planned
        ? t.outcome.cancelledAfter({ done: outcome.results, count: planned })
        : t.outcome.cancelled
    case 'forgotten':
      return t.outcome.forgotten
  }
}

/** Like `outcomeWord`, but without the reason for a failure, so that more text can follow. */
export const outcomeTitle = (outcome: Outcome, planned: number | null, t: CommonTranslation): string =>
  outcome.kind === 'failed' ? t.outcome.failedPlain : outcomeWord(outcome, planned, t)

/** "41 photos, Web 2048", "1 photo, 8 variations", "Canceled after 2 of 6", "48 results, 2 presets", "Done with 2 problems, 2 presets" */
function endedLine(job: Job, outcome: Outcome, t: CommonTranslation): string {
  const { replaced } = endOf(job)
  const isUntouched = replaced !== null && replaced.replaced + replaced.restored === 0
  const isOver = outcome.kind === 'failed' || (outcome.kind === 'cancelled' && isUntouched)
  if (replaced !== null && !isOver) return replacedSentence(replaced, t)
  const title = titleOf(job)
  if (title.place.presets > 1) {
    const how = outcomeOfPresets(outcome, t)
    return outcome.kind === 'failed' || outcome.kind === 'forgotten'
      ? how
      : t.listed([how, presetsOf(title, t)])
  }
  if (outcome.kind !== 'done') return outcomeWord(outcome, plannedResults(title), t)
  const count = contentCount(title, t) ?? t.count.results({ count: outcome.results })
  const how =
    title.variations > 1 ? t.count.variations({ count: title.variations }) : presetName(title.preset, t)
  return t.listed([count, how])
}

/**
 * "2 lost something"; undefined if nothing is known to be lost.
 * @param fine losses that the user doesn't want listed
 */
export function lostWords(
  outcome: Outcome | null,
  t: CommonTranslation,
  fine: readonly LossCode[] = [],
): string | undefined {
  const count = lostResults(lostIn(outcome), fine)
  return count === 0 ? undefined : t.outcome.lost({ count })
}

/** Returns the outcome of several presets. Counts results, because the number of files would be misleading. */
function outcomeOfPresets(outcome: Outcome, t: CommonTranslation): string {
  if (outcome.kind === 'done') return t.count.results({ count: outcome.results })
  const word = outcomeWord(outcome, null, t)
  return outcome.kind === 'cancelled' && outcome.results > 0
    ? t.listed([word, t.count.results({ count: outcome.results })])
    : word
}

/**
 * Returns the second line of a job: "Web 2048, 7 of 24, about 6 min left", "2nd, 2 presets", "Next, at the service", "Refused: …"
 * @param isElsewhere whether the job's service isn't the built-in one
 */
export function lineOf(job: Job, t: CommonTranslation, isElsewhere = false): string {
  const outcome = outcomeOfParts(job.parts)
  if (outcome !== null) return endedLine(job, outcome, t)
  const part = currentPart(job)
  const preset = job.parts.some(hasEnded) ? presetName(part.preset, t) : presetsOf(titleOf(job), t)
  switch (part.at) {
    case 'outbox':
      return outboxLine(part, t, { turn: job.turn, preset, isElsewhere })
    case 'history':
      return t.stage.working
    case 'service':
      return jobLine(part, t, job, isElsewhere && job.turn !== null ? t.stage.atService : preset)
  }
}

/** "Connected, 127.0.0.1:3847", "The service isn’t running" */
export function connectionLine(connection: ConnectionView, t: CommonTranslation): string {
  const { state, address, kind } = connection
  switch (state.status) {
    case 'unconfigured':
      return t.connection.unconfigured
    case 'connecting':
      return t.connection.connecting
    case 'online':
      return kind === 'builtIn' ? t.connection.onlineBuiltIn : t.connection.online({ address })
    case 'keyRefused':
      return t.connection.keyRefused
    case 'wrongVersion':
      return t.connection.wrongVersion({ version: state.version })
    case 'offline':
      return state.reason === 'notTheService' ? t.offline.notTheService({ address }) : t.offline[state.reason]
  }
}

/** Describes a failure: what happened, what is safe and what to do. The window shows the service's own text below it. */
export function errorSentence(error: ServiceError, t: CommonTranslation): string {
  if (error.kind === 'badResponse') {
    return t.serviceError.badResponse({ route: error.route, field: error.field })
  }
  return t.serviceError[error.kind]
}

type StartingSoon = Omit<Extract<Events['toast'], { kind: 'startingSoon' }>, 'kind' | 'ids'>

/** "Starting 6 photos with Web 2048, 140 skipped" */
export function startingSentence(
  { photos, videos, presets, skipped, isReplacing = false }: StartingSoon,
  t: CommonTranslation,
): string {
  const kind = videos === 0 ? 'photos' : photos === 0 ? 'videos' : 'files'
  const starting = t.phrase.startingSoon({
    files: t.count[kind]({ count: photos + videos }),
    preset: t.listed(presets.map((name) => shownText(presetName(name, t)))) || t.preset.basic,
  })
  const whole = isReplacing ? t.phrase.withReplacing({ starting }) : starting
  return skipped === 0 ? whole : t.phrase.withSkipped({ starting: whole, count: skipped })
}

/** "4.1 MB → 612 kB with Web 2048", why the clipboard is unchanged, or whether it was restored. */
export function clipboardSentence(news: ClipboardNews, t: CommonTranslation): string {
  if (news.kind !== 'ready') return t.clipboard[news.kind]
  const preset = news.preset === null ? t.preset.basic : shownText(news.preset)
  return t.clipboard.sizes({ was: t.size(news.was), now: t.size(news.now), preset })
}

/** "2 originals were kept because the results wouldn’t have been smaller." */
export const noteSentence = ({ note, results }: NoteCount, t: ViewTranslation): string =>
  t.resultNotes[note]({ count: results })

/**
 * Returns a failure in the user's language; empty while the window hasn't loaded the texts of failures. Without a failure, returns the
 * service's own text as a quotation; empty if there is no text.
 */
export function reasonWords(text: string, { failure: known }: Reported, t: CommonTranslation): string {
  if (known === undefined) return text === '' ? '' : t.phrase.quoted({ text })
  return describesFailures(t) ? describeFailure(known, t) : ''
}

const describesFailures = (t: CommonTranslation): t is CommonTranslation & FailureTranslation =>
  t.failure !== undefined && t.failureReason !== undefined

const withReason = (outcome: 'failed' | 'refused', reason: string, t: CommonTranslation): string =>
  reason === '' ? t.outcome[`${outcome}Plain`] : t.outcome[outcome]({ reason })

/** "20 replaced, 3 kept, 1 restored", "21 restored, 3 kept" */
export function replacedSentence(counts: ReplacedCounts, t: CommonTranslation): string {
  const kinds = areAllRestored(counts)
    ? (['restored', 'kept'] as const)
    : (['replaced', 'kept', 'restored'] as const)
  const parts = kinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => t.originals[kind]({ count: counts[kind] }))
  return parts.length === 0 ? t.originals.replaced({ count: 0 }) : t.listed(parts)
}

/** "Quality 84 on average." Returns undefined if nothing was measured. */
export function qualitySentence(
  results: Parameters<typeof averageOf>[0],
  t: Pick<ViewTranslation, 'quality' | 'number'>,
): string | undefined {
  const average = averageOf(results)
  if (average === undefined) return undefined
  const score = t.number(average.score)
  const all = results.filter(({ quality }) => quality === undefined || isScore(quality)).length
  if (all === 1) return t.quality.ofOne({ score })
  if (average.measured === all) return t.quality.onAverage({ score })
  return t.quality.ofMeasured({ score, measured: average.measured, all })
}

/** "Kept, because the quality would be 61, below 70". Returns undefined for other results. */
export function keptBelow(
  quality: Quality | undefined,
  t: Pick<ViewTranslation, 'quality' | 'number'>,
): string | undefined {
  if (typeof quality !== 'object' || quality.below === undefined) return undefined
  return t.quality.keptBelow({ score: t.number(quality.score), below: t.number(quality.below) })
}
