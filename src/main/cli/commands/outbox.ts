import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import { asRecordId, type RecordId } from '../../../shared/model/ids.ts'
import { needsUser, type Resolution, type Submission } from '../../outbox/index.ts'
import { isForService, type CliCommand, type Context } from '../context.ts'
import { combinedExitCode } from '../exit-code.ts'
import { because } from '../../../shared/service-error.ts'
import { followSubmissions } from '../follow-submissions.ts'
import { submissionIn } from '../submission-events.ts'
import { t } from '../output/language.ts'
import { endWith, notice, type CliEvent } from '../output/events.ts'
import { bringUpToDate, connected, settled } from '../reach-service.ts'

/** Lists the submissions in the outbox without contacting the service. */
export const listOutbox: CliCommand = async (context) => {
  await settled(context)
  const entries = context.line.outbox.list()
  for (const submission of entries) context.report.say(entryEvent(submission))
  if (entries.length === 0) context.report.say(notice(t().answers.outboxEmpty))
  return EXIT.done
}

/**
 * Sends waiting submissions and resolves unconfirmed ones. Also continues the built-in service's jobs, downloads and replacements. Ends
 * when only submissions that need the user's decision are left.
 */
export const sendOutbox: CliCommand<{ readonly watch?: boolean }> = async (context, { watch = false }) => {
  const { report, service, environment, line: core } = context
  await settled(context)
  // A job that no command waited for may have finished by now, and its results may still be available.
  if (service.kind === 'external') await bringUpToDate(context)
  const all = core.outbox
    .list()
    .filter((submission) => moves(submission) || submission.state.kind === 'unknown')
  const mine = all.filter((submission) => isForService(context, submission))
  const ids = [...mine.filter(moves).map(({ id }) => id), ...runningBuiltIn(context)]
  const elsewhere = all.length - mine.length
  if (elsewhere > 0) report.say(notice(t().answers.otherService({ count: elsewhere })))
  const undecided = mine.flatMap((submission): readonly ExitCode[] => {
    const { state } = submission
    if (state.kind !== 'unknown' || !state.leftToUser) return []
    report.say({ event: 'unknown', ...submissionIn(submission), lookAlikes: state.candidates })
    return [EXIT.notReachable]
  })
  const replacing = core.replacing.pending().map(({ id }) => id)
  if (ids.length === 0 && !core.downloads.busy() && replacing.length === 0) {
    if (undecided.length === 0) report.say(notice(t().answers.nothingToSend))
    return combinedExitCode(undecided)
  }
  environment.owner.needService()
  await connected(context)
  // Exempt these jobs from quiet mode, because the user wants them now.
  core.quiet.startAnyway(ids)
  core.sender.wake()
  const followed = await followSubmissions(context, ids, {
    wait: false,
    watch,
    replacing,
    untilQuiet: true,
    isContinued: true,
  })
  return combinedExitCode([...undecided, ...followed])
}

/** Returns the built-in service's jobs that are still running, for example after the terminal of their command was closed. */
const runningBuiltIn = ({ service, line }: Context): readonly RecordId[] =>
  service.kind === 'external'
    ? []
    : line.history
        .unfinished()
        .flatMap(({ connection, title }) =>
          connection === 'builtIn' && title.origin === 'ours' ? title.id : [],
        )

const moves = (submission: Submission): boolean =>
  submission.state.kind !== 'accepted' && !needsUser(submission)

export type Decision = Resolution

/** Applies the user's decision about an unconfirmed submission. Waiting or refused submissions can only be removed. */
export const resolveOutbox: CliCommand<{ readonly id: string; readonly decision: Decision }> = async (
  context,
  { id: text, decision },
) => {
  const { report, line: core } = context
  const id = asRecordId(text)
  const submission = core.outbox.get(id)
  if (submission === undefined) return endWith(report, t().answers.notInOutbox({ id: text }))
  const done =
    core.sender.resolve(id, decision) ||
    (decision.kind === 'remove' && core.outbox.remove(id, 'part').length > 0)
  if (!done) {
    const isSending = submission.state.kind === 'sending'
    return endWith(report, isSending ? t().answers.isSending : t().answers.notUndecided)
  }
  const how = { adopt: 'adopted', sendAgain: 'waits', remove: 'removed' } as const
  report.say({ event: 'resolved', id, how: how[decision.kind] })
  return EXIT.done
}

function entryEvent(submission: Submission): CliEvent {
  const { title, state } = submission
  const { message = null, failure } = whyNotSent(state)
  return {
    event: 'entry',
    ...submissionIn(submission),
    // An accepted submission moves to the history a moment later and isn't listed here.
    state: state.kind === 'accepted' ? 'sending' : state.kind,
    target:
      state.kind === 'unknown' || state.kind === 'sending' ? state.attempt.service : (title.service ?? null),
    message,
    failure,
    lookAlikes: state.kind === 'unknown' ? state.candidates : [],
  }
}

function whyNotSent(state: Submission['state']): Partial<ReturnType<typeof because>> {
  if (state.kind === 'refused') return state.refusal
  return state.kind === 'waiting' && state.unsaved !== undefined ? because(state.unsaved) : {}
}
