/** Texts, buttons and click targets of notifications. notifier.ts decides whether and when to show them. */
import type { Outcome, PartDetails, PartTitle } from '../../../shared/model/job.ts'
import { jobOfDetails } from '../../../shared/model/job-state.ts'
import { expectedResults, resultsIn } from '../../../shared/model/job-outcome.ts'
import { lostIn } from '../../../shared/model/outcome.ts'
import type { ReplacedCounts } from '../../../shared/model/replacement.ts'
import { fineLossesIn } from '../../../shared/loss/fine-losses.ts'
import type { Settings } from '../../../shared/model/settings.ts'
import { failure } from '../../../shared/failure/failure.ts'
import { baseName, shownText } from '../../../shared/paths.ts'
import type { WatchTrouble } from '../../watch/index.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { shortPath, jobName } from '../../../shared/i18n/names.ts'
import { describeFailure } from '../../../shared/i18n/failures.ts'
import { lostCodes } from '../../../shared/loss/lost-counts.ts'
import { lossKinds } from '../../../shared/i18n/losses.ts'
import {
  lostWords,
  presetName,
  reasonWords,
  replacedSentence,
  startingSentence,
} from '../../../shared/i18n/sentences.ts'
import type { PickProblem, StartingSoon } from '../launch/quick-drop.ts'
import type { ServiceInUse } from '../services-in-use.ts'
import type { UserAction } from '../user-action.ts'

export type NotificationView = {
  /** The setting that turns this notification off; null if it is always shown. */
  readonly choice: keyof Settings['notifications'] | null
  readonly title: string
  readonly body: string
  readonly click: UserAction
  /** Ignored on platforms without notification buttons. */
  readonly buttons: readonly { readonly label: string; readonly action: UserAction }[]
}

export type ViewContext = {
  readonly t: Translation
  readonly homeFolder: string
  readonly settings: Pick<Settings, 'fineLosses'>
}

/** Returns undefined for an unfinished, canceled or forgotten job, or another client's job. */
export function finishedNotification(
  record: PartDetails,
  context: ViewContext,
): NotificationView | undefined {
  const { outcome } = record
  if (outcome === null || record.origin === 'other') return undefined
  if (record.replaced !== null && (outcome.kind === 'done' || outcome.kind === 'problems'))
    return originalsReplaced(record, record.replaced, context)
  const toDrive = record.output?.kind === 'drive'
  switch (outcome.kind) {
    case 'done':
      return toDrive ? inDrive(record, outcome.uploaded, context) : ready(record, outcome.results, context)
    case 'problems':
      return toDrive && outcome.uploaded !== null
        ? notInDrive(record, outcome.uploaded, context)
        : readyWithProblems(record, outcome, context)
    case 'failed':
      return toDrive && record.results.length > 0
        ? notInDrive(record, null, context)
        : failed(record, outcome, context)
    case 'cancelled':
    case 'forgotten':
      return undefined
  }
}

type Kind = 'photos' | 'videos' | 'files'

function kindOf({ photos, videos, files }: PartTitle): Kind {
  if (files !== null && photos === files) return 'photos'
  return files !== null && videos === files ? 'videos' : 'files'
}

const OF_READY = {
  photos: 'ofPhotosReady',
  videos: 'ofVideosReady',
  files: 'ofFilesReady',
} as const

const details = ({ id }: PartDetails): UserAction => ({ do: 'showRecord', id })

const showInFolder = ({ id }: PartDetails, t: Translation) => ({
  label: t.notification.showInFolder,
  action: { do: 'reveal', id } as const,
})

function place(record: PartDetails, { t, homeFolder }: ViewContext): string {
  const name = jobName(record, t)
  return record.output?.kind === 'folder' && record.place.folders === 1
    ? t.notification.inFolder({ name, folder: shortPath(record.output.path, homeFolder) })
    : name
}

const hasSeveralPresets = ({ place: { presets } }: PartDetails): boolean => presets > 1

/** Adds "2 lost something: pages and HDR." */
function withLosses(body: string, record: PartDetails, { t, settings }: ViewContext): string {
  const fine = fineLossesIn(settings, record)
  const words = lostWords(record.outcome, t, fine)
  if (words === undefined) return body
  return t.notification.withLosses({
    body,
    lost: words,
    kinds: lossKinds(lostCodes(lostIn(record.outcome), fine), t),
  })
}

function ready(record: PartDetails, results: number, context: ViewContext): NotificationView {
  const { t } = context
  const what = hasSeveralPresets(record) ? 'results' : kindOf(record)
  return {
    choice: 'done',
    title: t.notification[`${what}Ready`]({ count: results }),
    body: withLosses(place(record, context), record, context),
    click: details(record),
    buttons: [showInFolder(record, t)],
  }
}

