/** What a person reads for each event; results go to stdout, everything else to stderr. */
import { basename } from 'node:path'
import type { FileError, Job } from '../../../shared/api/resources.ts'
import { createWindowTranslation, loadWindowTexts } from '../../../shared/i18n/i18n.ts'
import { workName } from '../../../shared/i18n/names.ts'
import {
  draftProblemSentence,
  errorSentence,
  outcomeWord,
  presetName,
} from '../../../shared/i18n/sentences.ts'
import type { DriveSetup, PresetDocument } from '../../../shared/model/built-in-service.ts'
import type { Forecast, UnknownForecast } from '../../../shared/model/forecast.ts'
import type { Damage } from '../../../shared/model/notice.ts'
import type { RecordDetails, WaitingReason } from '../../../shared/model/work.ts'
import type { CliEvent, DescribedField, Submission } from './event.ts'

/** Commands and their options are English, and so is what they say: scripts and searches of the web depend on it. */
export const t = createWindowTranslation(await loadWindowTexts('en'), 'en')

export type Words = { readonly to: 'stdout' | 'stderr'; readonly lines: readonly string[] }

const out = (...lines: string[]): Words => ({ to: 'stdout', lines })
const err = (...lines: string[]): Words => ({ to: 'stderr', lines })

export function wordsFor(event: CliEvent): Words {
  switch (event.event) {
    case 'service':
      return err(`Using the built-in service at ${event.baseUrl}.`)
    case 'notTaken':
      return err(`Not taken: ${event.item.path}: ${t.rejections[event.item.reason]}`)
    case 'notPossible':
      return err(`Not submitted. ${draftProblemSentence(event.problem, t)}`)
    case 'accepted':
      return err(`${event.jobId}  accepted: ${nameOf(event)}.`, ...problemLines(event.skipped, 'skipped'))
    case 'refused':
      return err(
        `Not accepted: ${nameOf(event)}. ${event.message === '' ? REFUSED[event.why] : event.message}`,
        ...problemLines(event.skipped, 'skipped'),
      )
    case 'unknown':
      return err(
        `${event.id}  may have arrived: ${nameOf(event)}. It was not sent again; it is kept in the outbox.`,
        ...event.lookAlikes.map((job) => `  may be ${job.jobId}: ${job.name}, ${job.preset}, ${job.status}`),
        `  Decide with: outbox resolve ${event.id} adopt JOBID, … send, or … remove`,
      )
    case 'kept':
      return err(`${event.id}  kept in the outbox: ${nameOf(event)}. ${KEPT[event.because]}`)
    case 'finished':
      return out(
        `${event.jobId}  ${outcomeWord(event.outcome, event.files, t)}${resultCount(event)}`,
        ...event.results.map(({ outputPath }) => `  ${outputPath}`),
        ...problemLines(event.problems, 'problem'),
      )
    case 'entry':
      return out(...entryLines(event))
    case 'resolved':
      return out(`${event.id}  ${RESOLVED[event.how]}`)
    case 'record':
      return out(...recordLines(event.record))
    case 'found':
      return out(
        event.shown === event.total
          ? `${t.number(event.total)} found.`
          : `${t.number(event.shown)} of ${t.number(event.total)} shown; --limit shows more.`,
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
    case 'forecast':
      return forecastWords(event.forecast)
    case 'status':
      return out(
        `${event.baseUrl} is running, version ${event.health.version}${event.knownVersion ? '' : ' (not the version this app was made for)'}, ${t.count.jobs({ count: event.health.activeJobs })} under way.`,
        event.drive.connected
          ? `Cloud drive: connected${event.drive.email === null ? '' : ` as ${event.drive.email}`}.`
          : `Cloud drive: ${event.drive.clientConfigured ? 'not connected' : 'not configured'}.`,
      )
    case 'driveSetup':
      return driveSetupWords(event)
    case 'driveChosen':
      return out(
        event.name === null
          ? 'No cloud drive is used.'
          : `${event.name} is used as the cloud drive of the built-in service.`,
      )
    case 'driveStatus':
      return out(
        event.connected ? `${event.chosen ?? ''} is connected.` : `Not connected. ${event.reason ?? ''}`,
      )
    case 'cancelling':
      return out(
        `${event.jobId}  ${event.status === null || event.status === 'cancelled' ? 'cancelled' : `asked to stop; now ${event.status}`}. Files that were made already may remain.`,
      )
    case 'downloaded':
      return out(`${event.path}  (${t.size(event.bytes)})`)
    case 'cleared':
      return out(`${t.count.jobs({ count: event.cleared })} removed from the service’s list; files stay.`)
    case 'error':
      return err(
        `${event.about === undefined ? '' : `${event.about}: `}${event.error.message}`,
        `  ${errorSentence(event.error, t)}`,
      )
    case 'notice':
      return err(event.message)
    default:
      return event satisfies never
  }
}

function forecastWords(forecast: Forecast | null): Words {
  if (forecast === null) return err('The preset is for none of these files.')
  if (forecast.kind === 'unknown') {
    return err(UNKNOWN[forecast.why])
  }
  const { bytes, milliseconds, inputBytes, atMostBytes } = forecast
  const size = atMostBytes === null ? `About ${t.size(bytes.likely)}` : `At most ${t.size(atMostBytes)}`
  const range = `${t.size(bytes.low)} to ${t.size(bytes.high)}`
  const time = milliseconds === null ? '' : `, about ${t.duration(milliseconds.likely)}`
  return out(`${size} of ${t.size(inputBytes)} (${range})${time}.`)
}

const UNKNOWN: Readonly<Record<UnknownForecast, string>> = {
  counting: 'Nothing is known yet.',
  notProcessable: 'No file that was tried could be processed.',
  tooDifferent: 'The results differ too much from each other to say.',
  noHistory: 'It is known after three jobs of photos, or of videos, with this preset at this service.',
}

const REFUSED = {
  invalid: 'The service refused it.',
  drive: 'The service isn’t connected to the drive.',
  tooLarge: 'It is too large for the service.',
  inputsGone: 'Its files are no longer there.',
} as const

const KEPT: Readonly<Record<WaitingReason, string>> = {
  turn: 'Another process is to send it, and has not yet.',
  queueFull: 'The queue of the service is full; “outbox send” waits for room.',
  offline: 'The service can’t be reached; “outbox send” sends it when it is there again.',
  keyRefused: 'The service rejected the API key; “outbox send” sends it with another one.',
  wrongVersion: 'The service is of another version than the settings allow.',
  unconfigured: 'No service is chosen.',
  paused: 'Sending is paused.',
  diskFull: 'The disk is full; “outbox send” sends it when there is room.',
  undo: 'It can still be undone.',
}

const RESOLVED = {
  adopted: 'is that job now, and is followed.',
  waits: 'waits to be sent again; “outbox send” sends it.',
  removed: 'was removed from the outbox.',
} as const

export function nameOf({ inputs: { files, driveInputFolder } }: Pick<Submission, 'inputs'>): string {
  if (driveInputFolder !== undefined) return `Drive folder ${driveInputFolder}`
  const [first = ''] = files
  return files.length === 1 ? basename(first) : `${basename(first)} and ${files.length - 1} more`
}

const resultCount = ({ results }: { readonly results: readonly unknown[] }): string =>
  results.length === 0 ? '' : `, ${t.count.results({ count: results.length })}`

const problemLines = (problems: readonly FileError[], what: string): string[] =>
  problems.map(({ file, error }) => `  ${what}: ${file === '' ? '' : `${file}: `}${error}`)

function entryLines(entry: Extract<CliEvent, { event: 'entry' }>): string[] {
  const words = {
    waiting: entry.target === null ? 'waits' : `waits for ${entry.target}`,
    sending: 'is being sent',
    unknown: 'may have arrived',
    refused: `refused: ${entry.message ?? ''}`,
  } as const
  return [
    `${entry.id}  ${words[entry.state]}: ${nameOf(entry)}`,
    ...entry.lookAlikes.map((job) => `  may be ${job.jobId}: ${job.name}, ${job.preset}, ${job.status}`),
  ]
}

function recordLines(record: RecordDetails): string[] {
  const at = new Date(record.createdAt).toISOString().slice(0, 16).replace('T', ' ')
  const outcome = record.outcome === null ? 'not over' : outcomeWord(record.outcome, record.files, t)
  return [
    `${record.id}  ${at}  ${outcome}: ${workName(record, t)}, ${presetName(record.preset, t)}`,
    ...problemLines(record.problems, 'problem'),
  ]
}

function jobLines({ job, outcome }: Extract<CliEvent, { event: 'job' }>): string[] {
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
    ...problemLines(job.errors ?? [], 'problem'),
  ]
}

