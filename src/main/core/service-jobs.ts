/** Ids of jobs that are known to be submissions of ours, so that no other submission takes one for itself. */
export interface OwnJobs {
  add(jobId: string): void
  ids(): ReadonlySet<string>
}

/** More than a service lists; the oldest go first. */
const KEPT = 1_000

export function createOwnJobs(known: Iterable<string>): OwnJobs {
  const ids = new Set(known)
  return {
    add(jobId) {
      ids.delete(jobId)
      ids.add(jobId)
      const oldest = ids.values().next()
      if (ids.size > KEPT && oldest.done !== true) ids.delete(oldest.value)
    },
    ids: () => ids,
  }
}
