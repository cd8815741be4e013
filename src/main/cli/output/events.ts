/** All events that a command can report, as JSON lines or as text. */
import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import { fileEvents } from './files.ts'
import { jobEvents } from './jobs.ts'
import { originalsEvents } from './originals.ts'
import { serviceEvents } from './service.ts'
import { settingsEvents } from './settings.ts'
import { submissionEvents } from './submissions.ts'
import { watchEvents } from './watching.ts'
import type { Words } from './words.ts'

export type { PartRef, SubmissionFields } from './submissions.ts'
export type { WaitReason } from './watching.ts'

/** Functions that turn events into text, by the event's name. The argument has the fields of the event. */
const EVENTS = {
  ...fileEvents,
  ...jobEvents,
  ...originalsEvents,
  ...serviceEvents,
  ...settingsEvents,
  ...submissionEvents,
  ...watchEvents,
}
type Events = typeof EVENTS

type FieldsOf<Render> = Render extends (fields: infer Fields, isWhole: boolean) => Words ? Fields : never

export type EventOf<Name extends keyof Events> = Name extends unknown
  ? { readonly event: Name } & FieldsOf<Events[Name]>
  : never

export type CliEvent = EventOf<keyof Events>

/** @param isWhole whether to list every result and problem of a job instead of summarizing many of them */
export function wordsFor(event: CliEvent, isWhole = false): Words {
  // The name decides which fields an event has.
  const render = EVENTS[event.event] as (fields: CliEvent, isWhole: boolean) => Words
  return render(event, isWhole)
}

export const notice = (message: string): CliEvent => ({ event: 'notice', message })

/** Reports why a command ends. @returns its exit code */
export function endWith(report: Pick<Report, 'say'>, why: string, code: ExitCode = EXIT.failed): ExitCode {
  report.say(notice(why))
  return code
}

/** The progress of one job, submission or transfer. */
export type Step = {
  readonly what:
    | { readonly kind: 'job'; readonly jobId: string }
    | { readonly kind: 'submission'; readonly id: RecordId }
    /** All parts of a job together. */
    | { readonly kind: 'group'; readonly group: RecordId }
    | { readonly kind: 'transfer'; readonly file: string }
  readonly label: string
  /** Progress from 0 to 1; null if no reliable value is known. */
  readonly share: number | null
  /** Remaining time in ms; null if it could only be guessed. */
  readonly remaining: number | null
  readonly detail: string
}

export type Report = {
  /** Whether a terminal shows the events while the command runs, or a program may read them as JSON. */
  readonly isLive: boolean
  say(event: CliEvent): void
  /** Reports submissions or files with the same outcome: one event each in JSON, or a summary in text if there are many. */
  sayEach(events: readonly ListedEvent[]): void
  /**
   * Begins the report about a command's submissions.
   * @param count the number of submissions
   * @param canRepeat whether failed files still exist after the command
   */
  outcomes(count: number, canRepeat?: boolean): OutcomeReport
  /**
   * Replaces the displayed steps with these. An empty list clears the display.
   * @returns whether the user can see the steps
   */
  progress(steps: readonly Step[]): boolean
}

export type OutcomeReport = {
  /** @returns whether the user sees the event now. In text, many submissions are summarized at the end */
  readonly say: (event: OutcomeEvent) => boolean
  /** Ends the report with what Mediatray keeps. */
  readonly end: () => void
}

export type OutcomeEvent = EventOf<'accepted' | 'finished' | 'refused' | 'unknown' | 'group'>
/** Events that are summarized if there are many of them. */
export type ListedEvent = EventOf<'kept' | 'notTaken'>