/** Returns "20 replaced, 3 kept", with a button that restores the originals if any were replaced. */
function originalsReplaced(
  record: PartDetails,
  counts: ReplacedCounts,
  { t }: ViewContext,
): NotificationView {
  return {
    choice: record.outcome?.kind === 'problems' ? 'problems' : 'done',
    title: replacedSentence(counts, t),
    body:
      counts.replaced === 0
        ? jobName(record, t)
        : t.notification.originalsInVault({ name: jobName(record, t) }),
    click: details(record),
    buttons:
      counts.replaced === 0
        ? []
        : [{ label: t.notification.undo, action: { do: 'restoreOriginals', id: record.id } }],
  }
}

const NAMES_SHOWN = 3

function problemNames(record: PartDetails, t: Translation): string {
  const names = [...new Set(record.problems.map(({ file }) => baseName(file)).filter((name) => name !== ''))]
  const shown = names.slice(0, NAMES_SHOWN)
  return t.listed(names.length > NAMES_SHOWN ? [...shown, '…'] : shown)
}

/** Names the first files with problems, each once. */
function notProcessed(record: PartDetails, context: ViewContext): string {
  const names = problemNames(record, context.t)
  if (names === '') return place(record, context)
  const count = new Set(record.problems.map(({ file }) => file)).size
  return context.t.notification.notProcessed({ count, names })
}

function readyWithProblems(
  record: PartDetails,
  outcome: { readonly results: number; readonly problems: number },
  context: ViewContext,
): NotificationView {
  const { t } = context
  const expected = expectedResults(jobOfDetails(record)) ?? outcome.results + outcome.problems
  const title = hasSeveralPresets(record) ? 'ofResultsReady' : OF_READY[kindOf(record)]
  return {
    choice: 'problems',
    title: t.notification[title]({ done: outcome.results, count: expected }),
    body: notProcessed(record, context),
    click: details(record),
    buttons: [
      { label: t.notification.retry, action: { do: 'retry', id: record.id } },
      showInFolder(record, t),
    ],
  }
}

function failed(
  record: PartDetails,
  outcome: Extract<Outcome, { kind: 'failed' }>,
  { t }: ViewContext,
): NotificationView {
  const sentence = asSentence(reasonWords(outcome.reason.trim(), outcome, t), t)
  return {
    choice: 'failed',
    title: t.notification.failed({ name: jobName(record, t) }),
    body: t.notification[(record.files ?? 1) > 1 ? 'unchangedMany' : 'unchanged']({
      reason: sentence,
    }).trim(),
    click: details(record),
    buttons: [{ label: t.notification.tryAgain, action: { do: 'runAgain', id: record.id } }],
  }
}

function asSentence(reason: string, t: Translation): string {
  const trimmed = reason.trim()
  if (trimmed === '') return ''
  return t.sentence(trimmed.charAt(0).toLocaleUpperCase(t.locale) + trimmed.slice(1))
}

function inDrive(record: PartDetails, uploaded: number | null, context: ViewContext): NotificationView {
  const { t } = context
  const name = jobName(record, t)
  const began = record.facts.startedAt
  return {
    choice: 'drive',
    title: t.notification[`${kindOf(record)}InDrive`]({ count: uploaded ?? record.results.length }),
    body:
      began === null || record.endedAt === null
        ? name
        : t.notification.uploadedIn({ name, time: t.duration(record.endedAt - began) }),
    click: details(record),
    buttons: [],
  }
}

function notInDrive(record: PartDetails, uploaded: number | null, { t }: ViewContext): NotificationView {
  const total = record.results.length
  const { serviceText, serviceFailure } = record.facts
  const last = serviceText === null ? record.problems.at(-1) : { error: serviceText, failure: serviceFailure }
  const reason = asSentence(last === undefined ? '' : reasonWords(last.error, last, t), t)
  return {
    choice: 'drive',
    title: t.notification.uploadFailed,
    body:
      uploaded === null || total <= uploaded
        ? t.notification.notInDrivePlain({ reason })
        : t.notification.notInDrive({ missing: total - uploaded, count: total, reason }),
    click: details(record),
    buttons: [],
  }
}

export function keyRejectedNotification(service: ServiceInUse, { t }: ViewContext): NotificationView {
  const waiting = service.waiting()
  return {
    choice: 'service',
    title: service.named(t.notification.keyRejected),
    body:
      waiting === 0 ? t.notification.keyRejectedBody : t.notification.keyRejectedWaiting({ count: waiting }),
    click: { do: service.isMain ? 'enterKey' : 'settings' },
    buttons: [],
  }
}

