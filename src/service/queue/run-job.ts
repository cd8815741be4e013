/** Carries out one job: finds out where its inputs come from and its results go, and then makes one file after the other. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DriveEntry } from '../../node/rclone/index.ts'
import { DriveFailure, type DriveFolder } from '../drive/index.ts'
import type { Processing } from '../processing/processing.ts'
import { createDelivery, type Delivered } from './delivery.ts'
import { discoverInputs } from './discover-inputs.ts'
import type { UploadFinisher } from './finish-upload.ts'
import type { FreeBytes } from './free-space.ts'
import { fetchedFiles, localFiles } from './input-files.ts'
import { type JobTarget, MAX_OPERATIONS, operationsOf, TOO_MANY_OPERATIONS } from './job-plan.ts'
import { type JobRecord, statusOf } from './job-record.ts'
import { type JobFiles, type OperationTools, runOperation, runOperations } from './run-operations.ts'
import type { WorkFolders } from './work-folders.ts'

export type RunJobOptions = {
  readonly processing: Processing
  readonly freeBytes: FreeBytes
  /** For what is on its way from or to a drive. */
  readonly workFolders: WorkFolders
  readonly uploads: UploadFinisher
  readonly log: (message: string) => void
}

/** Ends a job before its first file has begun. */
class JobFailure extends Error {
  override readonly name = 'JobFailure'
  /** The folder that it is about. */
  readonly about: string
  /** What is said of an upload that will never begin. */
  readonly upload: Delivered | undefined

  constructor(about: string, message: string, upload?: Delivered) {
    super(message)
    this.about = about
    this.upload = upload
  }
}

/**
 * Never rejects: what becomes of the job stands in its record. What is on its way from or to a drive gets a private folder,
 * which ends with the upload.
 */
export async function runJob(record: JobRecord, options: RunJobOptions): Promise<void> {
  const { processing, workFolders, uploads, log } = options
  const { source, target } = record.plan
  let workFolder: string | undefined
  record.start()
  try {
    if (source.kind === 'drive' || target.kind === 'drive') workFolder = await workFolders.create()
    const files = await prepare(record, workFolder ?? '', options)
    const tools: OperationTools = { ...options, record, files }
    await runOperations(
      operationsOf(record.inputs ?? [], record.plan.batchCount),
      (kind) => processing.parallelism(kind),
      record.signal,
      (operation) => runOperation(operation, tools),
    )
    await files.inputs.settled()
    record.complete()
  } catch (error) {
    failWhole(record, error, log)
  }
  const { results, errors, state, jobId } = record
  log(`job ${jobId} ${statusOf(state)}: ${results.size} made, ${errors.size} failed`)
  await uploads.finish(record, workFolder)
}

async function prepare(record: JobRecord, workFolder: string, options: RunJobOptions): Promise<JobFiles> {
  const { plan, signal } = record
  const { source, target } = plan
  const outputFolder = await prepareTarget(record, target, workFolder, options)
  if (source.kind === 'files') return { inputs: localFiles, outputFolder }

  const entries = await source.folder.list(signal).catch((error: unknown) => {
    throw error instanceof DriveFailure ? new JobFailure(source.folder.id, error.message) : error
  })
  const { inputs, sizes, errors } = discoverInputs(entries, plan)
  record.notInputsFound(errors)
  if (inputs.length === 0) {
    const reason = errors.length === 0 ? 'The folder has no files' : 'No file of the folder can be processed'
    throw new JobFailure(source.folder.id, `${reason}: ${source.folder.id}`)
  }
  if (inputs.length * plan.batchCount > MAX_OPERATIONS) {
    throw new JobFailure(source.folder.id, `The folder has too many files: ${TOO_MANY_OPERATIONS}`)
  }
  record.inputsFound(inputs)
  const fetchFolder = join(workFolder, 'in')
  await mkdir(fetchFolder, { mode: 0o700 })
  const { folder } = source
  const { batchCount } = plan
  const { freeBytes } = options
  const fetched = fetchedFiles({ folder, inputs, sizes, batchCount, workFolder: fetchFolder, freeBytes })
  return { inputs: fetched, outputFolder }
}

/** @returns the folder that results are written to */
async function prepareTarget(
  record: JobRecord,
  target: JobTarget,
  workFolder: string,
  { log }: RunJobOptions,
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
    onNamed: (index, name) => record.uploadNamed(index, name),
    onChange: () => record.uploadProgressed(),
    log,
  })
  record.uploadStarted(delivery)
  return outputFolder
}

/**
 * Before hours of work, the folder that results will go to is listed. A drive that can't be reached just now may be there
 * again when the first result is; anything else will not mend itself.
 */
async function checkTarget(
  record: JobRecord,
  folder: DriveFolder,
): Promise<readonly DriveEntry[] | undefined> {
  try {
    return await folder.list(record.signal)
  } catch (error) {
    if (!(error instanceof DriveFailure)) throw error
    if (error.kind === 'network' || error.kind === 'busy') return undefined
    throw new JobFailure(folder.id, error.message, { uploadError: error.message })
  }
}

function failWhole(record: JobRecord, error: unknown, log: (message: string) => void): void {
  if (error instanceof JobFailure) {
    record.fail({ file: error.about, error: error.message }, error.upload)
    return
  }
  // What a cancelled job rejects with is only that it was cancelled.
  if (record.state.kind === 'processing') log(`unexpected failure of a job: ${String(error)}`)
  record.fail({ file: '', error: 'The job could not be carried out because of an internal error' })
}
