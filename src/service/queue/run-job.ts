/** Runs one job: resolves its inputs and its output folder, then creates the results. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import { fileError } from '../../shared/api/reported.ts'
import type { FreeBytes } from '../../node/free-space.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import type { DriveEntry } from '../../node/rclone/index.ts'
import type { FileError } from '../../shared/api/resources.ts'
import { extensionOf, mediaKindOf } from '../../shared/media-types.ts'
import { DriveFailure, type DriveFolder } from '../drive/index.ts'
import { predictWork } from '../processing/processing.ts'
import { createDelivery, type Delivered } from './delivery.ts'
import { createDiskSpace, type DiskSpace } from './free-space.ts'
import { fetchedFiles, localFiles } from './input-files.ts'
import { type JobInput, type JobPlan, type JobTarget, MAX_OPERATIONS, operationsOf } from './job-plan.ts'
import { type JobRecord, statusOf } from './job-record.ts'
import {
  createLine,
  type JobFiles,
  type JobTools,
  presetIsNotFor,
  runOperation,
  runOperations,
} from './run-operations.ts'
import type { WorkFolders } from './work-folders.ts'
import { unsupported } from './local-inputs.ts'

export type RunJobOptions = JobTools & {
  /** For files in transit from or to a drive. */
  readonly workFolders: WorkFolders
  readonly freeBytes: FreeBytes
}

/** Thrown to end a job before its first file has started. */
class JobFailure extends FailureError {
  /** The affected folder. */
  readonly about: string
  /** The outcome of an upload that will never begin. */
  readonly upload: Delivered | undefined

  constructor(about: string, failure: Failure, upload?: Delivered) {
    super(failure)
    this.about = about
    this.upload = upload
  }
}

/**
 * Runs a job. Never rejects: the outcome is in its record. Files in transit from or to a drive get a private folder, which is removed after
 * the upload.
 * @param uploads gets the upload while it is running in the background, so that the next job doesn't have to wait. A job can be completed
 * before its upload has ended (section 3)
 */
export async function runJob(
  record: JobRecord,
  options: RunJobOptions,
  uploads: Set<Promise<void>>,
): Promise<void> {
  const { processing, workFolders, log } = options
  const { source, target } = record.plan
  let workFolder: string | undefined
  record.start()
  try {
    if (source.kind === 'drive' || target.kind === 'drive') workFolder = await workFolders.create()
    const space = createDiskSpace(options.freeBytes)
    const files = await prepare(record, workFolder ?? '', { ...options, space })
    const line = createLine()
    await runOperations(
      operationsOf(record.inputs ?? [], record.plan.batchCount),
      (kind) => processing.parallelism(kind),
      record.signal,
      (operation) => runOperation(operation, { ...options, record, files, line, space }),
      () => processing.notHeld(record.signal),
    )
    await files.inputs.settled()
    if (await isTakenAway(files.mount)) {
      record.resultsLost(failure('diskRemoved', { folder: files.outputFolder }))
    }
    record.complete()
  } catch (error) {
    failWhole(record, error, log)
  }
  const isUploading = record.upload.kind === 'uploading' && record.state.kind !== 'stopping'
  const finished = workFolder === undefined ? Promise.resolve() : finishUpload(record, workFolder, options)
  if (!isUploading) await finished
  record.stopped()
  const { results, errors, state, jobId } = record
  log(`job ${jobId} ${statusOf(state)}: ${results.size} results, ${errors.size} failed`)
  if (!isUploading) return
  uploads.add(finished)
  void finished.finally(() => uploads.delete(finished))
}

async function prepare(
  record: JobRecord,
  workFolder: string,
  options: RunJobOptions & { readonly space: DiskSpace },
): Promise<JobFiles> {
  const { plan, signal } = record
  const { source, target } = plan
  const outputFolder = await prepareTarget(record, target, workFolder, options)
  const mount = target.kind === 'folder' ? target.mount : undefined
  if (source.kind === 'files') return { inputs: localFiles, outputFolder, mount }

  const entries = await source.folder.list(signal).catch((error: unknown) => {
    throw error instanceof DriveFailure ? new JobFailure(source.folder.id, error.failure) : error
  })
  const { inputs, sizes, errors } = discoverInputs(entries, plan)
  record.notInputsFound(errors)
  if (inputs.length === 0) {
    const { id } = source.folder
    const code = errors.length === 0 ? 'driveFolderEmpty' : 'driveFolderUnusable'
    throw new JobFailure(id, failure(code, { id }))
  }
  if (inputs.length * plan.batchCount > MAX_OPERATIONS) {
    throw new JobFailure(source.folder.id, failure('driveFolderTooLarge', { limit: MAX_OPERATIONS }))
  }
  record.inputsFound(inputs)
  const fetchFolder = join(workFolder, 'in')
  await mkdir(fetchFolder, { mode: 0o700 })
  const fetched = fetchedFiles({
    folder: source.folder,
    inputs,
    sizes,
    batchCount: plan.batchCount,
    workFolder: fetchFolder,
    outputFolder,
    space: options.space,
  })
  return { inputs: fetched, outputFolder, mount }
}

