/** Waits for the clipboard's jobs to end. */
import type { RecordId } from '../../../shared/model/ids.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import type { Core } from '../../core/index.ts'
import { needsUser } from '../../outbox/index.ts'

export type EndingOptions = Pick<Core, 'history' | 'outbox'>

/** The finished job, or why it may never finish. */
type Ended = PartDetails | 'withdrawn' | 'needsUser'

export function createJobEndings({ history, outbox }: EndingOptions) {
  const waiting = new Map<RecordId, (ended: Ended) => void>()
  const own = new Set<RecordId>()

  function settle(id: RecordId, ended: Ended): void {
    waiting.get(id)?.(ended)
    waiting.delete(id)
  }

  function whyNever(id: RecordId): 'withdrawn' | 'needsUser' | undefined {
    const submission = outbox.get(id)
    if (submission !== undefined) return needsUser(submission) ? 'needsUser' : undefined
    return (history.details(id)?.facts.jobId ?? null) === null ? 'withdrawn' : undefined
  }

  return {
    of(id: RecordId): Promise<Ended> {
      own.add(id)
      return new Promise((resolve) => waiting.set(id, resolve))
    },
    /** @returns whether the job is the clipboard's and has results */
    jobFinished: (record: PartDetails): boolean => {
      settle(record.id, record)
      return own.has(record.id) && hasResults(record)
    },
    /** Gives up on jobs that were withdrawn or need the user's decision, because they may never finish. */
    outboxChanged: (): void => {
      for (const id of waiting.keys()) {
        const why = whyNever(id)
        if (why !== undefined) settle(id, why)
      }
    },
  }
}

export const hasResults = ({ outcome }: PartDetails): boolean =>
  outcome?.kind === 'done' || outcome?.kind === 'problems'
