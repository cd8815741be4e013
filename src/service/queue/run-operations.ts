import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import { basename } from 'node:path'
import type { PlacementNotes, Placing } from '../../node/placement-notes.ts'
import { safeFileName } from '../../node/file-name.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import { type ProcessingProgress } from '../../media/protocol.ts'
import type { ProcessedFile, Processing } from '../processing/processing.ts'
import { type DiskSpace, type Room, sizeOf } from './free-space.ts'
import type { InputFiles } from './input-files.ts'
import type { Operation } from './job-plan.ts'
import { type OperationEnding, waitsForWorker } from './job-progress.ts'
import type { JobRecord } from './job-record.ts'

/**
 * Runs the operations of one job in order, in parallel up to `parallelism` for each kind. Doesn't start any after the signal is aborted.
 * Resolves when all started operations have ended.
 * @param run must not reject: it handles the failure of its file itself
 * @param mayStart called before each operation; a promise delays it
 */
export async function runOperations(
  operations: Iterable<Operation>,
  parallelism: (kind: MediaKind) => number,
  signal: AbortSignal,
  run: (operation: Operation) => Promise<void>,
  mayStart: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  const running = { image: new Set<Promise<void>>(), video: new Set<Promise<void>>() }
  for (const operation of operations) {
    const { kind } = operation.input
    while (running[kind].size >= parallelism(kind)) await Promise.race(running[kind])
    await mayStart()
    if (signal.aborted) break
    const task: Promise<void> = run(operation).finally(() => running[kind].delete(task))
    running[kind].add(task)
  }
  await Promise.all([...running.image, ...running.video])
}

/** How long an operation waits for earlier ones that are still being prepared, in ms. One unresponsive disk must not stop the job. */
const PATIENCE_MS = 1_000

/** Lets operations enter in the order in which they joined, although some take longer to prepare than others. */
export function createLine() {
  let last: Promise<void> = Promise.resolve()
  return {
    join() {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      let hasCome = false
      // The next operation also waits for those before an operation that left the line.
      const pass = () => resolve(hasCome ? undefined : before)
      return {
        async comes(): Promise<void> {
          const patience = Promise.withResolvers<void>()
          const timer = setTimeout(patience.resolve, PATIENCE_MS)
          await Promise.race([before, patience.promise])
          clearTimeout(timer)
          hasCome = true
        },
        pass,
        [Symbol.dispose]: pass,
      }
    },
  }
}

/** The inputs of a job on this computer, and the folder for its results. */
export type JobFiles = {
  readonly inputs: InputFiles
  readonly outputFolder: string
  /** Where the output folder's disk is mounted (`mountPointOf`). */
  readonly mount?: string | undefined
}

export type JobTools = {
  readonly processing: Processing
  /** The journal of results, for recovery after a crash. */
  readonly placements?: PlacementNotes | undefined
  readonly log: (message: string) => void
}

export type OperationTools = JobTools & {
  readonly record: JobRecord
  readonly files: JobFiles
  readonly line: ReturnType<typeof createLine>
  readonly space: DiskSpace
}

type FileTools = OperationTools & { readonly room: Room }

/** Fraction (0..1) of an operation's progress that the download accounts for. */
const SHARE_OF_FETCHING = 0.3

/** Creates one file. Never rejects; the outcome is in the job's record. */
export async function runOperation(operation: Operation, tools: OperationTools): Promise<void> {
  const { record, files, space, log } = tools
  record.progress.started(operation)
  // Give the space back only after the input is removed, because waiting files check the disk then.
  using room = space.open()
  const ending = await endingOf(operation, { ...tools, room })
  await files.inputs
    .release(operation)
    .catch((error: unknown) => log(`couldn't remove an input: ${String(error)}`))
  record.progress.ended(operation, ending)
}

async function endingOf(operation: Operation, tools: FileTools): Promise<OperationEnding> {
  const { record, log } = tools
  try {
    const created = await createFile(operation, tools)
    record.operationSucceeded(operation, created)
    if (created.problem !== undefined) record.operationFailed(operation, created.problem)
    return 'succeeded'
  } catch (error) {
    if (record.signal.aborted && !(error instanceof FailureError)) return 'stopped'
    record.operationFailed(operation, failureOf(error, log))
    return 'failed'
  }
}

async function createFile(operation: Operation, tools: FileTools): Promise<ProcessedFile> {
  const { record, files, line, room, processing, placements } = tools
  const { jobId, plan, signal } = record
  const { input, variation } = operation
  const recipe = plan.recipes.get(input.kind)
  if (!recipe) throw new FailureError(presetIsNotFor(input.kind, plan.presetName))
  const report = (progress: ProcessingProgress) => record.progress.reported(operation, progress)
  const before = files.inputs.areFetched ? SHARE_OF_FETCHING : 0
  if (files.inputs.areFetched) report({ phase: 'Fetching', share: 0 })
  const { path: inputPath, identity } = await files.inputs.take(operation, {
    signal,
    room,
    report: ({ phase, share }) => report({ phase, share: share * SHARE_OF_FETCHING }),
  })
  using turn = line.join()
  const inputs = record.inputs?.length ?? 1
  // The size of the result isn't known in advance.
  const need = { folder: files.outputFolder, bytes: await sizeOf(inputPath) }
  await room.reserve([need], signal, () => {
    // The files after this one may be smaller.
    turn.pass()
    report({ phase: 'Waiting for disk space', share: before })
  })
  files.inputs.fetchNext(operation, signal)
  report({ phase: 'Starting', share: before })
  const task = {
    inputPath,
    identity,
    originalPath: input.original,
    inputName: files.inputs.areFetched ? localName(input.path) : basename(input.path),
    outputFolder: files.outputFolder,
    mount: files.mount,
    presetName: plan.presetName,
    recipe,
    ranges: plan.ranges,
    rules: plan.rules,
    subfolder: plan.subfolders.get(input.path) ?? [],
    number: operation.inputIndex + 1,
    inputs,
    variation,
    variations: plan.batchCount,
    left: (inputs - operation.turn) * plan.batchCount - variation + 1,
    onPlacing:
      placements &&
      ((to: Placing) =>
        placements.placing({ jobId, preset: plan.presetName, input: input.path, variation, ...to })),
  }
  const file = await processing.run(task, {
    signal,
    turn,
    onProgress(progress) {
      const { phase, share } = progress
      report({ phase, share: before + share * (1 - before) })
      if (!waitsForWorker(progress)) files.inputs.begun(operation)
    },
  })
  placements?.placed({ jobId, path: file.outputPath })
  return file
}

/** Converts a drive's name, which may contain path separators, to a single local file name. */
const localName = (driveName: string): string =>
  safeFileName(driveName.replaceAll('/', '／').replaceAll('\\', '＼')) ?? 'file'

export const presetIsNotFor = (kind: MediaKind, preset: string): Failure =>
  failure(kind === 'image' ? 'presetNotForPhotos' : 'presetNotForVideos', { preset })

function failureOf(error: unknown, log: (message: string) => void): Failure {
  if (error instanceof FailureError) return error.failure
  log(`unexpected error for a file: ${String(error)}`)
  return failure('fileInternal')
}