export function notRunningNotification(service: ServiceInUse, { t }: ViewContext): NotificationView {
  return {
    choice: 'service',
    title: service.named(t.notification.notRunning),
    body: t.notification.notRunningBody({ count: service.waiting() }),
    click: { do: 'open' },
    buttons: [],
  }
}

/** Reports files that were released from the vault. Always shown, because they have appeared in the user's folders. */
export function releasedNotification(
  places: readonly string[],
  { t, homeFolder }: ViewContext,
): NotificationView {
  const [first = ''] = places
  const texts = t.notification
  return {
    choice: null,
    title: texts.released({ count: places.length }),
    body: texts.releasedBody({ count: places.length, file: shortPath(first, homeFolder) }),
    click: { do: 'settings' },
    buttons: [],
  }
}

export function watchNotification(trouble: WatchTrouble, { t, homeFolder }: ViewContext): NotificationView {
  const folder = shortPath(trouble.folder.path, homeFolder)
  const { notification: texts } = t
  switch (trouble.kind) {
    case 'unreadable':
      return watchView(texts.watchUnreadable, texts.watchUnreadableBody({ folder }))
    case 'missing':
    case 'notFolder':
      return watchView(texts.watchTrouble, texts.watchTroubleBody({ folder }))
    case 'foreignLink':
      return watchView(texts.watchForeignLink, texts.watchForeignLinkBody({ folder }))
    case 'question':
      return watchView(texts.watchQuestion({ count: trouble.files }), texts.watchQuestionBody({ folder }))
    case 'presetMissing':
      return watchView(
        texts.watchPresetMissing({ count: trouble.files, preset: presetName(trouble.preset, t) }),
        texts.watchPresetMissingBody({ folder }),
      )
    case 'notTaken':
    case 'notStarted':
      return watchView(texts.watchNotStarted, texts.watchNotStartedBody({ folder }))
  }
}

const watchView = (title: string, body: string): NotificationView => ({
  choice: 'watch',
  title,
  body,
  click: { do: 'settings' },
  buttons: [],
})

/** Always shown, because it replaces the window's toast while the window isn't visible. */
export function startingNotification(starting: StartingSoon, { t }: ViewContext): NotificationView {
  const { ids } = starting
  const [id] = ids
  return {
    choice: null,
    title: startingSentence(starting, t),
    body: t.notification.startingHint,
    click: id === undefined ? { do: 'open' } : { do: 'showRecord', id },
    buttons: [
      { label: t.notification.undo, action: { do: 'undoStart', ids } },
      { label: t.notification.edit, action: { do: 'editStart', ids } },
    ],
  }
}

export const pickProblemNotification = (problem: PickProblem, { t }: ViewContext): NotificationView => ({
  choice: null,
  title: t.notification.pickNotStarted,
  body: pickProblemSentence(problem, t),
  click: { do: 'newJob' },
  buttons: [],
})

function pickProblemSentence(problem: PickProblem, t: Translation): string {
  const texts = t.notification
  switch (problem.code) {
    case 'noMedia':
      return texts.pickNoMedia({ count: problem.files })
    case 'presetNotFor': {
      const code = problem.kind === 'photos' ? 'presetNotForPhotos' : 'presetNotForVideos'
      return describeFailure(failure(code, { preset: shownText(problem.preset) }), t)
    }
    case 'noPresetFor':
      return problem.kind === 'photos' ? texts.pickNoPresetForPhotos : texts.pickNoPresetForVideos
    case 'presetUnknown':
      return texts.pickPresetUnknown({ preset: shownText(problem.preset) })
  }
}

/** Reports an error that no module has handled. */
export const unexpectedNotification = ({ t }: ViewContext): NotificationView => ({
  choice: null,
  title: t.notification.unexpected,
  body: t.notification.unexpectedBody,
  click: { do: 'settings' },
  buttons: [],
})

/** Replaces several notifications that arrived close together. */
export function summaryNotification(records: readonly PartDetails[], { t }: ViewContext): NotificationView {
  const outcomes = records.map(({ outcome }) => outcome)
  const results = outcomes.reduce((sum, outcome) => sum + resultsIn(outcome), 0)
  const troubled = outcomes.reduce((sum, outcome) => sum + problemsIn(outcome), 0)
  const readyText = t.notification.summaryBody({ count: results })
  return {
    choice: 'done',
    title: t.notification.summary({ count: records.length }),
    body: troubled === 0 ? readyText : t.notification.summaryProblems({ ready: readyText, count: troubled }),
    click: { do: 'newest' },
    buttons: [],
  }
}

function problemsIn(outcome: PartDetails['outcome']): number {
  if (outcome?.kind === 'problems') return outcome.problems
  return outcome?.kind === 'failed' ? 1 : 0
}
