import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import type { Timing } from '../../node/timing.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { WaitingReason } from '../../shared/model/job.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import type { Line } from '../core/index.ts'
import type { Context } from './context.ts'
import { dataFolder } from './environment.ts'
import { unreadableWords } from './explain-wait.ts'
import { t } from './output/language.ts'
import { notice } from './output/events.ts'

export type FollowOptions = {
  /**
   * Whether to wait until the jobs have finished instead of until they have been accepted. The command always waits for jobs of the
   * built-in service.
   */
  readonly wait: boolean
  /** Whether to show all jobs and submissions in progress, not only those of this command. */
  readonly watch: boolean
  /** Whether to continue until only submissions that need the user's decision are left. */
  readonly untilQuiet?: boolean
  /** Records of ended jobs whose originals still have to be replaced. The command also reports what happens to these originals. */
  readonly replacing?: readonly RecordId[]
  /** Whether the jobs are the command's own, so that Ctrl-C cancels them. */
  readonly own?: boolean
  /** Whether an earlier command has followed the submissions and reported which of them were accepted. */
  readonly isContinued?: boolean
  /** Whether failed files still exist afterward. A photo from stdin doesn't. */
  readonly canRepeat?: boolean
}

export type Stop = {
  readonly code: ExitCode
  /** Why the remaining submissions weren't sent. */
  readonly because: WaitingReason
  readonly words?: string
  readonly isCanceled?: boolean
}

/** How long a problem may last, in ms, before the command stops waiting. */
const PATIENCE_MS = 30_000

/** Whether the data files are still where they were opened. */
export const areFilesInPlace = ({ outbox, history }: Pick<Line, 'outbox' | 'history'>): boolean =>
  outbox.isInPlace() && history.isInPlace()

/**
 * Returns a stop if the data files have been deleted, moved or replaced; otherwise undefined. Call this before reporting that anything else
 * is missing.
 */
export function dataGoneStop({ line, environment }: Context): Stop | undefined {
  if (areFilesInPlace(line)) return undefined
  const words = t().stops.dataGone({ folder: dataFolder(environment) })
  return { code: EXIT.notKept, because: 'diskFull', words }
}

function notAnsweredWords({ connection, tracker }: Line): string {
  const why = tracker.unanswered()?.error?.message ?? ''
  return t().stops.noJobList({ address: connection.view().address, why }).trimEnd()
}

/** Creates a function that checks whether a condition has lasted too long. */
function patience({ monotonic }: Timing): (isSo: boolean) => boolean {
  let since: number | undefined
  return (isSo) => {
    since = isSo ? (since ?? monotonic()) : undefined
    return since !== undefined && monotonic() - since > PATIENCE_MS
  }
}

/**
 * Whether all open submissions have been postponed because their results can't be saved now. Only files of watched folders are postponed
 * for this reason.
 */
const isAllPostponed = ({ outbox }: Line, open: ReadonlySet<RecordId>): boolean =>
  [...open].every((id) => {
    const state = outbox.get(id)?.state
    // Submissions that an earlier process postponed don't count, because they are sent immediately.
    return state?.kind === 'waiting' && state.unsaved !== undefined && state.notBefore !== null
  })

/**
 * Creates a function that checks whether waiting is still useful.
 * @param open the submissions that the command waits for
 * @param accepted which of them the service has accepted
 * @returns a function that returns why to stop; undefined while waiting is useful
 */
