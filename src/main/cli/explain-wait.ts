/** Explains what a command is waiting for while it follows its submissions. The most urgent reason comes first. */
import type { PartAt } from '../../shared/model/job.ts'
import { connectionLine, jobLine } from '../../shared/i18n/sentences.ts'
import { jobName } from '../../shared/i18n/names.ts'
import type { Context } from './context.ts'
import type { Explanation } from './output/silence.ts'
import { t } from './output/english.ts'

/** How long the job list may be overdue, in ms, before the wait is explained to the user. */
const LATE_MS = 4_000

/** Explains why the service isn't polled or doesn't respond; null if there is no problem. */
export function explainService({ service, environment, line }: Context): Explanation | null {
  const view = line.connection.view()
  const { state } = view
  if (state.status === 'connecting') {
    const message =
      service.kind === 'builtIn'
        ? 'Waiting for the built-in service to start.'
        : `Waiting for a response from ${view.address}.`
    return { reason: 'service', message }
  }
  if (state.status === 'offline') {
    const detail = state.detail ?? ''
    return { reason: 'notAnswered', message: `${connectionLine(view, t)}. ${detail} Retrying.` }
  }
  const late = line.tracker.unanswered()
  if (state.status !== 'online' || late === null) return null
  if (environment.timing.monotonic() - late.since < LATE_MS) return null
  const why = late.error?.message ?? ''
  return { reason: 'notAnswered', message: `Waiting for the job list from ${view.address}. ${why}`.trimEnd() }
}

/**
 * Explains the current wait; null if there is nothing to explain.
 * @param isOpen whether the command still waits for this submission
 */
export function explainWait(
  context: Context,
  isOpen: (id: PartAt<'outbox'>['id']) => boolean,
): Explanation | null {
  const { jobs, outbox, notices } = context.line.state.get()
  if (notices.some(({ kind }) => kind === 'diskFull' || kind === 'dataNotWritten')) {
    return { reason: 'notWritten', message: 'Waiting until Mediatray can save its data again.' }
  }
  const unsent = outbox.filter(({ id }) => isOpen(id))
  const service = explainService(context)
  if (service !== null) return service
  const followed = jobs.filter(({ id }) => isOpen(id))
  const unreadable = followed.find((job) => job.unreadable !== undefined)
  if (unreadable !== undefined) return { reason: 'unreadable', message: unreadableWords(unreadable) }
  return explainUnsent(context, unsent) ?? explainJobs(followed)
}

export const unreadableWords = ({ jobId, unreadable = '' }: PartAt<'service'>): string =>
  `Couldn’t read the service’s response about ${jobId}: invalid value at “${unreadable}”. The job may still be running.`

/** Explains which submission the service is receiving, or may have received; null if there is none. */
export function explainSending(context: Context): Explanation | null {
  const { outbox } = context.line.state.get()
  return explainUnsent(
    context,
    outbox.filter(({ state }) => state.kind === 'sending' || (state.kind === 'unknown' && state.checking)),
  )
}

function explainUnsent({ line }: Context, unsent: readonly PartAt<'outbox'>[]): Explanation | null {
  const busy = unsent.find(({ state }) => state.kind === 'sending' || state.kind === 'unknown')
  const first = busy ?? unsent[0]
  if (first === undefined) return null
  const name = jobName(first, t)
  const { state } = first
  switch (state.kind) {
    case 'sending':
      return {
        reason: 'sending',
        isProgress: state.upload !== null,
        message:
          state.upload === null
            ? `Waiting for the service to accept ${name}.`
            : `Uploading ${name}: ${t.size(state.upload.sent)} of ${t.size(state.upload.total)}.`,
      }
    case 'unknown':
      return { reason: 'checking', message: `Checking the service’s job list for ${name}.` }
    case 'waiting': {
      if (state.because === 'queueFull') {
        return { reason: 'queueFull', message: `Waiting for room in the service’s queue to send ${name}.` }
      }
      const trouble = line.sender.trouble()?.message ?? ''
      return { reason: 'notAnswered', message: `Waiting to send ${name}. ${trouble}`.trimEnd() }
    }
    case 'refused':
      return null
  }
}

function explainJobs([first, ...more]: readonly PartAt<'service'>[]): Explanation {
  if (first === undefined) return { reason: 'working', message: 'Waiting until the results are in place.' }
  const others = more.length === 0 ? '' : ` and ${t.count.jobs({ count: more.length })} more`
  const message = `Waiting for ${jobName(first, t)}${others}: ${jobLine(first, t)}.`
  return { reason: 'working', isProgress: true, message }
}
