import { sameWait, type QuietWait } from '../../shared/model/quiet.ts'
import type { PartAt } from '../../shared/model/job.ts'

/** Creates a function that marks jobs while the built-in service has paused them. Unchanged lists and jobs keep their identity. */
export function markHeld(): (
  jobs: readonly PartAt<'service'>[],
  held: QuietWait | null,
) => readonly PartAt<'service'>[] {
  let marked = new WeakMap<object, unknown>()
  let markedFor: QuietWait | null = null

  return (jobs, held) => {
    if (!sameWait(held, markedFor)) marked = new WeakMap()
    markedFor = held
    if (held === null) return jobs
    const once = <T extends object>(of: T, mark: () => T): T => {
      const known = marked.get(of) as T | undefined
      const result = known ?? mark()
      marked.set(of, result)
      return result
    }
    return once(jobs, () => jobs.map((job) => once(job, () => heldJob(job, held))))
  }
}

/** Marks a job as held, with an unknown remaining time. A job that is being canceled or uploaded isn't paused. */
function heldJob(job: PartAt<'service'>, held: QuietWait): PartAt<'service'> {
  if (job.stage.kind !== 'queued' && job.stage.kind !== 'processing') return job
  return { ...job, held, progress: { ...job.progress, timeLeft: null } }
}
