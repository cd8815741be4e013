import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Context } from './context.ts'
import type { OutcomeEvent } from './output/events.ts'
import { submissionIn } from './submission-events.ts'

/**
 * Reports the state of a submission that hasn't been accepted.
 * @param checked submissions for which a check of the job list has already been reported
 * @returns an exit code if the submission was refused or needs the user's decision; otherwise undefined
 */
export function checkUnsent(
  { report, environment, line }: Context,
  { checked, say }: { readonly checked: Set<RecordId>; readonly say: (event: OutcomeEvent) => void },
  id: RecordId,
): ExitCode | undefined {
  const submission = line.outbox.get(id)
  if (submission?.state.kind === 'refused') {
    say({ event: 'refused', ...submissionIn(submission), ...submission.state.refusal })
    return EXIT.failed
  }
  if (submission?.state.kind !== 'unknown') return undefined
  const { leftToUser, candidates, uncertainty } = submission.state
  if (leftToUser) {
    say({ event: 'unknown', ...submissionIn(submission), lookAlikes: candidates })
    return EXIT.notReachable
  }
  const shown = line.state.get().outbox.find((entry) => entry.id === id)?.state
  const end = shown?.kind === 'unknown' ? shown.until : undefined
  if (end === undefined || checked.has(id)) return undefined
  checked.add(id)
  const remainingMs = Math.max(0, Math.round(end - environment.timing.clock()))
  report.say({ event: 'checking', ...submissionIn(submission), cause: uncertainty.cause, remainingMs })
  return undefined
}
