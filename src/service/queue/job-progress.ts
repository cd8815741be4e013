import { basename } from 'node:path'
import type { JobStatus, Progress } from '../../shared/api/resources.ts'
import type { ProcessingProgress } from '../processing/processing.ts'
import { type JobPlan, type Operation, operationCount } from './job-plan.ts'

/**
 * What a job tells about itself while it runs. Both shares are whole percents, 0..100: `phaseProgress` of the file that
 * `fileName` names, `totalProgress` of the whole job. Neither goes backwards for one file or one job, and
 * `totalProgress` is 100 only for a completed job. Files are counted as inputs, whatever the number of variations.
 */
export type JobProgress = {
  started(operation: Operation): void
  reported(operation: Operation, report: ProcessingProgress): void
  /** The operation is over, in whichever way. */
  ended(operation: Operation): void
  resource(status: JobStatus): Progress
}

type Running = { readonly operation: Operation; phase: string; share: number }

export function createJobProgress(plan: JobPlan): JobProgress {
  const operations = operationCount(plan)
  const running = new Map<number, Running>()
  const endedVariations = plan.inputs.map(() => 0)
  let endedOperations = 0
  let completedFiles = 0
  let newest: Operation | undefined

  /** With several at once, the one that comes first in the job speaks, so that the display does not jump about. */
  function speaker(): Running | undefined {
    let first: Running | undefined
    for (const candidate of running.values()) {
      if (!first || candidate.operation.index < first.operation.index) first = candidate
    }
    return first
  }

  function totalPercent(): number {
    let done = endedOperations
    for (const { share } of running.values()) done += share
    return Math.min(99, Math.floor((done / operations) * 100))
  }

  return {
    started(operation) {
      newest = operation
      running.set(operation.index, { operation, phase: 'Starting', share: 0 })
    },
    reported(operation, report) {
      const entry = running.get(operation.index)
      if (!entry) return
      entry.phase = report.phase
      if (report.share > entry.share) entry.share = Math.min(1, report.share)
    },
    ended(operation) {
      running.delete(operation.index)
      endedOperations++
      const variations = (endedVariations[operation.inputIndex] ?? 0) + 1
      endedVariations[operation.inputIndex] = variations
      if (variations === plan.batchCount) completedFiles++
    },
    resource(status) {
      const files = { totalFiles: plan.inputs.length, completedFiles }
      if (status === 'queued') return { phase: 'Waiting', phaseProgress: 0, totalProgress: 0, ...files }

      const current = speaker()
      const operation = current?.operation ?? newest
      const place = operation
        ? { currentFile: operation.inputIndex + 1, fileName: basename(operation.input.path) }
        : {}
      if (status === 'completed') {
        return { phase: 'Done', phaseProgress: 100, totalProgress: 100, ...place, ...files }
      }
      const phaseProgress = Math.floor((current?.share ?? 0) * 100)
      const phase = phaseWord(status, current)
      return { phase, phaseProgress, totalProgress: totalPercent(), ...place, ...files }
    },
  }
}

function phaseWord(status: JobStatus, current: Running | undefined): string {
  if (status === 'failed') return 'Failed'
  if (status === 'cancelled') return current ? 'Stopping' : 'Cancelled'
  return current?.phase ?? 'Starting'
}
