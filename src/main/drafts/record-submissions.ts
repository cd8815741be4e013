import { messageOf } from '../../node/errors.ts'
import { inTurns } from '../../node/turns.ts'
import type { Timing } from '../../node/timing.ts'
import type { History, SubmissionRecord } from '../history/index.ts'
import type { Outbox, StoredSubmission } from '../outbox/index.ts'

export type SubmissionRecorder = {
  /**
   * The outbox is written first, and the history follows: a few at once, more than that in later turns, so that a thousand
   * files don't stop everything else. What a crash keeps from the history is made good at the next start, and by the acceptance.
   */
  record(submissions: readonly StoredSubmission[]): void
  /** Leaves what is not recorded yet to the next start. */
  stop(): void
}

export type SubmissionRecorderDeps = {
  readonly history: Pick<History, 'recordSubmissions'>
  readonly after: Timing['after']
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** Few enough to be written within one frame of the screen. */
const AT_ONCE = 10
const RETRY_MS = 10_000

export function createSubmissionRecorder({
  history,
  after,
  log,
}: SubmissionRecorderDeps): SubmissionRecorder {
  let waiting: readonly StoredSubmission[] = []
  /** How many of those are in the history. */
  let recorded = 0
  let cancel: (() => void) | undefined

  function recordSome(): void {
    cancel = undefined
    const some = waiting.slice(recorded, recorded + AT_ONCE)
    try {
      history.recordSubmissions(some.map(submissionRecord))
      recorded += some.length
      goOn(0)
    } catch (error) {
      log('submissions not recorded', { count: waiting.length - recorded, error: messageOf(error) })
      goOn(RETRY_MS)
    }
  }

  function goOn(ms: number): void {
    if (recorded < waiting.length) cancel ??= after(ms, recordSome)
    else waiting = []
  }

  return {
    record(submissions) {
      waiting = [...waiting.slice(recorded), ...submissions]
      recorded = 0
      if (submissions.length > AT_ONCE) goOn(0)
      else if (cancel === undefined && submissions.length > 0) recordSome()
    },
    stop() {
      cancel?.()
      waiting = []
    },
  }
}

/**
 * What a crash, or a history that was damaged, has kept from being recorded of the outbox.
 *
 * @returns a function that ends the looking
 */
export function recordMissing({
  outbox,
  history,
  after,
  log,
}: SubmissionRecorderDeps & {
  readonly outbox: Pick<Outbox, 'pages' | 'whole'>
  readonly history: Pick<History, 'has'>
}): () => void {
  const recorder = createSubmissionRecorder({ history, after, log })
  const stop = inTurns(
    outbox.pages(),
    after,
    (page) => {
      const missing = page.filter(({ id }) => !history.has(id))
      recorder.record(missing.flatMap(({ id }) => outbox.whole(id) ?? []))
    },
    (error) => log('submissions not compared', { error: messageOf(error) }),
  )
  return () => {
    stop()
    recorder.stop()
  }
}

export const submissionRecord = ({ title, plan }: StoredSubmission): SubmissionRecord => ({
  title,
  inputs: plan.items,
  grouping: plan.grouping,
  forecast: plan.forecast,
})
