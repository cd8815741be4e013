/** The files of one job, in order and several at a time. */
import { basename } from 'node:path'
import { safeFileName } from '../../node/file-name.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { ProcessingError, type ProcessingProgress } from '../../media/protocol.ts'
import type { ProcessedFile, Processing } from '../processing/processing.ts'
import { type FreeBytes, requireFreeSpace } from './free-space.ts'
import type { InputFiles } from './input-files.ts'
import type { Operation } from './job-plan.ts'
import type { JobRecord } from './job-record.ts'

/**
 * Runs the operations of one job in order: several of one kind at once up to `parallelism`, never two kinds together,
 * and none any more once the signal is aborted. Ends when everything that was started has ended.
 * @param run must not reject: what becomes of one file is its own business
 */
export async function runOperations(
  operations: Iterable<Operation>,
  parallelism: (kind: MediaKind) => number,
  signal: AbortSignal,
  run: (operation: Operation) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  let runningKind: MediaKind | undefined

  const mustWait = (kind: MediaKind) =>
    running.size > 0 && (runningKind !== kind || running.size >= parallelism(kind))

  for (const operation of operations) {
    while (mustWait(operation.input.kind)) await Promise.race(running)
    if (signal.aborted) break
    runningKind = operation.input.kind
    const task: Promise<void> = run(operation).finally(() => running.delete(task))
    running.add(task)
  }
  await Promise.all(running)
}

/** Where the inputs of a job are on this computer, and where its results go. */
export type JobFiles = {
  readonly inputs: InputFiles
  readonly outputFolder: string
}

export type OperationTools = {
  readonly record: JobRecord
  readonly files: JobFiles
  readonly processing: Processing
  readonly freeBytes: FreeBytes
  readonly log: (message: string) => void
}

/** Of one file's work, where it has to be fetched first: 0..1. */
const SHARE_OF_FETCHING = 0.3

/** Makes one file. Never rejects: the outcome stands in the job's record. */
export async function runOperation(operation: Operation, tools: OperationTools): Promise<void> {
  const { record, files, log } = tools
  record.operationStarted(operation)
  try {
    record.operationSucceeded(operation, await makeFile(operation, tools))
  } catch (error) {
    const wasStopped = record.signal.aborted && !(error instanceof ProcessingError)
    if (!wasStopped) record.operationFailed(operation, reasonOf(error, log))
  }
  await files.inputs.release(operation).catch((error: unknown) => log(`input not removed: ${String(error)}`))
  record.operationEnded(operation)
}

async function makeFile(operation: Operation, tools: OperationTools): Promise<ProcessedFile> {
  const { record, files, processing, freeBytes } = tools
  const { plan, signal } = record
  const { input, variation } = operation
  const recipe = plan.recipes.get(input.kind)
  if (!recipe) throw new ProcessingError(`The preset "${plan.presetName}" has nothing for this kind of file`)
  const report = (progress: ProcessingProgress) => record.operationReported(operation, progress)
  const reportFetching = (share: number) => report({ phase: 'Fetching', share: share * SHARE_OF_FETCHING })
  const before = files.inputs.areFetched ? SHARE_OF_FETCHING : 0
  if (files.inputs.areFetched) reportFetching(0)
  const inputPath = await files.inputs.take(operation, { signal, onProgress: reportFetching })
  await requireFreeSpace(inputPath, files.outputFolder, freeBytes)
  signal.throwIfAborted()
  const task = {
    inputPath,
    inputName: files.inputs.areFetched ? nameHere(input.path) : basename(input.path),
    outputFolder: files.outputFolder,
    presetName: plan.presetName,
    recipe,
    ranges: plan.ranges,
    rules: plan.rules,
    subfolder: plan.subfolders.get(input.path) ?? [],
    number: operation.inputIndex + 1,
    inputs: record.inputs?.length ?? 1,
    variation,
    variations: plan.batchCount,
  }
  return processing.run(task, {
    signal,
    onProgress: ({ phase, share }) => report({ phase, share: before + share * (1 - before) }),
  })
}

/** A drive's name may hold what separates folders on one system or another; here it stands for one file. */
const nameHere = (driveName: string): string =>
  safeFileName(driveName.replaceAll('/', '／').replaceAll('\\', '＼')) ?? 'file'

function reasonOf(error: unknown, log: (message: string) => void): string {
  if (error instanceof ProcessingError) return error.message
  log(`unexpected failure of a file: ${String(error)}`)
  return 'The file could not be processed because of an internal error'
}
