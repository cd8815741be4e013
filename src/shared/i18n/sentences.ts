/** The second line of a row, and the sentences that mean the same elsewhere. */
import type { ConnectionView } from '../model/connection.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ActiveJob, OutboxEntry, RecordSummary, WaitingReason } from '../model/work.ts'
import type { ServiceError } from '../service-error.ts'
import { contentCount, firstCharacters } from './names.ts'
import type { CommonWording } from './format.ts'

const PHASE_LENGTH = 40

export const presetName = (preset: string | null, wording: CommonWording): string =>
  preset ?? wording.say('preset.basic')

/** The service's own word, first letter large; "Working" where it has none. */
export function phaseWord(phase: string | null, wording: CommonWording): string {
  const word = (phase ?? '').trim()
  if (word === '') return wording.say('stage.working')
  const cut = firstCharacters(word, PHASE_LENGTH)
  return cut.charAt(0).toLocaleUpperCase(wording.locale) + cut.slice(1)
}

/** "Resizing 7 of 24", "Encoding" */
export function activity(job: ActiveJob, wording: CommonWording): string {
  const { phase, currentFile, totalFiles } = job.progress
  const word = phaseWord(phase, wording)
  return currentFile !== null && totalFiles !== null && totalFiles > 1
    ? wording.say('stage.fileOf', { phase: word, file: currentFile, files: totalFiles })
    : word
}

/** "Resizing 7 of 24, about 2 min left", "Next, H.264 1080p", "2nd, Print A4 300 dpi", "Done here, uploading to Drive" */
export function jobLine(job: ActiveJob, wording: CommonWording): string {
  switch (job.stage.kind) {
    case 'queued': {
      const place =
        job.stage.position === 1
          ? wording.say('stage.next')
          : wording.say('stage.position', { position: wording.ordinal(job.stage.position) })
      return `${place}, ${presetName(job.preset, wording)}`
    }
    case 'cancelling':
      return wording.say('stage.cancelling')
    case 'uploading':
      return wording.say('stage.uploading')
    case 'processing': {
      const left = job.progress.timeLeft
      const doing = activity(job, wording)
      return left === null ? doing : `${doing}, ${wording.timeLeft(left)}`
    }
  }
}

const WAITING_TEXTS = {
  undo: 'waiting.undo',
  offline: 'waiting.offline',
  paused: 'waiting.paused',
  keyRefused: 'waiting.keyRefused',
  wrongVersion: 'waiting.wrongVersion',
  unconfigured: 'waiting.unconfigured',
  diskFull: 'waiting.diskFull',
} as const satisfies Record<Exclude<WaitingReason, 'turn' | 'queueFull'>, string>

/** "1st, Web 2048", "3rd, Web 2048, 4 variations", "Paused, Web 2048", "Refused: …" @param place 1-based, among those that wait here */
export function outboxLine(entry: OutboxEntry, place: number, wording: CommonWording): string {
  const { state } = entry
  switch (state.kind) {
    case 'waiting': {
      const { because } = state
      const how =
        because === 'turn' || because === 'queueFull'
          ? wording.say('stage.position', { position: wording.ordinal(place) })
          : wording.say(WAITING_TEXTS[because])
      const several =
        entry.variations > 1 ? `, ${wording.say('count.variations', { count: entry.variations })}` : ''
      return `${how}, ${presetName(entry.preset, wording)}${several}`
    }
    case 'sending':
      return state.upload === null || state.upload.total === 0
        ? wording.say('stage.sending')
        : wording.say('stage.sendingShare', {
            percent: wording.percent(state.upload.sent / state.upload.total),
          })
    case 'refused':
      return wording.say('outcome.refused', { reason: state.message })
    case 'unknown':
      return wording.say('outcome.unknown')
  }
}

/** "Done with 2 problems", "Failed: the disk is full" */
export function outcomeWord(outcome: Outcome, files: number | null, wording: CommonWording): string {
  switch (outcome.kind) {
    case 'done':
      return wording.say('outcome.done')
    case 'problems':
      return wording.say('outcome.problems', { count: outcome.problems })
    case 'failed':
      return outcome.reason === ''
        ? wording.say('outcome.failedPlain')
        : wording.say('outcome.failed', { reason: outcome.reason })
    case 'cancelled':
      return files !== null && files > 1
        ? wording.say('outcome.cancelledAfter', { done: outcome.results, count: files })
        : wording.say('outcome.cancelled')
    case 'forgotten':
      return wording.say('outcome.forgotten')
  }
}

/** "41 photos, Web 2048", "1 photo, 8 variations", "Cancelled after 2 of 6" */
export function recordLine(record: RecordSummary, wording: CommonWording): string {
  const { outcome } = record
  if (outcome === null) return wording.say('stage.working')
  if (outcome.kind !== 'done') return outcomeWord(outcome, record.files, wording)
  const count = contentCount(record, wording) ?? wording.say('count.results', { count: outcome.results })
  const how =
    record.variations > 1
      ? wording.say('count.variations', { count: record.variations })
      : presetName(record.preset, wording)
  return `${count}, ${how}`
}

/** "2 of 3 files, 1 problem" */
export const countLine = (done: number, files: number, problems: number, wording: CommonWording): string =>
  wording.say('outcome.summary', {
    done,
    count: files,
    problems: wording.say('count.problems', { count: problems }),
  })

/** "Connected, 127.0.0.1:3847", "The service isn’t running" */
export function connectionLine(connection: ConnectionView, wording: CommonWording): string {
  const { state, address, kind } = connection
  switch (state.status) {
    case 'unconfigured':
      return wording.say('connection.unconfigured')
    case 'connecting':
      return wording.say('connection.connecting')
    case 'online':
      return kind === 'builtIn'
        ? wording.say('connection.onlineBuiltIn')
        : wording.say('connection.online', { address })
    case 'keyRefused':
      return wording.say('connection.keyRefused')
    case 'wrongVersion':
      return wording.say('connection.wrongVersion', { version: state.version })
    case 'offline':
      return state.reason === 'notTheService'
        ? wording.say('offline.notTheService', { address })
        : wording.say(`offline.${state.reason}`)
  }
}

const ERROR_TEXTS = {
  notReachable: 'error.notReachable',
  noAnswer: 'error.noAnswer',
  unauthorized: 'error.unauthorized',
  notFound: 'error.notFound',
  conflict: 'error.conflict',
  refused: 'error.refused',
  driveNotReady: 'error.driveNotReady',
  queueFull: 'error.queueFull',
  serverError: 'error.serverError',
  localFile: 'error.localFile',
  aborted: 'error.aborted',
} as const satisfies Record<Exclude<ServiceError['kind'], 'badResponse'>, string>

/** What happened, what is safe, what to do. The service's own text goes below it. */
export function errorSentence(error: ServiceError, wording: CommonWording): string {
  if (error.kind === 'badResponse') {
    return wording.say('error.badResponse', { route: error.route, field: error.field })
  }
  return wording.say(ERROR_TEXTS[error.kind])
}