/** Returns the folder that results are written to. For a drive, starts the delivery of its results. */
async function prepareTarget(
  record: JobRecord,
  target: JobTarget,
  workFolder: string,
  { log, placements }: RunJobOptions,
): Promise<string> {
  if (target.kind === 'folder') return target.path
  const outputFolder = join(workFolder, 'out')
  await mkdir(outputFolder, { mode: 0o700 })
  const { folder } = target
  const known = await checkTarget(record, folder)
  const delivery = createDelivery({
    folder,
    known,
    signal: record.signal,
    onNamed(index, name) {
      record.uploadNamed(index, name)
      const { batchCount } = record.plan
      const input = record.inputs?.[Math.floor(index / batchCount)]?.path
      if (input === undefined) return
      const { jobId } = record
      placements?.uploaded({ jobId, input, variation: (index % batchCount) + 1, path: name })
    },
    onChange: () => record.uploadProgressed(),
    log,
  })
  record.uploadStarted(delivery)
  return outputFolder
}

/**
 * Lists the target folder before processing, which may take hours. Returns undefined if the drive is unreachable or busy, or if rclone was
 * ended from outside: the drive may be available again when the first result is finished. Any other failure is permanent.
 */
async function checkTarget(
  record: JobRecord,
  folder: DriveFolder,
): Promise<readonly DriveEntry[] | undefined> {
  try {
    return await folder.list(record.signal)
  } catch (error) {
    if (!(error instanceof DriveFailure)) throw error
    if (['network', 'busy', 'ended'].includes(error.kind)) return undefined
    throw new JobFailure(folder.id, error.failure, { uploadError: error.failure })
  }
}

function failWhole(record: JobRecord, error: unknown, log: (message: string) => void): void {
  if (error instanceof JobFailure) {
    record.fail(fileError(error.about, error.failure), error.upload)
    return
  }
  // A job that was stopped also fails here, which isn't an error.
  if (!record.signal.aborted) log(`unexpected error in a job: ${String(error)}`)
  record.fail(fileError('', failure('jobInternal')))
}

/** Finishes the upload of a job, unless it has none or the job has failed, and then removes its work folder. Never rejects. */
async function finishUpload(
  record: JobRecord,
  workFolder: string,
  { workFolders, log }: RunJobOptions,
): Promise<void> {
  const { state, upload } = record
  const hasFailed = state.kind === 'ended' && state.status === 'failed'
  const outcome = upload.kind === 'uploading' && !hasFailed ? await upload.delivery.finish() : undefined
  await workFolders
    .remove(workFolder)
    .catch((error: unknown) => log(`couldn't remove a work folder: ${String(error)}`))
  if (outcome) log(`job ${record.jobId} delivered: ${summaryOf(outcome)}`)
  if (upload.kind === 'uploading') record.uploadEnded(outcome)
}

const summaryOf = (outcome: Delivered): string =>
  'uploadError' in outcome
    ? 'nothing'
    : `${outcome.uploadResult.uploaded} uploaded, ${outcome.uploadResult.errors.length} not`

/** Header facts of a file in a drive: unknown, because the header isn't read until the file is fetched. */
const NO_FACTS = { width: null, height: null, duration: null, format: undefined }

/**
 * Discovers the inputs in a drive folder after the job is accepted (section 4, `POST /jobs`). Only direct contents count, sorted by name.
 * Files that can't be inputs are listed with the reason.
 */
export function discoverInputs(
  entries: readonly DriveEntry[],
  { recipes, presetName }: Pick<JobPlan, 'recipes' | 'presetName'>,
) {
  const inputs: JobInput[] = []
  /** Size of each input in bytes; negative if the drive doesn't report it. */
  const sizes: number[] = []
  const errors: FileError[] = []
  const names = new Set<string>()
  const files = entries.filter((entry) => !entry.isFolder)
  for (const { name, size } of files.toSorted((a, b) => inOrder(a.name, b.name))) {
    const kind = mediaKindOf(name)
    const recipe = kind && recipes.get(kind)
    const problem = () => {
      if (names.has(name)) return failure('nameNotUnique')
      if (kind === undefined) return unsupported(extensionOf(name))
      if (recipe === undefined) return presetIsNotFor(kind, presetName)
      return size === 0 ? failure('fileEmpty') : undefined
    }
    const failed = problem()
    if (failed !== undefined) errors.push(fileError(name, failed))
    else if (kind !== undefined && recipe !== undefined) {
      inputs.push({ path: name, kind, work: predictWork({ ...NO_FACTS, bytes: size }, recipe) })
      sizes.push(size)
    }
    names.add(name)
  }
  return { inputs, sizes, errors }
}

/** Compares code units, which gives the same order on every computer. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
