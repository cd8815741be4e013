/** Events about submissions, until a service has accepted them. */
import { basename } from 'node:path'
import type { FileError } from '../../../shared/api/resources.ts'
import type { Failure } from '../../../shared/failure/failure.ts'
import { jobName } from '../../../shared/i18n/names.ts'
import { presetName, reasonWords } from '../../../shared/i18n/sentences.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import type { Candidate, SubmissionState, WaitingReason } from '../../../shared/model/job.ts'
import type { Uncertainty } from '../../outbox/index.ts'
import { t } from './language.ts'
import { err, FEW, indented, out, someOf } from './words.ts'

/** The fields of every event about a submission: its ID, and the paths of its files or the ID of its Drive folder. */
export type SubmissionFields = {
  readonly id: RecordId
  readonly inputs: { readonly files: readonly string[]; readonly driveInputFolder?: string }
  /** Missing if the submission is a whole job. */
  readonly group?: PartRef
}

/** Identifies one part of a job with several presets, folders, or requests. */
export type PartRef = {
  /** The ID of the job and of its first part. */
  readonly id: RecordId
  /** 1-based. */
  readonly part: number
  readonly parts: number
  readonly preset: string | null
}

type Kept = SubmissionFields & { readonly because: WaitingReason; readonly message?: string }

type LookAlikes = { readonly lookAlikes: readonly Candidate[] }

export const submissionEvents = {
  accepted: (
    event: SubmissionFields & { readonly jobId: string; readonly skipped: readonly FileError[] },
    isWhole: boolean,
  ) =>
    err(
      t().submissions.accepted({ job: event.jobId, name: partName(event) }),
      ...problemLines(event.skipped, t().jobReport.skipped, isWhole),
    ),
  refused: (
    event: SubmissionFields & {
      readonly why: Extract<SubmissionState, { kind: 'refused' }>['why']
      readonly message: string
      readonly failure?: Failure | undefined
      readonly skipped: readonly FileError[]
    },
    isWhole: boolean,
  ) => {
    const reason = event.message === '' ? t().refusals[event.why] : reasonWords(event.message, event, t())
    return err(
      t().submissions.refused({ name: nameOf(event), reason }),
      ...problemLines(event.skipped, t().jobReport.skipped, isWhole),
    )
  },
  /** A submission that the service may have received. Only the user can decide how to proceed. */
  unknown: (event: SubmissionFields & LookAlikes) =>
    err(
      t().submissions.unknown({ id: event.id, name: nameOf(event) }),
      ...lookAlikeLines(event),
      indented(t().submissions.decide(event)),
    ),
  /**
   * A submission that the service may have received. Mediatray checks the job list for up to `remainingMs`. The user may decide
   * earlier.
   */
  checking: (
    event: SubmissionFields & { readonly cause: Uncertainty['cause']; readonly remainingMs: number },
  ) =>
    err(
      t().submissions.checking({
        id: event.id,
        name: nameOf(event),
        cause: t().uncertain[event.cause],
        time: t().duration(event.remainingMs),
      }),
      indented(t().submissions.decideNow(event)),
    ),
  /** A submission that stays in the outbox. This command no longer waits for it. */
  kept: (event: Kept) => {
    const reason = t().sentences([event.message ?? '', keptBecause(event.because, 1)])
    return err(t().submissions.kept({ id: event.id, name: nameOf(event), reason }))
  },
  /** A submission in the outbox. `target`: the only service that may receive it; null if any service may. */
  entry: (
    event: SubmissionFields &
      LookAlikes & {
        readonly state: 'waiting' | 'sending' | 'unknown' | 'refused'
        readonly target: string | null
        readonly message: string | null
        readonly failure?: Failure | undefined
      },
  ) => {
    const { id, message, target, state } = event
    const isAddressed = state === 'waiting' && target !== null
    const name = nameOf(event)
    const words = isAddressed
      ? t().submissions.waitingFor({ id, name, target })
      : t().submissions[ENTRY[state]]({ id, name })
    const line = message === null ? words : t().sentences([words, reasonWords(message, event, t())])
    return out(line, ...lookAlikeLines(event))
  },
  resolved: ({ id, how }: { readonly id: RecordId; readonly how: 'adopted' | 'waits' | 'removed' }) =>
    out(t().submissions[how]({ id })),
}

const ENTRY = {
  waiting: 'waiting',
  sending: 'sending',
  unknown: 'entryUnknown',
  refused: 'entryRefused',
} as const

const nameOf = ({ inputs: { files, driveInputFolder: driveInput } }: Pick<SubmissionFields, 'inputs'>) =>
  jobName({ name: basename(files[0] ?? ''), files: files.length, driveInput: driveInput ?? null }, t())

/** Returns a name such as "a.jpg, Web 2048, Part 1 of 2". */
function partName(event: SubmissionFields): string {
  const { group } = event
  const name = nameOf(event)
  if (group === undefined) return name
  return t().submissions.ofPart({ name, preset: presetName(group.preset, t()), part: t().parts.part(group) })
}

const lookAlikeLines = ({ lookAlikes }: LookAlikes): readonly string[] =>
  lookAlikes.map(({ jobId: job, name, preset, status }) =>
    indented(t().submissions.mayBe({ job, name, preset: presetName(preset, t()), status })),
  )

function keptBecause(because: WaitingReason, count: number): string {
  const words = t().keptBecause[because]
  return typeof words === 'string' ? words : words({ count })
}

/** Returns one summary for each reason. */
export const keptSummaries = (events: readonly Kept[]) =>
  [...Map.groupBy(events, ({ because }) => because)].map(([because, kept]) => {
    const { length: count } = kept
    const [names, reason] = [someOf(kept.map(nameOf)), keptBecause(because, count)]
    return err(t().submissions.keptMany({ count, names, reason }), indented(t().submissions.keptHint))
  })

const reasonOf = (one: FileError): string => reasonWords(one.error, one, t())

/**
 * Lists problems. Lists a problem once if several variations of a file have it. Groups many problems by reason.
 * @param of returns the sentence about a problem
 */
export function problemLines(
  problems: readonly FileError[],
  of: (values: { readonly what: string }) => string,
  isWhole: boolean,
): readonly string[] {
  const line = (what: string) => indented(of({ what }))
  const lines = new Set(
    problems.map((one) => line(one.file === '' ? reasonOf(one) : t().labeled(one.file, reasonOf(one)))),
  )
  if (isWhole || lines.size <= FEW) return [...lines]
  return [...Map.groupBy(problems, reasonOf)].map(([reason, some]) => {
    const files = [...new Set(some.map(({ file }) => file).filter((file) => file !== ''))]
    const count = t().count.files({ count: files.length })
    return line(files.length === 0 ? reason : `${t().labeled(count, reason)} (${someOf(files)})`)
  })
}
