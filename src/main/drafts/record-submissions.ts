import type { Log } from '../../node/log.ts'
import { messageOf } from '../../node/errors.ts'
import { inTicks } from '../../node/serial-queue.ts'
import type { Timing } from '../../node/timing.ts'
import type { History } from '../history/index.ts'
import type { Outbox, Submission } from '../outbox/index.ts'

type SubmissionRecorderDeps = {
  readonly history: Pick<History, 'recordSubmissions'>
  readonly after: Timing['after']
  readonly log: Log
}

/** The number of submissions that can be written within one display frame. */
const AT_ONCE = 10
const RETRY_MS = 10_000

/**
 * Records submissions in the history after they are in the outbox. A small number is written immediately. A larger number is spread
 * over several event-loop ticks, so that a thousand files don't block the process. After a crash, missing records are written at
 * the next launch or on acceptance.
 */
export function createSubmissionRecorder({ history, after, log }: SubmissionRecorderDeps) {
  let waiting: readonly Submission[] = []
  /** Number of waiting submissions that are already in the history. */
  let recorded = 0
  let cancel: (() => void) | undefined

  function recordSome(): void {
    cancel = undefined
    const some = waiting.slice(recorded, recorded + AT_ONCE)
    try {
      history.recordSubmissions(some)
      recorded += some.length
      scheduleNext(0)
    } catch (error) {
      log('submissions not recorded', { count: waiting.length - recorded, error: messageOf(error) })
      scheduleNext(RETRY_MS)
    }
  }

  function scheduleNext(ms: number): void {
    if (recorded < waiting.length) cancel ??= after(ms, recordSome)
    else waiting = []
  }

  return {
    record(submissions: readonly Submission[]): void {
      waiting = [...waiting.slice(recorded), ...submissions]
      recorded = 0
      if (submissions.length > AT_ONCE) scheduleNext(0)
      else if (cancel === undefined && submissions.length > 0) recordSome()
    },
    /** Stops recording. The next launch records the remaining submissions. */
    stop(): void {
      cancel?.()
      waiting = []
    },
  }
}

/**
 * Records submissions that are in the outbox but missing from the history after a crash or damage.
 * @returns a function that stops recording
 */
export function recordMissing({
  outbox,
  history,
  after,
  log,
}: SubmissionRecorderDeps & {
  readonly outbox: Pick<Outbox, 'pages'>
  readonly history: Pick<History, 'has'>
}): () => void {
  const recorder = createSubmissionRecorder({ history, after, log })
  const stop = inTicks(
    outbox.pages(),
    after,
    (page) => recorder.record(page.filter(({ id }) => !history.has(id))),
    (error) => log('submissions not compared', { error: messageOf(error) }),
  )
  return () => {
    stop()
    recorder.stop()
  }
}
