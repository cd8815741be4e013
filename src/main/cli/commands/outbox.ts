import { asRecordId } from '../../../shared/model/ids.ts'
import type { ListedSubmission, Resolution, StoredSubmission } from '../../outbox/index.ts'
import { type CliCommand, openToSend } from '../context.ts'
import { EXIT, combinedExitCode } from '../exit-code.ts'
import { followSubmissions, isFor, submissionOf } from '../follow-submissions.ts'
import type { CliEvent } from '../output/event.ts'
import { bringUpToDate, connected } from '../reach-service.ts'

/** What waits, what was refused, and what may have arrived. The service is not asked. */
export const listOutbox: CliCommand = async (context) => {
  const core = context.openCore({ connected: false, sends: false })
  const entries = core.outbox.list()
  for (const { id } of entries) {
    const submission = core.outbox.whole(id)
    if (submission !== undefined) context.report.say(entryEvent(submission))
  }
  if (entries.length === 0) context.report.say({ event: 'notice', message: 'The outbox is empty.' })
  return EXIT.done
}

/** Sends what waits, finds out what is in doubt, and ends when nothing is left that moves by itself. */
export const sendOutbox: CliCommand<{ readonly watch: boolean }> = async (context, { watch }) => {
  const { report, service } = context
  const memory = context.openCore({ connected: false, sends: false })
  // A job that nobody waited for may be over by now, and its results still there.
  if (service.kind === 'external') await bringUpToDate(context, memory)
  const all = memory.outbox.list().filter(moves)
  const mine = all.filter((submission) => isFor(context, submission))
  const elsewhere = all.length - mine.length
  if (elsewhere > 0) {
    report.say({
      event: 'notice',
      message: `${elsewhere} in the outbox ${elsewhere === 1 ? 'is' : 'are'} meant for another service, and ${elsewhere === 1 ? 'waits' : 'wait'} for it; “outbox” says which, --base-url names it.`,
    })
  }
  if (mine.length === 0 && !memory.downloads.busy()) {
    report.say({ event: 'notice', message: 'Nothing waits to be sent.' })
    return EXIT.done
  }
  const { core, sends } = await openToSend(context)
  if (!sends || !core.outbox.claim()) {
    report.say({
      event: 'notice',
      message: 'Mediatray, or another command, is running and sends what waits. Nothing was done here.',
    })
    return EXIT.done
  }
  await connected(core, context)
  const ids = mine.map(({ id }) => id)
  return combinedExitCode(
    await followSubmissions(context, core, ids, { wait: false, watch, sends: true, untilQuiet: true }),
  )
}

const moves = ({ state }: ListedSubmission): boolean =>
  state.kind === 'waiting' || state.kind === 'sending' || (state.kind === 'unknown' && !state.leftToUser)

export type Decision = Resolution

/** The person's word on a submission that may have arrived; one that merely waits, or was refused, can be removed. */
export const resolveOutbox: CliCommand<{ readonly id: string; readonly decision: Decision }> = async (
  context,
  { id: text, decision },
) => {
  const { report } = context
  const id = asRecordId(text)
  const core = context.openCore({ connected: false, sends: false })
  const submission = core.outbox.get(id)
  if (submission === undefined) {
    report.say({ event: 'notice', message: `There is no “${text}” in the outbox; “outbox” lists it.` })
    return EXIT.failed
  }
  const done = core.sender.resolve(id, decision) || (decision.kind === 'remove' && core.outbox.remove(id))
  if (!done) {
    report.say({
      event: 'notice',
      message:
        submission.state.kind === 'sending'
          ? 'It is being sent, or was when its command ended; “outbox send” finds out what came of it.'
          : 'There is nothing to decide about it: it is not in doubt.',
    })
    return EXIT.failed
  }
  const how = { adopt: 'adopted', sendAgain: 'waits', remove: 'removed' } as const
  report.say({ event: 'resolved', id, how: how[decision.kind] })
  return EXIT.done
}

function entryEvent(submission: StoredSubmission): CliEvent {
  const { id, plan, target, state } = submission
  return {
    event: 'entry',
    ...submissionOf({ id, inputs: plan.items, driveInput: plan.driveInput }),
    // An accepted one is in the history a moment later, and is not listed.
    state: state.kind === 'accepted' ? 'sending' : state.kind,
    target: state.kind === 'unknown' || state.kind === 'sending' ? state.attempt.service : (target ?? null),
    message: state.kind === 'refused' ? state.refusal.message : null,
    lookAlikes: state.kind === 'unknown' ? state.candidates : [],
  }
}
