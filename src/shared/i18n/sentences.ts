/** The second line of a row, and the sentences that mean the same elsewhere. */
import type { ConnectionView } from '../model/connection.ts'
import type { DraftProblem } from '../model/draft.ts'
import type { DriveProblem, DriveTrouble } from '../model/built-in-service.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ActiveJob, OutboxEntry, RecordSummary } from '../model/work.ts'
import type { NoteCount } from '../result-notes.ts'
import type { ServiceError } from '../service-error.ts'
import { contentCount, firstCharacters } from './names.ts'
import type { CommonTranslation, WindowTranslation } from './i18n.ts'

const PHASE_LENGTH = 40

export const presetName = (preset: string | null, t: CommonTranslation): string => preset ?? t.preset.basic

/** The catalogue has the phases of the built-in service and of the app: `Fetching results` is `fetchingResults` there. */
function knownPhase(phase: string, t: CommonTranslation): string | undefined {
  const name = phase.toLowerCase().replaceAll(/ (\w)/g, (_space, letter: string) => letter.toUpperCase())
  const phases: Readonly<Record<string, string>> = t.phase
  return Object.hasOwn(phases, name) ? phases[name] : undefined
}

/** A known phase in the language of the person, any other as the service calls it, first letter large; "Working" without one. */
export function phaseWord(phase: string | null, t: CommonTranslation): string {
  const word = (phase ?? '').trim()
  if (word === '') return t.stage.working
  const known = knownPhase(word, t)
  if (known !== undefined) return known
  const cut = firstCharacters(word, PHASE_LENGTH)
  return cut.charAt(0).toLocaleUpperCase(t.locale) + cut.slice(1)
}

/** "Resizing 7 of 24", "Encoding" */
export function activity(job: ActiveJob, t: CommonTranslation): string {
  const { phase, currentFile, totalFiles } = job.progress
  const word = phaseWord(phase, t)
  return currentFile !== null && totalFiles !== null && totalFiles > 1
    ? t.stage.fileOf({ phase: word, file: currentFile, files: totalFiles })
    : word
}

/** "Resizing 7 of 24, about 2 min left", "Next, H.264 1080p", "2nd, Print A4 300 dpi", "Done here, uploading to Drive" */
export function jobLine(job: ActiveJob, t: CommonTranslation): string {
  switch (job.stage.kind) {
    case 'queued': {
      const place =
        job.stage.position === 1
          ? t.stage.next
          : t.stage.position({ position: t.ordinal(job.stage.position) })
      return `${place}, ${presetName(job.preset, t)}`
    }
    case 'cancelling':
      return t.stage.cancelling
    case 'uploading':
      return t.stage.uploading
    case 'processing': {
      const left = job.progress.timeLeft
      const doing = activity(job, t)
      return left === null ? doing : `${doing}, ${t.timeLeft(left)}`
    }
  }
}

/** "1st, Web 2048", "3rd, Web 2048, 4 variations", "Paused, Web 2048", "Refused: …" @param place 1-based, among those that wait here */
export function outboxLine(entry: OutboxEntry, place: number, t: CommonTranslation): string {
  const { state } = entry
  switch (state.kind) {
    case 'waiting': {
      const { because } = state
      const how =
        because === 'turn' || because === 'queueFull'
          ? t.stage.position({ position: t.ordinal(place) })
          : t.waiting[because]
      const several = entry.variations > 1 ? `, ${t.count.variations({ count: entry.variations })}` : ''
      return `${how}, ${presetName(entry.preset, t)}${several}`
    }
    case 'sending':
      return state.upload === null || state.upload.total === 0
        ? t.stage.sending
        : t.stage.sendingShare({
            percent: t.percent(state.upload.sent / state.upload.total),
          })
    case 'refused':
      return t.outcome.refused({ reason: state.message })
    case 'unknown':
      return t.outcome.unknown
  }
}

