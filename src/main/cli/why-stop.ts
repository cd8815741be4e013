import type { RecordId } from '../../shared/model/ids.ts'
import type { WaitingReason } from '../../shared/model/work.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import type { Core } from '../core/index.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { t } from './output/words.ts'

export type FollowOptions = {
  /** Until the jobs are over; otherwise until they are accepted. */
  readonly wait: boolean
  /** Shows everything that is under way, not only these. */
  readonly watch: boolean
  /** False: another process does the sending. */
  readonly sends: boolean
  /** Goes on until nothing is left that moves by itself. */
  readonly untilQuiet?: boolean
}

/** Where the submissions of a command are. */
export type Followed = {
  /** Not over yet, or not accepted where that is all that is waited for. */
  readonly open: Set<RecordId>
  readonly accepted: Set<RecordId>
  readonly codes: ExitCode[]
  /** ms, by the monotonic clock: when one of them was accepted or came to its end. */
  lastMove: number
}

export type Stop = {
  readonly code: ExitCode
  /** What the submissions that were not sent wait for. */
  readonly because: WaitingReason
  readonly words?: string
}

/** A service that was there and is away for longer counts as gone, in ms. */
const PATIENCE_MS = 30_000

const SENT_BY_ANOTHER =
  'Mediatray, or another command, is running and does the sending. It sends only to its own service; use “outbox send” when it has ended.'

const dataGoneWords = (folder: string): string =>
  `The files in which Mediatray keeps its work were deleted or moved: ${folder}. What was not sent is lost with them.`

export const diskFullWords = (folder: string): string =>
  `The disk is full: there is no room left on ${folder}. Work goes on when there is.`

/** @returns what says, each time it is asked, why nothing more will come of waiting; undefined while something may */
export function createStopRule(
  { service, environment, report }: Context,
  core: Core,
  followed: Followed,
  options: FollowOptions,
): () => Stop | undefined {
  const { timing, interrupted } = environment
  let wasOnline = false
  let awaySince: number | undefined
  let fullSince: number | undefined

  const isOverdue = (since: number) => timing.monotonic() - since > PATIENCE_MS

  function connectionStop(): Stop | undefined {
    const view = core.connection.view()
    const { state } = view
    const words = connectionLine(view, t)
    switch (state.status) {
      case 'online':
        wasOnline = true
        awaySince = undefined
        return undefined
      case 'connecting':
      // The other process has a connection.
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
            ? `The built-in service could not be started: ${detail}`
            : `${words}: it can’t be reached. ${detail}`,
        }
      }
      default:
        return { code: EXIT.notReachable, because: 'wrongVersion', words }
    }
  }

  /** Nothing can be written down, so nothing is sent and no outcome is kept. There may be room again soon. */
  function diskStop(): Stop | undefined {
    const { notices } = core.state.get()
    const gone = notices.find((notice) => notice.kind === 'dataGone')
    if (gone !== undefined) {
      return { code: EXIT.notKept, because: 'diskFull', words: dataGoneWords(gone.folder) }
    }
    const full = notices.find((notice) => notice.kind === 'diskFull')
    if (full === undefined) {
      fullSince = undefined
      return undefined
    }
    if (fullSince === undefined) {
      fullSince = timing.monotonic()
      report.progress([])
      report.say({ event: 'notice', message: diskFullWords(full.folder) })
    }
    return isOverdue(fullSince) ? { code: EXIT.notKept, because: 'diskFull' } : undefined
  }

  /** A command that does not wait for jobs does not wait for space in the queue either. */
  function queueStop(): Stop | undefined {
    const waiting = core.state.get().outbox.filter(({ id }) => followed.open.has(id))
    const isFull = waiting.some(({ state }) => state.kind === 'waiting' && state.because === 'queueFull')
    return isFull ? { code: EXIT.notReachable, because: 'queueFull' } : undefined
  }

  return () => {
    if (interrupted.aborted) return { code: EXIT.interrupted, because: 'turn' }
    const hasUnsent = [...followed.open].some((id) => !followed.accepted.has(id))
    const isSender = options.sends && core.outbox.claim()
    if (!isSender && hasUnsent && !service.isApps) {
      return { code: EXIT.notReachable, because: 'turn', words: SENT_BY_ANOTHER }
    }
    const stop = diskStop() ?? connectionStop()
    if (stop !== undefined || !hasUnsent) return stop
    if (!isSender && isOverdue(followed.lastMove)) return { code: EXIT.notReachable, because: 'turn' }
    return options.wait || options.untilQuiet === true ? undefined : queueStop()
  }
}
