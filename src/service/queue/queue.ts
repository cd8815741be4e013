/**
 * One job at a time, first in first out, and a history in memory (sections 1, 3 and 8). What a file becomes is the
 * business of `processing`; this room decides when, and keeps the account.
 */
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isInProgress, isTerminal } from '../../shared/api/job-status.ts'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS, RETENTION_MS } from '../../shared/api/limits.ts'
import type { BatchOutput, FileError, Job, JobList, JobStatus } from '../../shared/api/resources.ts'
import type { DriveEntry } from '../../node/rclone/index.ts'
import { DriveFailure, type DriveFolder } from '../drive/index.ts'
import { ProcessingError, type ProcessingProgress } from '../../media/protocol.ts'
import { type Processing } from '../processing/processing.ts'
import { createDelivery, type Delivered, type Delivery } from './delivery.ts'
import { discoverInputs } from './discover-inputs.ts'
import { type FreeBytes, requireFreeSpace } from './free-space.ts'
import { fetchedFiles, type InputFiles, localFiles } from './input-files.ts'
import { createJobProgress, type JobProgress } from './job-progress.ts'
import { fileTypeOf, type JobInput, type JobPlan, type Operation, operationsOf } from './job-plan.ts'
import { Refusal } from './refusal.ts'
import { runOperations } from './run-operations.ts'
import type { WorkFolders } from './work-folders.ts'

export type QueueOptions = {
  readonly processing: Processing
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  readonly freeBytes: FreeBytes
  /** For what is on its way from or to a drive. */
  readonly workFolders: WorkFolders
  readonly log: (message: string) => void
}

export type Queue = {
  /**
   * @returns the job's id and its place: 0 when it has started at once, else 1 for the next one
   * @throws Refusal 429 when ten jobs are waiting
   */
  add(plan: JobPlan): { readonly jobId: string; readonly position: number }
  /** @throws Refusal 429, for a cheap look before the work of checking a request. */
  requireRoom(): void
  /** The same object as before while nothing has changed. Newest first. */
  list(): JobList
  find(jobId: string): Job | undefined
  /** How many jobs are queued or processing. */
  activeJobs(): number
  /**
   * Section 3. The running file is told to stop and may still finish; nothing is started after it.
   * @throws Refusal 404 unknown, 400 not in progress
   */
  cancel(jobId: string): void
  /** Forgets all finished jobs but those that are still uploading. @returns how many */
  clear(): number
  /** Forgets jobs that ended, upload included, more than an hour ago. @returns how many */
  sweep(): number
  /** The inputs of jobs in progress: these files must stay. */
  inputsInUse(): ReadonlySet<string>
  /** Cancels everything, stops uploads, and waits until nothing runs any more. */
  close(): Promise<void>
}

type JobRecord = {
  readonly jobId: string
  readonly plan: JobPlan
  readonly progress: JobProgress
  readonly stop: AbortController
  readonly createdAt: number
  readonly results: Map<number, BatchOutput>
  readonly errors: Map<number, FileError>
  /** undefined until they have been discovered. */
  inputs: readonly JobInput[] | undefined
  /** What lay in the drive's folder and is no input. */
  notInputs: readonly FileError[]
  /** What the whole job failed of. */
  failure: FileError | undefined
  status: JobStatus
  startedAt: number | null
  completedAt: number | null
  /** There from the start of a job with drive output until its upload has ended. */
  delivery: Delivery | undefined
  delivered: Delivered | undefined
  deliveredAt: number | null
}

/** A job at work: where its inputs come from and its results go. */
type Run = {
  readonly record: JobRecord
  readonly inputs: readonly JobInput[]
  readonly inputFiles: InputFiles
  readonly outputFolder: string
}

/** Of one file's work, where it has to be fetched first: 0..1. */
const SHARE_OF_FETCHING = 0.3

