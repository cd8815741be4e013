import { basename } from 'node:path'
import type { JobStatus, Progress } from '../../shared/api/resources.ts'
import { phaseWithNotes, type ResultNote } from '../../shared/result-notes.ts'
import type { ProcessingProgress } from '../../media/protocol.ts'
import type { DeliveryProgress } from './delivery.ts'
import type { JobInput, Operation } from './job-plan.ts'

/**
 * What a job tells about itself while it runs. Both shares are whole percents, 0..100: `phaseProgress` of the file that
 * `fileName` names, `totalProgress` of the whole job. Neither goes backwards for one file or one job, and
 * `totalProgress` is 100 only for a completed job whose upload, if it has one, has ended too. Files are counted as inputs,
 * whatever the number of variations.
 */
export type JobProgress = {
  /** The inputs are known; until then the job is discovering them. */
  begin(inputs: readonly JobInput[]): void
  started(operation: Operation): void
  reported(operation: Operation, report: ProcessingProgress): void
  /** What is to be said of a result when the job is done. */
  noted(notes: readonly ResultNote[]): void
  /** The operation is over, in whichever way. */
  ended(operation: Operation): void
  /** @param upload how far it is while it is under way */
  resource(status: JobStatus, upload?: DeliveryProgress): Progress
}

type Running = { readonly operation: Operation; phase: string; share: number }

export function createJobProgress(batchCount: number): JobProgress {
  let inputs: readonly JobInput[] | undefined
  const running = new Map<number, Running>()
  const endedVariations = new Map<number, number>()
  const noted: ResultNote[] = []
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
    const operations = Math.max(1, (inputs?.length ?? 0) * batchCount)
    return Math.min(99, Math.floor((done / operations) * 100))
  }

  function phaseWord(status: JobStatus, current: Running | undefined): string {
    if (status === 'failed') return 'Failed'
    if (status === 'cancelled') return current ? 'Stopping' : 'Cancelled'
    return current?.phase ?? (inputs ? 'Starting' : 'Discovering')
  }

  return {
    begin(found) {
      inputs = found
    },
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
    noted: (notes) => void noted.push(...notes),
    ended(operation) {
      running.delete(operation.index)
      endedOperations++
      const variations = (endedVariations.get(operation.inputIndex) ?? 0) + 1
      endedVariations.set(operation.inputIndex, variations)
      if (variations === batchCount) completedFiles++
    },
    resource(status, upload) {
      const files = { totalFiles: inputs?.length ?? null, completedFiles }
      if (status === 'queued') return { phase: 'Waiting', phaseProgress: 0, totalProgress: 0, ...files }
      if (status === 'completed' && upload) return { ...uploading(upload), totalProgress: 99, ...files }

      const current = speaker()
      const operation = current?.operation ?? newest
      const shown = operation
        ? { currentFile: operation.inputIndex + 1, fileName: basename(operation.input.path) }
        : {}
      if (status === 'completed') {
        const phase = phaseWithNotes('Done', noted)
        return { phase, phaseProgress: 100, totalProgress: 100, ...shown, ...files }
      }
      const phaseProgress = Math.floor((current?.share ?? 0) * 100)
      const phase = phaseWord(status, current)
      return { phase, phaseProgress, totalProgress: totalPercent(), ...shown, ...files }
    },
  }
}

function uploading({ ended, total, share, fileName }: DeliveryProgress): Progress {
  const done = total === 0 ? 0 : Math.min(1, (ended + share) / total)
  return {
    phase: 'Uploading',
    phaseProgress: Math.floor(done * 100),
    ...(fileName === undefined ? {} : { fileName }),
  }
}
