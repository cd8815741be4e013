/** Reports submissions that no service has accepted, and jobs that continue after a command. */
import { forEachInSlices } from '../../node/slices.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { type EventOf, notice, type OutcomeEvent } from './output/event.ts'
import { keptEvent, submissionIn } from './submission-events.ts'
import type { Stop } from './why-stop.ts'

type Say = (event: OutcomeEvent) => void

/**
 * Reports the state of a submission that hasn't been accepted.
 * @param checked submissions for which a check of the job list has already been reported
 * @returns an exit code if the submission was refused or needs the user's decision
 */
export function checkUnsent(
  { report, environment, line }: Context,
  { checked, say }: { readonly checked: Set<RecordId>; readonly say: Say },
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

type Unfinished = {
  /** Those with jobs. */
  readonly sent: readonly RecordId[]
  readonly unsent: readonly RecordId[]
}

/** Reports what continues, and what the outbox keeps. A submission with an unknown outcome must not be reported as waiting. */
export async function reportUnfinished(
  { report, service, line }: Context,
  { sent, unsent }: Unfinished,
  { because }: Stop,
  say: Say,
): Promise<void> {
  const kept: EventOf<'kept'>[] = []
  await forEachInSlices(unsent, (id) => {
    const submission = line.outbox.get(id)
    if (submission === undefined) return
    const { state } = submission
    const lookAlikes = state.kind === 'unknown' ? state.candidates : []
    if (state.kind === 'unknown' || state.kind === 'sending')
      say({ event: 'unknown', ...submissionIn(submission), lookAlikes })
    else kept.push(keptEvent(submission, because))
  })
  report.sayEach(kept)
  if (sent.length === 0) return
  const where = service.kind === 'external' ? 'at the service' : 'in Mediatray'
  const words = sent.every((id) => line.history.summary(id)?.outcome)
    ? 'The jobs are done, but not all originals are replaced yet. Mediatray or “outbox send” continues.'
    : `Stopped waiting. The jobs continue ${where}; “history” shows their outcome.`
  report.say(notice(words))
}