export function createQueue(options: QueueOptions): Queue {
  const { processing, now, newId, freeBytes, workFolders, log } = options
  /** Oldest first; a Map keeps the order of insertion. */
  const history = new Map<string, JobRecord>()
  const waiting: JobRecord[] = []
  const deliveries = new Set<Promise<void>>()
  let running: JobRecord | undefined
  let idle: Promise<void> = Promise.resolve()
  let closed = false
  let listed: JobList | undefined

  const changed = () => {
    listed = undefined
  }

  function startNext(): void {
    if (running || closed) return
    const next = waiting.shift()
    if (!next) return
    running = next
    next.status = 'processing'
    next.startedAt = now()
    changed()
    idle = runJob(next).finally(() => {
      running = undefined
      changed()
      startNext()
    })
  }

  /** What is on its way from or to a drive gets a private folder, which ends with the upload. */
  async function runJob(record: JobRecord): Promise<void> {
    const { source, target } = record.plan
    let workFolder: string | undefined
    try {
      if (source.kind === 'drive' || target.kind === 'drive') workFolder = await workFolders.create()
      const run = await prepare(record, workFolder ?? '')
      await runOperations(
        operationsOf(run.inputs, record.plan.batchCount),
        (kind) => processing.parallelism(kind),
        record.stop.signal,
        (operation) => runOperation(run, operation),
      )
      await run.inputFiles.settled()
      settle(record)
    } catch (error) {
      failWhole(record, error)
    }
    log(`job ${record.jobId} ${record.status}: ${record.results.size} made, ${record.errors.size} failed`)
    if (workFolder === undefined) return
    if (record.delivery) track(finishDelivery(record, record.delivery, workFolder))
    else await removeWorkFolder(workFolder)
  }

  async function prepare(record: JobRecord, workFolder: string): Promise<Run> {
    const { source, target } = record.plan
    const outputFolder = target.kind === 'folder' ? target.path : join(workFolder, 'out')
    if (target.kind === 'drive') {
      await mkdir(outputFolder, { mode: 0o700 })
      record.delivery = deliveryTo(record, target.folder, await lookAtTarget(record, target.folder))
    }
    if (source.kind === 'files') {
      return { record, inputs: begin(record, source.inputs), inputFiles: localFiles, outputFolder }
    }
    const entries = await source.folder.list(record.stop.signal).catch(wholeJob(source.folder))
    const { inputs, sizes, errors } = discoverInputs(entries, record.plan)
    record.notInputs = errors
    if (inputs.length === 0) {
      const reason =
        errors.length === 0 ? 'The folder has no files' : 'No file of the folder can be processed'
      throw new JobFailure(source.folder.id, `${reason}: ${source.folder.id}`)
    }
    const fetchFolder = join(workFolder, 'in')
    await mkdir(fetchFolder, { mode: 0o700 })
    const { batchCount } = record.plan
    const inputFiles = fetchedFiles({
      folder: source.folder,
      inputs,
      sizes,
      batchCount,
      workFolder: fetchFolder,
      freeBytes,
    })
    return { record, inputs: begin(record, inputs), inputFiles, outputFolder }
  }

  /**
   * Before hours of work, a look at where it will go. A drive that can't be reached just now may be there again when the
   * first result is; anything else will not mend itself.
   */
  async function lookAtTarget(
    record: JobRecord,
    folder: DriveFolder,
  ): Promise<readonly DriveEntry[] | undefined> {
    try {
      return await folder.list(record.stop.signal)
    } catch (error) {
      if (!(error instanceof DriveFailure)) throw error
      if (error.kind === 'network' || error.kind === 'busy') return undefined
      record.delivered = { uploadError: error.message }
      throw new JobFailure(folder.id, error.message)
    }
  }

  function begin(record: JobRecord, inputs: readonly JobInput[]): readonly JobInput[] {
    record.inputs = inputs
    record.progress.begin(inputs)
    changed()
    return inputs
  }

  function deliveryTo(
    record: JobRecord,
    folder: DriveFolder,
    known: readonly DriveEntry[] | undefined,
  ): Delivery {
    return createDelivery({
      folder,
      known,
      signal: record.stop.signal,
      onNamed(index, name) {
        const result = record.results.get(index)
        if (result) {
          const outputPath = join(dirname(result.outputPath), name)
          record.results.set(index, { ...result, outputPath })
        }
      },
      onChange: changed,
      log,
    })
  }

  function settle(record: JobRecord): void {
    // A cancellation has set status and time already.
    if (record.status !== 'processing') return
    const hasFailed = record.plan.type === 'single' && record.errors.size > 0
    record.status = hasFailed ? 'failed' : 'completed'
    record.completedAt = now()
    changed()
  }

  function failWhole(record: JobRecord, error: unknown): void {
    if (record.status !== 'processing') return
    if (!(error instanceof JobFailure)) log(`unexpected failure of a job: ${String(error)}`)
    record.failure =
      error instanceof JobFailure
        ? { file: error.about, error: error.message }
        : { file: '', error: 'The job could not be carried out because of an internal error' }
    record.status = 'failed'
    record.completedAt = now()
    changed()
  }

  /** Section 3: processing can reach completed before the upload ends. The next job doesn't wait for it. */
  async function finishDelivery(record: JobRecord, delivery: Delivery, workFolder: string): Promise<void> {
    const delivered = record.status === 'failed' ? undefined : await delivery.finish()
    await removeWorkFolder(workFolder)
    if (delivered) {
      record.delivered = delivered
      log(`job ${record.jobId} delivered: ${summaryOf(delivered)}`)
    }
    record.delivery = undefined
    record.deliveredAt = now()
    changed()
  }

  const removeWorkFolder = (folder: string): Promise<void> =>
    workFolders.remove(folder).catch((error: unknown) => log(`work folder not removed: ${String(error)}`))

  /** Goes on beside the next job. @param task must not reject */
  function track(task: Promise<void>): void {
    deliveries.add(task)
    void task.finally(() => deliveries.delete(task))
  }

  async function runOperation(run: Run, operation: Operation): Promise<void> {
    const { record, inputFiles } = run
    const { input } = operation
    record.progress.started(operation)
    changed()
    try {
      const outputPath = await process(run, operation)
      record.results.set(operation.index, { file: input.path, outputPath })
      record.delivery?.add(operation.index, outputPath)
    } catch (error) {
      const wasStopped = record.stop.signal.aborted && !(error instanceof ProcessingError)
      if (!wasStopped) record.errors.set(operation.index, { file: input.path, error: reasonOf(error) })
    }
    await inputFiles.release(operation).catch((error: unknown) => log(`input not removed: ${String(error)}`))
    record.progress.ended(operation)
    changed()
  }

  async function process({ record, inputFiles, outputFolder }: Run, operation: Operation): Promise<string> {
    const { plan, progress, stop } = record
    const { input, variation } = operation
    const recipe = plan.recipes.get(input.kind)
    if (!recipe)
      throw new ProcessingError(`The preset "${plan.presetName}" has nothing for this kind of file`)
    const report = (told: ProcessingProgress) => {
      progress.reported(operation, told)
      changed()
    }
    const reportFetching = (share: number) => report({ phase: 'Fetching', share: share * SHARE_OF_FETCHING })
    const before = inputFiles.areFetched ? SHARE_OF_FETCHING : 0
    if (inputFiles.areFetched) reportFetching(0)
    const inputPath = await inputFiles.take(operation, { signal: stop.signal, onProgress: reportFetching })
    await requireFreeSpace(inputPath, outputFolder, freeBytes)
    stop.signal.throwIfAborted()
    const task = {
      inputPath,
      outputFolder,
      presetName: plan.presetName,
      recipe,
      ranges: plan.ranges,
      variation,
      variations: plan.batchCount,
    }
    const { outputPath } = await processing.run(task, {
      signal: stop.signal,
      onProgress: ({ phase, share }) => report({ phase, share: before + share * (1 - before) }),
    })
    return outputPath
  }

  function reasonOf(error: unknown): string {
    if (error instanceof ProcessingError) return error.message
    log(`unexpected failure of a file: ${String(error)}`)
    return 'The file could not be processed because of an internal error'
  }

  function stopRecord(record: JobRecord): void {
    const place = waiting.indexOf(record)
    if (place >= 0) waiting.splice(place, 1)
    record.status = 'cancelled'
    record.completedAt = now()
    changed()
    record.stop.abort()
  }

  function requireRoom(): void {
    if (waiting.length < MAX_WAITING_JOBS) return
    throw new Refusal(
      429,
      `${MAX_WAITING_JOBS} jobs are waiting already. Submit again when one has finished.`,
    )
  }

  function forget(isForgotten: (record: JobRecord) => boolean): number {
    let count = 0
    for (const record of history.values()) {
      if (!isTerminal(record.status) || record === running || record.delivery || !isForgotten(record))
        continue
      history.delete(record.jobId)
      count++
    }
    if (count > 0) changed()
    return count
  }

  return {
    requireRoom,
    add(plan) {
      requireRoom()
      const record: JobRecord = {
        jobId: newId(),
        plan,
        progress: createJobProgress(plan.batchCount),
        stop: new AbortController(),
        createdAt: now(),
        results: new Map(),
        errors: new Map(),
        inputs: undefined,
        notInputs: [],
        failure: undefined,
        status: 'queued',
        startedAt: null,
        completedAt: null,
        delivery: undefined,
        delivered: undefined,
        deliveredAt: null,
      }
      if (plan.source.kind === 'files') begin(record, plan.source.inputs)
      history.set(record.jobId, record)
      waiting.push(record)
      changed()
      startNext()
      return { jobId: record.jobId, position: waiting.indexOf(record) + 1 }
    },
    list() {
      listed ??= {
        jobs: [...history.values()].slice(-MAX_LISTED_JOBS).toReversed().map(toResource),
        queueLength: waiting.length,
        processing: running !== undefined,
      }
      return listed
    },
    find(jobId) {
      const record = history.get(jobId)
      return record && toResource(record)
    },
    activeJobs: () => [...history.values()].filter((record) => isInProgress(record.status)).length,
    cancel(jobId) {
      const record = history.get(jobId)
      if (!record) throw new Refusal(404, 'There is no such job')
      if (!isInProgress(record.status)) {
        const upload = record.delivery ? ', and only its upload goes on' : ''
        throw new Refusal(400, `The job can't be cancelled any more: it is ${record.status}${upload}`)
      }
      stopRecord(record)
    },
    clear: () => forget(() => true),
    sweep: () =>
      forget(
        ({ deliveredAt, completedAt, createdAt }) =>
          now() - (deliveredAt ?? completedAt ?? createdAt) >= RETENTION_MS,
      ),
    inputsInUse() {
      const records = running ? [running, ...waiting] : waiting
      return new Set(
        records.flatMap(({ plan: { source } }) =>
          source.kind === 'files' ? source.inputs.map((input) => input.path) : [],
        ),
      )
    },
    async close() {
      closed = true
      for (const record of waiting.splice(0)) stopRecord(record)
      if (running && isInProgress(running.status)) stopRecord(running)
      for (const record of history.values()) record.stop.abort()
      await idle
      await Promise.all(deliveries)
      await workFolders.close()
    },
  }
}

