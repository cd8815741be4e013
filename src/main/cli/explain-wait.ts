/** Explains what a command is waiting for while it follows its submissions. The most urgent reason comes first. */
import { systemZone } from '../../node/time-zone.ts'
import { quiet } from '../../shared/model/quiet.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { Zone } from '../../shared/time-window.ts'
import type { ActiveJob, OutboxEntry } from '../../shared/model/work.ts'
import { connectionLine, jobLine, quietWords } from '../../shared/i18n/sentences.ts'
import { workName } from '../../shared/i18n/names.ts'
import type { Core } from '../core/index.ts'
import { isDrainedElsewhere } from '../outbox/index.ts'
import { type Context, outboxFile } from './context.ts'
import type { Explanation } from './output/silence.ts'
import { t } from './output/words.ts'

/** How long the job list may be overdue, in ms, before the wait is explained to the user. */
const LATE_MS = 4_000

/** Explains why the service isn't polled or doesn't respond; null if there is no problem. */
export function explainService({ service, environment }: Context, core: Core): Explanation | null {
  const view = core.connection.view()
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
  const late = core.tracker.unanswered()
  if (state.status !== 'online' || late === null) return null
  if (environment.timing.monotonic() - late.since < LATE_MS) return null
  const why = late.error?.message ?? ''
  return { reason: 'notAnswered', message: `Waiting for the job list from ${view.address}. ${why}`.trimEnd() }
}

const WAITS_FOR_COMMAND =
  'Another command is running with its own built-in service. This submission is kept in the outbox and starts when that command ends.'

/**
 * Explains the current wait; null if there is nothing to explain.
 * @param isOpen whether the command still waits for this submission
 * @param isSender whether this process holds the right to send
 */
export function explainWait(
  context: Context,
  core: Core,
  isOpen: (id: OutboxEntry['id']) => boolean,
  isSender = core.outbox.claim(),
): Explanation | null {
  const { jobs, outbox, notices } = core.state.get()
  if (notices.some(({ kind }) => kind === 'diskFull' || kind === 'dataNotWritten')) {
    return { reason: 'notWritten', message: 'Waiting until Mediatray can save its data again.' }
  }
  const unsent = outbox.filter(({ id }) => isOpen(id))
  if (unsent.length > 0 && !isSender) {
    const { service, environment } = context
    const isDrained = service.kind === 'external' || isDrainedElsewhere(outboxFile(environment))
    const message = isDrained
      ? `Waiting for Mediatray or another command to send it.${quietNote(service.saved.view(), environment.timing.clock(), systemZone())}`
      : WAITS_FOR_COMMAND
    return { reason: 'otherProcess', message }
  }
  const service = explainService(context, core)
  if (service !== null) return service
  const followed = jobs.filter(({ id }) => isOpen(id))
  const unreadable = followed.find((job) => job.unreadable !== undefined)
  if (unreadable !== undefined) return { reason: 'unreadable', message: unreadableWords(unreadable) }
  return explainUnsent(core, unsent) ?? explainJobs(followed)
}

/** Describes what the app's quiet mode waits for, or may wait for. Only the app knows how the computer is used. */
export function quietNote(settings: Settings, now: number, zone: Zone): string {
  const { wait } = quiet(settings, { power: 'unknown', idleMs: null }, now, zone)
  if (wait !== null) return ` Quiet mode: ${quietWords(wait, t)}.`
  const { plugged, idle } = settings.quiet
  return plugged || idle ? ' Quiet mode may hold it back; the app shows what it waits for.' : ''
}

export const unreadableWords = ({ jobId, unreadable = '' }: ActiveJob): string =>
  `Couldn’t read the service’s response about ${jobId}: invalid value at “${unreadable}”. The job may still be running.`

/** Explains which submission the service is receiving, or may have received; null if there is none. */
export function explainSending(core: Core): Explanation | null {
  const { outbox } = core.state.get()
  return explainUnsent(
    core,
    outbox.filter(({ state }) => state.kind === 'sending' || (state.kind === 'unknown' && state.checking)),
  )
}

function explainUnsent(core: Core, unsent: readonly OutboxEntry[]): Explanation | null {
  const busy = unsent.find(({ state }) => state.kind === 'sending' || state.kind === 'unknown')
  const first = busy ?? unsent[0]
  if (first === undefined) return null
  const name = workName(first, t)
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
      const trouble = core.sender.trouble()?.message ?? ''
      return { reason: 'notAnswered', message: `Waiting to send ${name}. ${trouble}`.trimEnd() }
    }
    case 'refused':
      return null
  }
}

function explainJobs([first, ...more]: readonly ActiveJob[]): Explanation {
  if (first === undefined) return { reason: 'working', message: 'Waiting until the results are in place.' }
  const others = more.length === 0 ? '' : ` and ${t.count.jobs({ count: more.length })} more`
  const message = `Waiting for ${workName(first, t)}${others}: ${jobLine(first, t)}.`
  return { reason: 'working', isProgress: true, message }
}