function subject(job: Job): string {
  if (job.fileName !== undefined) return job.fileName
  return job.totalFiles === undefined ? job.type : t.count.files({ count: job.totalFiles })
}

export const printed = (lines: readonly string[]): string => lines.map((line) => `${plain(line)}\n`).join('')

function driveSetupWords({ rclone, remotes, chosen }: DriveSetup): Words {
  if (!rclone.found)
    return err('rclone was not found. Install it (https://rclone.org/install/), then try again.')
  if (remotes.length === 0) return err('rclone has no connection yet. “rclone config” adds one.')
  return out(
    ...remotes.map(({ name, type }) => `${name === chosen ? '*' : ' '} ${name}  ${type}`),
    chosen === null ? '“drive use NAME” chooses one.' : `* is used (rclone ${rclone.version ?? ''}).`,
  )
}

/** Text of others on a terminal: without what could move the cursor, recolour, or turn the reading direction. */
export const plain = (text: string): string => text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}]/gu, '�')

const DAMAGED: Readonly<Record<Damage['what'], string>> = {
  history: 'The history was damaged and had to be begun anew.',
  outbox:
    'The outbox was damaged and had to be begun anew. What it held stands in the history as cancelled; “retry” starts it.',
  downloads: 'The list of results to fetch was damaged, and was made again from the history.',
  watched: 'What watched folders have dealt with was damaged and had to be begun anew.',
}

export const damageWords = ({ what, keptAs }: Damage): string =>
  `${DAMAGED[what]} The damaged file is kept as ${keptAs}.`

export function damagedPresetWords(
  folder: string,
  name: string,
  problems: PresetDocument['problems'],
): string {
  const [first] = problems
  const why = first === undefined ? '' : `: ${[first.field, first.message].filter(Boolean).join(' ')}`
  return plain(`The preset “${name}” in ${folder} can’t be used${why}. It was left as it is.`)
}

/** Such as "image.rotate   0, 90, 180, 270 (0)". */
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
/** What `typeof` says of a value of the type. */
const KIND_OF: Readonly<Record<string, string>> = { string: 'string', number: 'number', integer: 'number' }
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true, false',
  number: 'a number',
  integer: 'a whole number',
}
