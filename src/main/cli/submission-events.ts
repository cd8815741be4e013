/** Describes submissions and their jobs as events. */
import { inEnglish } from '../../shared/i18n/in-english.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Outcome, PartDetails, PartTitle, WaitingReason } from '../../shared/model/job.ts'
import { originalsByResult } from '../core/index.ts'
import { pathOfProblem } from '../history/index.ts'
import { postponedBecause, type Submission } from '../outbox/index.ts'
import type { EventOf, PartRef, SubmissionFields } from './output/events.ts'

/** Returns the part's place in its job if the job has several parts. */
export const partRefOf = ({
  place: { id, part, parts },
  preset,
}: Pick<PartTitle, 'place' | 'preset'>): { readonly group?: PartRef } =>
  parts === 1 ? {} : { group: { id, part: part + 1, parts, preset } }

type Named = Pick<PartTitle, 'place' | 'preset' | 'driveInput'> & {
  readonly id: RecordId
  readonly inputs: readonly { readonly path: string }[]
}

export const submissionOf = ({ id, inputs, driveInput, ...title }: Named): SubmissionFields => ({
  id,
  ...partRefOf(title),
  inputs: {
    files: inputs.map(({ path }) => path),
    ...(driveInput === null ? {} : { driveInputFolder: driveInput }),
  },
})

export const submissionIn = ({ title, plan }: Submission): SubmissionFields =>
  submissionOf({ ...title, inputs: plan.items })

/** Describes an ended job. Uses a file's full path if the file can be matched to an input. */
export function finishedEvent(record: PartDetails, outcome: Outcome): EventOf<'finished'> {
  const { problems, files, variations, facts } = record
  const originals = originalsByResult(record)
  return {
    event: 'finished',
    ...submissionOf(record),
    jobId: facts.jobId,
    outcome,
    files,
    variations,
    results: record.results.map((one) => ({ ...one, file: originals.get(one.outputPath) ?? one.file })),
    problems: problems.map((one) => ({ ...one, file: pathOfProblem(one, record) })),
    notes: facts.notes,
  }
}

/** Describes a submission that stays in the outbox. @param because why it isn't sent. A postponed submission uses its own reason instead */
export function keptEvent(submission: Submission, because: WaitingReason): EventOf<'kept'> {
  const { state } = submission
  const why =
    state.kind === 'waiting' && state.unsaved !== undefined
      ? { because: postponedBecause(state.unsaved), message: inEnglish(state.unsaved) }
      : { because }
  return { event: 'kept', ...submissionIn(submission), ...why }
}
