/** Records that nothing would ever end: what they were waiting for is gone with an earlier process. */
import { messageOf } from '../../node/errors.ts'
import type { Downloads } from '../downloads/index.ts'
import type { EndlessRecord, History } from '../history/index.ts'
import type { Outbox } from '../outbox/index.ts'

export type EndingDeps = {
  readonly history: Pick<History, 'applyRetention' | 'endless' | 'details' | 'recordOutcome'>
  readonly outbox: Pick<Outbox, 'list' | 'accepted'>
  readonly downloads: Pick<Downloads, 'isBegun'>
  /** ms since 1970. */
  readonly clock: () => number
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** A history that can't be written at the moment keeps nobody from working; the next opening does it. */
function ifWritable({ log }: EndingDeps, work: () => void): void {
  try {
    work()
  } catch (error) {
    log('records not ended', { error: messageOf(error) })
  }
}

/** What has been over for longer than the settings keep it. */
export function dropOldRecords(deps: EndingDeps, keepDays: number | null): void {
  ifWritable(deps, () => deps.history.applyRetention(keepDays))
}

/**
 * At the opening, in the process that sends: a submission that was taken back, or whose outbox was damaged, is *cancelled*,
 * and a job of a built-in service that has ended is *forgotten* (rule 4). Both can be tried again from the history.
 */
export function endOrphans(deps: EndingDeps): void {
  const { history, outbox, downloads, clock } = deps
  ifWritable(deps, () => {
    const coming = new Set([...outbox.list(), ...outbox.accepted()].map(({ id }) => id))
    for (const { id, jobId, connection } of history.endless()) {
      if (coming.has(id) || downloads.isBegun(id)) continue
      if (jobId === null) history.recordOutcome(id, { kind: 'cancelled', results: 0 }, clock())
      else if (connection === 'builtIn') history.recordOutcome(id, { kind: 'forgotten' }, clock())
    }
  })
}

/** At an orderly end, which is the end of the built-in service and of what it was working on. */
export function endBuiltInJobs(deps: EndingDeps): void {
  const { history, downloads, clock } = deps
  ifWritable(deps, () => {
    for (const { id } of history.endless().filter(isBuiltInJob)) {
      if (downloads.isBegun(id)) continue
      const results = history.details(id)?.results.length ?? 0
      history.recordOutcome(id, { kind: 'cancelled', results }, clock())
    }
  })
}

const isBuiltInJob = ({ jobId, connection }: EndlessRecord): boolean =>
  jobId !== null && connection === 'builtIn'