/** Ends a job before it has begun. */
class JobFailure extends Error {
  override readonly name = 'JobFailure'
  /** The folder that it is about. */
  readonly about: string

  constructor(about: string, message: string) {
    super(message)
    this.about = about
  }
}

const wholeJob =
  (folder: DriveFolder) =>
  (error: unknown): never => {
    throw error instanceof DriveFailure ? new JobFailure(folder.id, error.message) : error
  }

const summaryOf = (delivered: Delivered): string =>
  'uploadError' in delivered
    ? 'nothing'
    : `${delivered.uploadResult.uploaded} uploaded, ${delivered.uploadResult.errors.length} not`

/** Section 2, Job. Paths stand as they were normalised at submission. */
function toResource(record: JobRecord): Job {
  const { plan, status, inputs } = record
  const [firstInput] = inputs ?? []
  return {
    jobId: record.jobId,
    status,
    type: plan.type,
    preset: plan.presetName,
    progress: record.progress.resource(status, record.delivered ? undefined : record.delivery?.progress()),
    createdAt: new Date(record.createdAt).toISOString(),
    startedAt: timestamp(record.startedAt),
    completedAt: timestamp(record.completedAt),
    ...(inputs ? { fileType: fileTypeOf(inputs), totalFiles: inputs.length } : {}),
    ...(inputs?.length === 1 && firstInput ? { fileName: basename(firstInput.path) } : {}),
    ...(plan.type === 'single' ? singleOutcome(record) : batchOutcome(record)),
    ...driveOf(record),
  }
}