export function createStopRule(
  context: Context,
  { open, accepted }: Readonly<Record<'open' | 'accepted', ReadonlySet<RecordId>>>,
  options: FollowOptions,
): () => Stop | undefined {
  const { service, environment, report, line } = context
  const { timing, interrupted } = environment
  let wasOnline = false
  let awaySince: number | undefined
  let wasUnsaved = false
  const isOverdue = (since: number) => timing.monotonic() - since > PATIENCE_MS
  const isFailingForLong = patience(timing)
  const isUnreadableForLong = patience(timing)
  const isUnsavedForLong = patience(timing)

  /** Returns a stop if the originals of ended jobs can't be replaced for a while. A full disk has a separate rule. */
  const originalsStop = (): Stop | undefined =>
    isFailingForLong(line.replacing.isFailing()) ? { code: EXIT.problems, because: 'turn' } : undefined

  function connectionStop(): Stop | undefined {
    const view = line.connection.view()
    const { state } = view
    const words = connectionLine(view, t())
    switch (state.status) {
      case 'online':
        wasOnline = true
        awaySince = line.tracker.unanswered()?.since
        return awaySince !== undefined && isOverdue(awaySince)
          ? { code: EXIT.notReachable, because: 'offline', words: notAnsweredWords(line) }
          : undefined
      case 'connecting':
      case 'unconfigured':
        return undefined
      case 'keyRefused':
        return { code: EXIT.keyRefused, because: 'keyRefused', words }
      case 'offline': {
        awaySince ??= timing.monotonic()
        const hasFailed = state.reason === 'builtInFailed'
        if (wasOnline && !hasFailed && !isOverdue(awaySince)) return undefined
        const detail = state.detail ?? ''
        return {
          code: EXIT.notReachable,
          because: 'offline',
          words: hasFailed
            ? t().stops[wasOnline ? 'serviceEnded' : 'notStarted']({ detail })
            : t().stops.offline({ trouble: words, detail }).trimEnd(),
        }
      }
      default:
        return { code: EXIT.notReachable, because: 'wrongVersion', words }
    }
  }

  /**
   * Returns a stop if none of the jobs' responses can be parsed for a while, because the command might never learn that these jobs have
   * finished.
   */
  function unreadableStop(): Stop | undefined {
    const { jobs } = line.state.get()
    const unreadable = jobs.filter((job) => open.has(job.id) && job.unreadable !== undefined)
    const [first] = unreadable
    const isLong = isUnreadableForLong(first !== undefined && unreadable.length >= open.size)
    return isLong && first !== undefined
      ? { code: EXIT.notReachable, because: 'turn', words: unreadableWords(first) }
      : undefined
  }

  /** Returns a stop if the data files are gone, or if data can't be saved for a while. A disk may have space again soon. */
  function diskStop(): Stop | undefined {
    const gone = dataGoneStop(context)
    if (gone !== undefined) return gone
    const { notices } = line.state.get()
    const trouble = notices.find((one) => one.kind === 'diskFull' || one.kind === 'dataNotWritten')
    if (trouble !== undefined && !wasUnsaved) {
      const why = trouble.kind === 'diskFull' ? 'full' : trouble.why
      report.progress([])
      report.say(notice(t().stops.retrying({ trouble: t().notWritten[why](trouble) })))
    }
    wasUnsaved = trouble !== undefined
    return isUnsavedForLong(wasUnsaved) ? { code: EXIT.notKept, because: 'diskFull' } : undefined
  }

  /** Returns a stop if the queue is full. A command that doesn't wait for jobs doesn't wait for space in the queue. */
  function queueStop(): Stop | undefined {
    const waiting = line.state.get().outbox.filter(({ id }) => open.has(id))
    return waiting.some(({ state }) => state.kind === 'waiting' && state.because === 'queueFull')
      ? { code: EXIT.notReachable, because: 'queueFull' }
      : undefined
  }

  return () => {
    if (interrupted.aborted) return { code: EXIT.interrupted, because: 'turn' }
    const hasUnsent = [...open].some((id) => !accepted.has(id))
    const stop = diskStop() ?? originalsStop() ?? connectionStop() ?? unreadableStop()
    if (stop !== undefined || !hasUnsent) return stop
    if (!options.watch && isAllPostponed(line, open)) return { code: EXIT.notReachable, because: 'output' }
    // Always wait for a built-in service: its queue drains automatically.
    const waits = options.wait || options.untilQuiet === true || service.kind === 'builtIn'
    return waits ? undefined : queueStop()
  }
}
