/** Renders events as text. Results go to stdout, everything else to stderr. */
import { basename } from 'node:path'
import type { ServiceJob } from '../../../shared/api/resources.ts'
import {
  estimatedRange,
  estimatedShare,
  estimatedSize,
  unknownSizeWords,
} from '../../../shared/i18n/estimates.ts'
import { foreseenLines } from '../../../shared/i18n/losses.ts'
import { draftProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import { errorSentence, outcomeWord, presetName, reasonWords } from '../../../shared/i18n/sentences.ts'
import type { Foreseen } from '../../../shared/loss/foreseen.ts'
import type { DriveSetup, PresetDocument } from '../../../shared/model/built-in-service.ts'
import type { Totals } from '../../../shared/model/saved.ts'
import type { WaitingReason } from '../../../shared/model/job.ts'
import type { ServiceError } from '../../../shared/service-error.ts'
import { EACH_MISLEADING, shownText } from '../../../shared/paths.ts'
import type { Uncertainty } from '../../outbox/index.ts'
import { checkedLines, checkLine } from './check-words.ts'
import type { CliEvent, DescribedField, EventOf, ListedEvent, SubmissionFields, Words } from './event.ts'
import { t } from './english.ts'
import { finishedLines, groupLines, partName, problemLines, recordLines } from './job-words.ts'
import { skippedLines } from './skipped-words.ts'
import { FEW, someOf } from './some-of.ts'
import { watchLine } from './watch-words.ts'
import { isAboutOriginals, originalsWords } from './replacing-words.ts'

const out = (...lines: string[]): Words => ({ to: 'stdout', lines })
const err = (...lines: string[]): Words => ({ to: 'stderr', lines })

function statsWords({ files, inputBytes, resultBytes, saved }: Totals): Words {
  if (files === 0) return out('No results have been measured yet.')
  return out(
    `${t.size(saved.bytes)} saved in ${t.count.files({ count: saved.files })}.`,
    `${t.count.files({ count: files })} processed: ${t.size(inputBytes)} became ${t.size(resultBytes)}.`,
  )
}

/** @param isWhole whether to list every result and problem of a job, however many there are */
export function wordsFor(event: CliEvent, isWhole = false): Words {
  if (isAboutOriginals(event)) return originalsWords(event)
  if (event.event === 'forecast' || event.event === 'foreseen') return aheadWords(event)
  switch (event.event) {
    case 'service':
      return err(`Using the built-in service at ${event.baseUrl}.`)
    case 'notTaken':
      return err(`Skipped ${event.item.path}: ${t.rejections[event.item.reason]}`)
    case 'skipped':
      return err(...skippedLines(event))
    case 'stats':
      return statsWords(event)
    case 'notPossible':
      return err(`Not submitted. ${draftProblemSentence(event.problem, t)}`)
    case 'accepted':
      return err(
        `${event.jobId}  accepted: ${nameOf(event)}${partName(event)}.`,
        ...problemLines(event.skipped, 'skipped', isWhole),
      )
    case 'refused':
      return err(
        `Refused: ${nameOf(event)}. ${event.message === '' ? REFUSED[event.why] : reasonWords(event.message, event, t)}`,
        ...problemLines(event.skipped, 'skipped', isWhole),
      )
    case 'unknown':
      return err(
        `${event.id}  unconfirmed: ${nameOf(event)}. The service may have received it, so it stays in the outbox and is not sent again.`,
        ...event.lookAlikes.map((job) => `  may be ${job.jobId}: ${job.name}, ${job.preset}, ${job.status}`),
        `  To decide, run: mediatray-cli outbox resolve ${event.id} adopt JOBID | send | remove`,
      )
    case 'checking':
      return err(
        `${event.id}  unconfirmed: ${nameOf(event)}. ${CHECKED[event.cause]} Checking the service’s job list for up to ${t.duration(event.remainingMs)}.`,
        `  To decide now, run in another terminal or after Ctrl-C: mediatray-cli outbox resolve ${event.id} adopt JOBID | send | remove`,
      )
    case 'kept':
      return err(keptLine(event))
    case 'finished':
      return out(...finishedLines(event, isWhole))
    case 'group':
      return out(...groupLines(event, isWhole))
    case 'entry':
      return out(...entryLines(event))
    case 'resolved':
      return out(`${event.id}  ${RESOLVED[event.how]}`)
    case 'record':
      return out(...recordLines(event), ...recordProblemLines(event))
    case 'found':
      return out(
        event.shown === event.total
          ? `${event.total === 0 ? 'No records' : t.number(event.total)} found.`
          : `${t.number(event.shown)} of ${t.number(event.total)} shown. Use --limit to show more.`,
      )
    case 'job':
      return out(...jobLines(event))
    case 'queue':
      return out(
        `${t.count.jobs({ count: event.listed })} listed, ${event.queueLength} waiting, ${event.processing ? 'one being processed' : 'none being processed'}.`,
      )
    case 'presets':
      return out(
        'Presets for photos:',
        ...event.presets.image.map((name) => `  ${name}`),
        'Presets for videos:',
        ...event.presets.video.map((name) => `  ${name}`),
      )
    case 'preset':
      return out(...event.text.trimEnd().split('\n'))
    case 'presetFields':
      return out(...event.fields.map(fieldWords))
    case 'status':
      return out(
        `${event.baseUrl} is running, version ${event.health.version}${event.knownVersion ? '' : ' (not tested with this version of Mediatray)'}, ${t.count.jobs({ count: event.health.activeJobs })} in progress.`,
        event.drive.connected
          ? `Cloud drive: connected${event.drive.email === null ? '' : ` as ${event.drive.email}`}.`
          : `Cloud drive: ${event.drive.clientConfigured ? 'not connected' : 'not configured'}.`,
      )
    case 'check':
      return out(checkLine(event))
    case 'checked':
      return out(...checkedLines(event))
    case 'driveSetup':
      return driveSetupWords(event)
    case 'driveChosen':
      return out(driveChosenWords(event.name))
    case 'driveFolders':
      return event.folders.length === 0
        ? err('There are no folders here.')
        : out(...event.folders.map(({ id, name }) => (id.endsWith(name) ? id : `${id}  ${name}`)))
    case 'driveStatus':
      return out(driveStatusWords(event))
    case 'cancelling':
      return out(
        `${event.jobId}  ${event.status === 'cancelled' ? 'canceled' : `cancellation requested${event.status === null ? '' : `; current status: ${event.status}`}`}. Files that were already written may remain.`,
      )
    case 'downloaded':
      return out(`${event.path}  (${t.size(event.bytes)})`)
    case 'cleared':
      return out(
        `${t.count.jobs({ count: event.cleared })} removed from the service’s list. Files were not deleted.`,
      )
    case 'error':
      return err(
        `${event.about === undefined ? '' : `${event.about}: `}${reasonWords(event.error.message, event.error, t)}`,
        `  ${NEXT_STEPS[event.error.kind] ?? errorSentence(event.error, t)}`,
      )
    case 'watching':
    case 'unblocked':
    case 'watchTrouble':
    case 'hook':
      return err(watchLine(event))
    case 'blocked':
    case 'waiting':
    case 'notice':
      return err(event.message)
    default:
      return event satisfies never
  }
}

const driveStatusWords = ({ connected, chosen, reason }: EventOf<'driveStatus'>): string =>
  connected ? `${chosen ?? ''} is connected.` : `Not connected. ${reason ?? ''}`

const driveChosenWords = (name: string | null): string =>
  name === null
    ? 'The cloud drive is disconnected.'
    : `The built-in service now uses ${name} as its cloud drive.`

/** @param preset one of several presets; undefined for the only one or the total */
const ofPreset = (preset: string | undefined): string => (preset === undefined ? '' : `${preset}: `)

const foreseenWords = (foreseen: Foreseen, preset: string | undefined): readonly string[] =>
  foreseenLines(foreseen, t).map((line, index) => (index === 0 ? `${ofPreset(preset)}${line}` : `  ${line}`))

/** What is known about results before they exist. */
function aheadWords(event: EventOf<'forecast' | 'foreseen'>): Words {
  const { preset, wouldLose } = event
  const lost = wouldLose === undefined ? [] : foreseenWords(wouldLose, preset)
  if (event.event === 'foreseen') return err(...lost)
  const { forecast: estimate } = event
  const of = ofPreset(preset)
  if (estimate === null) return err(`${of}The preset doesn’t apply to any of these files.`)
  if (estimate.kind === 'unknown') return err(`${of}${unknownSizeWords(estimate.why, t)}.`)
  const range = estimatedRange(estimate, t)
  const words = `${estimatedSize(estimate, t)} ${estimatedShare(estimate, event.isMultiplied === true, t)}`
  return out(`${of}${words}${range === '' ? '' : ` (${range})`}.`, ...lost)
}

/** Next steps after errors whose sentence in the window repeats the failure or names a control of the window. */
const NEXT_STEPS: Partial<Record<ServiceError['kind'], string>> = {
  notReachable: 'Nothing was sent. Start the service, or check its address.',
  unauthorized: 'Nothing was changed. Set MEDIATRAY_API_KEY to the key from the service’s settings.',
  notFound: 'The service removes finished jobs after an hour.',
}

const REFUSED = {
  invalid: 'The service refused it.',
  drive: 'The service isn’t connected to the drive.',
  tooLarge: 'It exceeds the service’s size limit.',
  inputsGone: 'Its files no longer exist.',
  service: 'The service failed to create the job.',
} as const

const CHECKED: Readonly<Record<Uncertainty['cause'], string>> = {
  crash: 'Mediatray exited while sending it.',
  timeout: 'The service didn’t respond in time.',
  broken: 'The connection was lost while sending it.',
  serverError: 'The service had an internal error.',
  badResponse: 'The service sent an invalid response.',
}

const KEPT: Readonly<Record<WaitingReason, string>> = {
  turn: 'Run “outbox send” to send it.',
  queueFull: 'The service’s queue is full. “outbox send” waits until there is room.',
  offline: 'The service wasn’t available. Run “outbox send” when it is.',
  keyRefused: 'The service rejected the API key. Run “outbox send” with a valid key.',
  wrongVersion: 'The settings don’t allow this service version.',
  unconfigured: 'No service is selected.',
  paused: 'Jobs are paused in Mediatray.',
  time: 'Mediatray runs jobs at another time of day.',
  power: 'Mediatray runs jobs when the computer is plugged in.',
  idle: 'Mediatray runs jobs when the computer is idle.',
  diskFull: 'The disk is full. Free some space, then run “outbox send”.',
  editing: 'It is being edited in Mediatray.',
  undo: 'It can still be canceled.',
  output: 'Its results can’t be saved now. It is tried again every few minutes.',
  serviceFailed: 'The service couldn’t create its job. Mediatray tries again every few minutes.',
}

const keptLine = (event: EventOf<'kept'>): string =>
  [`${event.id}  kept in the outbox: ${nameOf(event)}.`, event.message, KEPT[event.because]]
    .filter((part) => part !== undefined)
    .join(' ')

/** The words for several submissions, if they differ. */
const KEPT_MANY: Partial<typeof KEPT> = {
  turn: 'Run “outbox send” to send them.',
  editing: 'They are being edited in Mediatray.',
  undo: 'They can still be canceled.',
}

/** Renders events individually if there are only a few, otherwise as one summary per reason. */
export function listWords(events: readonly ListedEvent[], isWhole: boolean): readonly Words[] {
  if (isWhole || events.length <= FEW) return events.map((event) => wordsFor(event))
  const kept = events.filter((event) => event.event === 'kept')
  const notTaken = events.filter((event) => event.event === 'notTaken')
  return [...keptWords(kept), ...notTakenWords(notTaken)]
}

const keptWords = (events: readonly EventOf<'kept'>[]): readonly Words[] =>
  [...Map.groupBy(events, ({ because }) => because)].map(([because, kept]) =>
    err(
      `${t.number(kept.length)} ${kept.length === 1 ? 'submission is' : 'submissions are'} kept in the outbox: ${someOf(kept.map(nameOf))}. ${(kept.length === 1 ? undefined : KEPT_MANY[because]) ?? KEPT[because]}`,
      '  “outbox” lists them. Don’t submit them again.',
    ),
  )

const notTakenWords = (events: readonly EventOf<'notTaken'>[]): readonly Words[] =>
  [...Map.groupBy(events, ({ item }) => item.reason)].map(([reason, files]) => {
    const names = someOf(files.map(({ item }) => item.path))
    return err(`Skipped ${t.count.files({ count: files.length })}: ${t.rejections[reason]} (${names})`)
  })

const RESOLVED = {
  adopted: 'now follows that job.',
  waits: 'will be sent again. Run “outbox send” to send it now.',
  removed: 'was removed from the outbox.',
} as const

export function nameOf({ inputs: { files, driveInputFolder } }: Pick<SubmissionFields, 'inputs'>): string {
  if (driveInputFolder !== undefined) return `Drive folder ${driveInputFolder}`
  const [first = ''] = files
  return files.length === 1 ? basename(first) : `${basename(first)} and ${files.length - 1} more`
}

/** Names the preset of each problem if the job has several presets. */
const recordProblemLines = ({ record, problems }: EventOf<'record'>): string[] =>
  problems.flatMap((one) =>
    problemLines([one], record.place.presets > 1 ? `problem, ${presetName(one.preset, t)}` : 'problem', true),
  )

function entryLines(entry: EventOf<'entry'>): string[] {
  const words = {
    waiting: entry.target === null ? 'waiting' : `waiting for ${entry.target}`,
    sending: 'being sent',
    unknown: 'unconfirmed',
    refused: 'refused',
  } as const
  const reason = entry.message === null ? '' : `. ${reasonWords(entry.message, entry, t)}`
  return [
    `${entry.id}  ${words[entry.state]}: ${nameOf(entry)}${reason}`,
    ...entry.lookAlikes.map((job) => `  may be ${job.jobId}: ${job.name}, ${job.preset}, ${job.status}`),
  ]
}

function jobLines({ job, outcome }: EventOf<'job'>): string[] {
  const results = job.results ?? (job.result ? [job.result] : [])
  const state =
    outcome === null
      ? job.status === 'completed'
        ? 'uploading'
        : job.status
      : outcomeWord(outcome, job.totalFiles ?? null, t)
  return [
    `${job.jobId}  ${state}  ${subject(job)}  ${job.preset}  ${job.createdAt}`,
    ...results.map(({ outputPath }) => `  ${outputPath}`),
    ...problemLines(job.errors ?? [], 'problem', true),
  ]
}

function subject(job: ServiceJob): string {
  if (job.fileName !== undefined) return job.fileName
  return job.totalFiles === undefined ? job.type : t.count.files({ count: job.totalFiles })
}

export const printed = (lines: readonly string[]): string =>
  lines.map((line) => `${shownText(line)}\n`).join('')

function driveSetupWords({ rclone, remotes, chosen }: DriveSetup): Words {
  if (!rclone.found)
    return err('Couldn’t find rclone. Install it (https://rclone.org/install/), then try again.')
  if (remotes.length === 0) return err('rclone has no remotes yet. Add one with “rclone config”.')
  return out(
    ...remotes.map(({ name, type }) => `${name === chosen ? '*' : ' '} ${name}  ${type}`),
    chosen === null ? 'Select one with “drive use NAME”.' : `* in use (rclone ${rclone.version ?? ''}).`,
  )
}

/** Serializes to JSON, escaping characters that a terminal or a line reader could misinterpret. */
export const plainJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    EACH_MISLEADING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export function damagedPresetWords(
  folder: string,
  name: string,
  problems: PresetDocument['problems'],
): string {
  const [first] = problems
  const why = first === undefined ? '' : `: ${[first.field, first.message].filter(Boolean).join(' ')}`
  return shownText(`The preset “${name}” in ${folder} can’t be used${why}. The file was not changed.`)
}

/** Renders one field, for example "image.rotate   0, 90, 180, 270 (0)". */
function fieldWords({ path, types, choices, min, max, default: usual }: DescribedField): string {
  const kinds = types
    .filter((type) => choices.every((choice) => typeof choice !== KIND_OF[type]))
    .map((type) => KINDS[type] ?? type)
  const values = [...choices.map(String), ...kinds]
  const limits = min === null || max === null ? '' : ` from ${min} to ${max}`
  const held = usual === null ? '' : ` (${JSON.stringify(usual)})`
  return `${path.padEnd(LONGEST_PATH)}${values.join(', ')}${limits}${held}`
}

const LONGEST_PATH = 26
/** The `typeof` result for each schema type. */
const KIND_OF: Readonly<Record<string, string>> = { string: 'string', number: 'number', integer: 'number' }
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true, false',
  number: 'a number',
  integer: 'a whole number',
}
