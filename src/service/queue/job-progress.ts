import { basename } from 'node:path'
import type { JobStatus, Progress } from '../../shared/api/resources.ts'
import type { ProcessingProgress } from '../../media/protocol.ts'
import type { DeliveryProgress } from './delivery.ts'
import type { JobInput, Operation } from './job-plan.ts'

/** A canceled job is `stopping` while any of its operations or its upload is still running. */
type ShownStatus = JobStatus | 'stopping'

type Running = { readonly operation: Operation; phase: ProcessingProgress['phase']; share: number }

/**
 * A running job's progress. Both values are whole percentages, 0..100: `phaseProgress` of the file named by `fileName`, and `totalProgress`
 * of the whole job. Neither decreases for the same file or job. `totalProgress` is 100 only for a completed job whose upload, if any, has
 * also ended. Files are counted as inputs, regardless of the number of variations.
 * @param onChange called when anything visible to readers has changed
 */
export function createJobProgress(batchCount: number, onChange: () => void) {
  let inputs: readonly JobInput[] | undefined
  /** In starting order. */
  const running = new Map<number, Running>()
  const endedVariations = new Map<number, number>()
  let endedOperations = 0
  let completedFiles = 0
  let newest: Operation | undefined

  function totalPercent(): number {
    let done = endedOperations
    for (const { share } of running.values()) done += share
    const operations = Math.max(1, (inputs?.length ?? 0) * batchCount)
    return Math.min(99, Math.floor((done / operations) * 100))
  }

  function phaseWord(status: ShownStatus, current: Running | undefined): string {
    if (status === 'failed') return 'Failed'
    if (status === 'stopping') return 'Stopping'
    if (status === 'cancelled') return 'Cancelled'
    return current?.phase ?? (inputs ? 'Starting' : 'Discovering')
  }

  /** Files that still wait for a worker don't count. */
  function inProgress(): Pick<Progress, 'filesInProgress'> {
    const begun = [...running.values()].filter(({ phase }) => phase !== 'Starting')
    const { size } = new Set(begun.map(({ operation }) => operation.inputIndex))
    return size > 1 ? { filesInProgress: size } : {}
  }

  return {
    /** Called when the inputs are known. Until then, the job is discovering them. */
    begin(found: readonly JobInput[]): void {
      inputs = found
      onChange()
    },
    started(operation: Operation): void {
      newest = operation
      running.set(operation.index, { operation, phase: 'Starting', share: 0 })
      onChange()
    },
    reported(operation: Operation, report: ProcessingProgress): void {
      const entry = running.get(operation.index)
      if (!entry) return
      entry.phase = report.phase
      if (report.share > entry.share) entry.share = Math.min(1, report.share)
      onChange()
    },
    /** Called when the operation has ended, whether it succeeded or not. */
    ended(operation: Operation): void {
      running.delete(operation.index)
      endedOperations++
      const variations = (endedVariations.get(operation.inputIndex) ?? 0) + 1
      endedVariations.set(operation.inputIndex, variations)
      if (variations === batchCount) completedFiles++
      onChange()
    },
    /** Returns the progress as the API shows it. @param upload the upload's progress while it is running */
    resource(status: ShownStatus, upload?: DeliveryProgress): Progress {
      const files = { totalFiles: inputs?.length ?? null, completedFiles }
      if (status === 'queued') return { phase: 'Waiting', phaseProgress: 0, totalProgress: 0, ...files }
      if (status === 'completed' && upload) return { ...uploading(upload), totalProgress: 99, ...files }

      // The earliest running operation, so that the display doesn't jump between files.
      const [current] = running.values()
      const operation = current?.operation ?? newest
      const shown = operation
        ? { currentFile: operation.turn + 1, fileName: basename(operation.input.path) }
        : {}
      if (status === 'completed') {
        return { phase: 'Done', phaseProgress: 100, totalProgress: 100, ...shown, ...files }
      }
      const phaseProgress = Math.floor((current?.share ?? 0) * 100)
      const phase = phaseWord(status, current)
      return { phase, phaseProgress, totalProgress: totalPercent(), ...shown, ...files, ...inProgress() }
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
