import { basename } from 'node:path'
import type { JobStatus, Progress } from '../../shared/api/resources.ts'
import type { ProcessingProgress } from '../../media/protocol.ts'
import type { DeliveryProgress } from './delivery.ts'
import type { JobInput, Operation } from './job-plan.ts'
import { sumOf } from '../../shared/sum.ts'

/** A canceled job is `stopping` while any of its operations or its upload is still running. */
type ShownStatus = JobStatus | 'stopping'

export type OperationEnding = 'succeeded' | 'failed' | 'stopped'

type Running = {
  readonly operation: Operation
  phase: ProcessingProgress['phase']
  share: number
  /**
   * Whether it waits for memory or disk space or did so, and no worker has begun since. During a pause, the phase of a file that waits for
   * memory is `Starting`.
   */
  isBehind: boolean
}

const waitsForMemory = ({ phase }: Pick<Running, 'phase'>): boolean => phase === 'Waiting for memory'
const waitsForDisk = ({ phase }: Pick<Running, 'phase'>): boolean => phase === 'Waiting for disk space'
const isShort = (file: Pick<Running, 'phase'>): boolean => waitsForMemory(file) || waitsForDisk(file)
/** Returns whether a file waits for a worker, at first or because it is processed again. */
export const waitsForWorker = (file: Pick<Running, 'phase'>): boolean =>
  file.phase === 'Starting' || isShort(file)

/**
 * A running job's progress. Both values are whole percentages, 0..100: `phaseProgress` of the file named by `fileName` or of the whole
 * upload, and `totalProgress` of the whole job. `totalProgress` decreases only if a file is processed again, and `phaseProgress` also if
 * `fileName` changes. `totalProgress` is 100 only for a completed job whose upload, if any, has also ended. It weighs files by their expected
 * work, so that it grows evenly. Other fields count inputs, regardless of their variations.
 * @param onChange called when anything visible to readers has changed
 */
export function createJobProgress(batchCount: number, onChange: () => void) {
  let inputs: readonly JobInput[] | undefined
  /** In starting order. */
  const running = new Map<number, Running>()
  const endedVariations = new Map<number, number>()
  /** Work of all operations, and of those that have ended (`predictWork`). */
  let allWork = 0
  let endedWork = 0
  let completedFiles = 0
  let newest: Operation | undefined

  function totalPercent(): number {
    let done = endedWork
    for (const { share, operation } of running.values()) done += share * operation.input.work
    return allWork === 0 ? 0 : Math.min(99, Math.floor((done / allWork) * 100))
  }

  function countVariation(inputIndex: number): void {
    const variations = (endedVariations.get(inputIndex) ?? 0) + 1
    endedVariations.set(inputIndex, variations)
    if (variations === batchCount) completedFiles++
  }

  function phaseWord(status: ShownStatus, current: Running | undefined): string {
    if (status === 'failed') return 'Failed'
    if (status === 'stopping') return 'Stopping'
    if (status === 'cancelled') return 'Cancelled'
    return current?.phase ?? (inputs ? 'Starting' : 'Discovering')
  }

  /** Files that still wait for a worker aren't in progress. */
  function severalFiles(): Pick<Progress, 'filesInProgress' | 'waitsForMemory' | 'waitsForDiskSpace'> {
    const all = [...running.values()]
    const begun = all.filter((one) => !waitsForWorker(one))
    const { size } = new Set(begun.map(({ operation }) => operation.inputIndex))
    return {
      ...(size > 1 ? { filesInProgress: size } : {}),
      ...(begun.length > 0 && all.some(waitsForMemory) ? { waitsForMemory: true } : {}),
      ...(begun.length > 0 && all.some(waitsForDisk) ? { waitsForDiskSpace: true } : {}),
    }
  }

  return {
    /** Called when the inputs are known. Until then, the job is discovering them. */
    begin(found: readonly JobInput[]): void {
      inputs = found
      allWork = sumOf(found.map(({ work }) => work)) * batchCount
      onChange()
    },
    started(operation: Operation): void {
      newest = operation
      running.set(operation.index, { operation, phase: 'Starting', share: 0, isBehind: false })
      onChange()
    },
    reported(operation: Operation, report: ProcessingProgress): void {
      const entry = running.get(operation.index)
      if (!entry) return
      entry.phase = report.phase
      if (isShort(entry)) entry.isBehind = true
      else if (entry.phase !== 'Starting') entry.isBehind = false
      if (report.share > entry.share || waitsForWorker(report)) entry.share = Math.min(1, report.share)
      onChange()
    },
    /**
     * Called when the operation has ended. If it failed, its remaining work is removed from the total and doesn't count as progress. If it
     * was stopped, its work remains undone.
     */
    ended(operation: Operation, ending: OperationEnding): void {
      const { work } = operation.input
      const done = ending === 'succeeded' ? work : work * (running.get(operation.index)?.share ?? 0)
      endedWork += done
      running.delete(operation.index)
      if (ending === 'failed') allWork -= work - done
      if (ending !== 'stopped') countVariation(operation.inputIndex)
      onChange()
    },
    /** Returns the progress as the API shows it. @param upload the upload's progress while it is running */
    resource(status: ShownStatus, upload?: DeliveryProgress): Progress {
      const files = { totalFiles: inputs?.length ?? null, completedFiles }
      if (status === 'queued') return { phase: 'Waiting', phaseProgress: 0, totalProgress: 0, ...files }
      if (status === 'completed' && upload) return { ...uploading(upload), totalProgress: 99, ...files }

      // The earliest running operation, so that the display doesn't jump between files. Prefers one that hasn't waited for memory or
      // disk space.
      const [first] = running.values()
      const current = running.values().find(({ isBehind }) => !isBehind) ?? first
      const operation = current?.operation ?? newest
      const shown = operation
        ? { currentFile: operation.turn + 1, fileName: basename(operation.input.path) }
        : {}
      if (status === 'completed') {
        return { phase: 'Done', phaseProgress: 100, totalProgress: 100, ...shown, ...files }
      }
      const phaseProgress = Math.floor((current?.share ?? 0) * 100)
      const phase = phaseWord(status, current)
      return { phase, phaseProgress, totalProgress: totalPercent(), ...shown, ...files, ...severalFiles() }
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
