/** Explains what a command that follows its submissions is waiting for. The most urgent reason comes first. */
import type { Job, PartAt } from '../../shared/model/job.ts'
import { titleOf, unfinishedJobs } from '../../shared/model/job-state.ts'
import { connectionLine, lineOf } from '../../shared/i18n/sentences.ts'
import { jobName } from '../../shared/i18n/names.ts'
import type { Context } from './context.ts'
import type { Explanation } from './output/silence.ts'
import { t } from './output/language.ts'

/** How long the job list may be overdue, in ms, before the wait is explained to the user. */
const LATE_MS = 4_000

/** Explains why the service isn't polled or doesn't respond; null if there is no problem. */
export function explainService({ service, environment, line }: Context): Explanation | null {
  const view = line.connection.view()
  const { state } = view
  if (state.status === 'connecting') {
    const message = service.kind === 'builtIn' ? t().waits.builtIn : t().waits.response(view)
    return { reason: 'service', message }
  }
  if (state.status === 'offline') {
    const message = t().waits.retrying({ trouble: connectionLine(view, t()), detail: state.detail ?? '' })
    return { reason: 'notAnswered', message }
  }
  const late = line.tracker.unanswered()
  if (state.status !== 'online' || late === null) return null
  if (environment.timing.monotonic() - late.since < LATE_MS) return null
  const why = late.error?.message ?? ''
  const message = t().waits.jobList({ address: view.address, why }).trimEnd()
  return { reason: 'notAnswered', message }
}

/**
 * Explains the current wait; null if there is nothing to explain.
 * @param isOpen whether the command still waits for this submission
 */
export function explainWait(
  context: Context,
  isOpen: (id: PartAt<'outbox'>['id']) => boolean,
): Explanation | null {
  const state = context.line.state.get()
  const { jobs, outbox, notices } = state
  if (notices.some(({ kind }) => kind === 'diskFull' || kind === 'dataNotWritten')) {
    return { reason: 'notWritten', message: t().waits.saving }
  }
  const unsent = outbox.filter(({ id }) => isOpen(id))
  const service = explainService(context)
  if (service !== null) return service
  const followed = jobs.filter(({ id }) => isOpen(id))
  const unreadable = followed.find((job) => job.unreadable !== undefined)
  if (unreadable !== undefined) return { reason: 'unreadable', message: unreadableWords(unreadable) }
  return (
    explainUnsent(context, unsent) ??
    explainJobs(unfinishedJobs(state).filter(({ parts }) => parts.some(({ id }) => isOpen(id))))
  )
}

export const unreadableWords = ({ jobId, unreadable = '' }: PartAt<'service'>): string =>
  t().waits.unreadable({ job: jobId, field: unreadable })

/** Explains which submission the service is receiving, or may have received; null if there is none. */
export function explainSending(context: Context): Explanation | null {
  const { outbox } = context.line.state.get()
  return explainUnsent(
    context,
    outbox.filter(({ state }) => state.kind === 'sending' || (state.kind === 'unknown' && state.checking)),
  )
}

function explainUnsent({ line, service }: Context, unsent: readonly PartAt<'outbox'>[]): Explanation | null {
  const busy = unsent.find(({ state }) => state.kind === 'sending' || state.kind === 'unknown')
  const first = busy ?? unsent[0]
  if (first === undefined) return null
  const name = jobName(first, t())
  const { state } = first
  switch (state.kind) {
    case 'sending': {
      const { upload } = state
      if (upload === null) return { reason: 'sending', message: t().waits.accepting({ name }) }
      const [sent, total] = [t().size(upload.sent), t().size(upload.total)]
      return { reason: 'sending', isProgress: true, message: t().waits.uploading({ name, sent, total }) }
    }
    case 'unknown':
      return { reason: 'checking', message: t().waits.checking({ name }) }
    case 'waiting': {
      if (state.because === 'queueFull')
        return { reason: 'queueFull', message: t().waits.queueFull({ name }) }
      // The built-in service receives one job at a time, so this submission is simply queued.
      if (state.because === 'turn' && service.kind === 'builtIn') return null
      const why = line.sender.trouble()?.message ?? ''
      return { reason: 'notAnswered', message: t().waits.sending({ name, why }).trimEnd() }
    }
    case 'refused':
      return null
  }
}

function explainJobs([first, ...more]: readonly Job[]): Explanation {
  if (first === undefined) return { reason: 'working', message: t().waits.results }
  const job = { name: jobName(titleOf(first), t()), state: lineOf(first, t()) }
  const message = more.length === 0 ? t().waits.job(job) : t().waits.jobs({ ...job, count: more.length })
  return { reason: 'working', isProgress: true, message }
}