/** "Done with 2 problems", "Failed: the disk is full" */
export function outcomeWord(outcome: Outcome, files: number | null, t: CommonTranslation): string {
  switch (outcome.kind) {
    case 'done':
      return t.outcome.done
    case 'problems':
      return t.outcome.problems({ count: outcome.problems })
    case 'failed':
      return outcome.reason === '' ? t.outcome.failedPlain : t.outcome.failed({ reason: outcome.reason })
    case 'cancelled':
      return files !== null && files > 1
        ? t.outcome.cancelledAfter({ done: outcome.results, count: files })
        : t.outcome.cancelled
    case 'forgotten':
      return t.outcome.forgotten
  }
}

/** "41 photos, Web 2048", "1 photo, 8 variations", "Cancelled after 2 of 6" */
export function recordLine(record: RecordSummary, t: CommonTranslation): string {
  const { outcome } = record
  if (outcome === null) return t.stage.working
  if (outcome.kind !== 'done') return outcomeWord(outcome, record.files, t)
  const count = contentCount(record, t) ?? t.count.results({ count: outcome.results })
  const how =
    record.variations > 1 ? t.count.variations({ count: record.variations }) : presetName(record.preset, t)
  return `${count}, ${how}`
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

/** What happened, what is safe, what to do. The service's own text goes below it. */
export function errorSentence(error: ServiceError, t: CommonTranslation): string {
  if (error.kind === 'badResponse') {
    return t.serviceError.badResponse({ route: error.route, field: error.field })
  }
  return t.serviceError[error.kind]
}

/** Why a draft could not be started, and what to do. */
export function draftProblemSentence(problem: DraftProblem, t: WindowTranslation): string {
  const says = t.draftProblems
  switch (problem.code) {
    case 'noInput':
    case 'noOutput':
    case 'driveNotConnected':
    case 'driveFolderInvalid':
    case 'variationsInvalid':
    case 'sentMeanwhile':
      return says[problem.code]
    case 'outputNotAbsolute':
      return says.outputNotAbsolute({ path: problem.path })
    case 'presetUnknown':
      return says.presetUnknown({ preset: problem.preset })
    case 'presetNotFor':
      return problem.kind === 'photos'
        ? says.presetNotForPhotos({ preset: problem.preset })
        : says.presetNotForVideos({ preset: problem.preset })
    case 'tooLargeToUpload':
      return says.tooLargeToUpload({ name: problem.name, size: t.size(problem.size) })
  }
}

/** Why a cloud drive or a folder of it can't be used; what rclone says of rare failures is quoted. */
export function driveProblemSentence(problem: DriveProblem, t: CommonTranslation): string {
  switch (problem.code) {
    case 'unknownRemote':
      return t.drive.unknownRemote({ name: problem.name })
    case 'noSuchFolder':
    case 'notAFolder':
      return t.drive[problem.code]({ id: problem.folderId })
    case 'notListed':
      return t.drive.notListed({ reason: driveTroubleSentence(problem.trouble, t) })
    case 'trouble':
      return driveTroubleSentence(problem.trouble, t)
    default:
      return t.drive[problem.code]
  }
}

/** "2 results are the originals as they were, because they would not have become smaller." */
export function noteSentence({ note, results: count }: NoteCount, t: WindowTranslation): string {
  const says = t.resultNotes
  switch (note) {
    case 'original-kept':
      return says.originalKept({ count })
    case 'pictures-copied':
      return says.picturesCopied({ count })
    case 'hardware-encoder':
      return says.hardwareEncoder({ count })
    case 'software-after-failure':
      return says.softwareAfterFailure({ count })
    case 'shrunk-to-fit':
      return says.shrunkToFit({ count })
    case 'tone-mapped':
      return says.toneMapped({ count })
    case 'flaws-passed-over':
      return says.flawsPassedOver({ count })
  }
}

const driveTroubleSentence = ({ kind, message }: DriveTrouble, t: CommonTranslation): string =>
  kind === 'other' ? message : t.drive[kind]