function singleOutcome({ results, errors, failure }: JobRecord): Pick<Job, 'result' | 'error'> {
  const output = results.get(0)
  const failed = failure ?? errors.get(0)
  return {
    ...(output ? { result: { outputPath: output.outputPath } } : {}),
    ...(failed ? { error: failed.error } : {}),
  }
}

/** In the order of the inputs, not of their completion, so that a download's index means the same for everybody. */
function batchOutcome({
  results,
  errors,
  notInputs,
  failure,
}: JobRecord): Pick<Job, 'results' | 'errors' | 'error'> {
  return {
    results: inOrder(results),
    errors: [...(failure ? [failure] : []), ...notInputs, ...inOrder(errors)],
    ...(failure ? { error: failure.error } : {}),
  }
}

/** Section 2, Job.drive: for jobs that have to do with a drive. Until the upload has ended, neither outcome is there. */
function driveOf({ plan: { source, target }, delivered }: JobRecord): Pick<Job, 'drive'> {
  if (source.kind !== 'drive' && target.kind !== 'drive') return {}
  const uploadResult = delivered && 'uploadResult' in delivered ? delivered.uploadResult : null
  const uploadError = delivered && 'uploadError' in delivered ? delivered.uploadError : null
  return {
    drive: {
      inputFolderId: source.kind === 'drive' ? source.folder.id : null,
      outputFolderId: target.kind === 'drive' ? target.folder.id : null,
      uploadResult,
      uploadError,
    },
  }
}

const inOrder = <T>(entries: ReadonlyMap<number, T>): T[] =>
  [...entries].toSorted(([a], [b]) => a - b).map(([, value]) => value)

const timestamp = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString()
