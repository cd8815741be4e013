/** Records that nothing would ever end: what they were waiting for is gone with an earlier process. */
import { messageOf } from '../../node/errors.ts'
import { inTurns } from '../../node/in-turns.ts'
import type { Timing } from '../../node/timing.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Downloads } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { Outbox } from '../outbox/index.ts'

export type EndingDeps = {
  readonly history: Pick<
    History,
    'applyRetention' | 'endlessJobs' | 'withoutJob' | 'details' | 'recordOutcome' | 'recordOutcomes'
  >
  readonly outbox: Pick<Outbox, 'get'>
  readonly downloads: Pick<Downloads, 'isBegun'>
  readonly timing: Pick<Timing, 'clock' | 'after'>
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

const notEnded =
  ({ log }: EndingDeps) =>
  (error: unknown): void =>
    log('records not ended', { error: messageOf(error) })

/** A history that can't be written at the moment keeps nobody from working; the next opening does it. */
function ifWritable(deps: EndingDeps, work: () => void): void {
  try {
    work()
  } catch (error) {
    notEnded(deps)(error)
  }
}

/** What has been over for longer than the settings keep it. */
export function dropOldRecords(deps: EndingDeps, keepDays: number | null): void {
  ifWritable(deps, () => deps.history.applyRetention(keepDays))
}

/**
 * When a process begins to be the one that sends: a submission that was taken back, or whose outbox was damaged, is
 * *cancelled*, and a job of a built-in service that has ended is *forgotten* (rule 4). Both can be tried again from the
 * history. Jobs come first, since they are about to be followed.
 *
 * @returns a function that leaves the rest for another time
 */
export function endOrphans(deps: EndingDeps): () => void {
  const { history, outbox, downloads } = deps
  const { clock, after } = deps.timing
  const isComing = (id: RecordId) => outbox.get(id) !== undefined || downloads.isBegun(id)

  ifWritable(deps, () => {
    const gone = history.endlessJobs().filter((job) => job.connection === 'builtIn' && !isComing(job.id))
    const ids = gone.map(({ id }) => id)
    history.recordOutcomes(ids, { kind: 'forgotten' }, clock())
  })
  return inTurns(
    history.withoutJob(),
    after,
    (ids) => {
      const gone = ids.filter((id) => !isComing(id))
      history.recordOutcomes(gone, { kind: 'cancelled', results: 0 }, clock())
    },
    notEnded(deps),
  )
}

/** At an orderly end, which is the end of the built-in service and of what it was working on. */
export function endBuiltInJobs(deps: EndingDeps): void {
  const { history, downloads, timing } = deps
  ifWritable(deps, () => {
    for (const { id, connection } of history.endlessJobs()) {
      if (connection !== 'builtIn' || downloads.isBegun(id)) continue
      const results = history.details(id)?.results.length ?? 0
      history.recordOutcome(id, { kind: 'cancelled', results }, timing.clock())
    }
  })
}
