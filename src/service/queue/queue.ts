/**
 * One job at a time, first in first out, and a history in memory (sections 1, 3 and 8). What a file becomes is the
 * business of `processing`; this room decides when, and keeps the account.
 */
import { basename } from 'node:path'
import { isInProgress, isTerminal } from '../../shared/api/job-status.ts'
import { MAX_LISTED_JOBS, MAX_WAITING_JOBS, RETENTION_MS } from '../../shared/api/limits.ts'
import type { BatchOutput, FileError, Job, JobList, JobStatus } from '../../shared/api/resources.ts'
import { type Processing, ProcessingError } from '../processing/processing.ts'
import { type FreeBytes, requireFreeSpace } from './free-space.ts'
import { createJobProgress, type JobProgress } from './job-progress.ts'
import { fileTypeOf, type JobPlan, type Operation, operationsOf } from './job-plan.ts'
import { Refusal } from './refusal.ts'
import { runOperations } from './run-operations.ts'

export type QueueOptions = {
  readonly processing: Processing
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  readonly freeBytes: FreeBytes
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
  /** Forgets all finished jobs. @returns how many */
  clear(): number
  /** Forgets jobs that ended more than an hour ago. @returns how many */
  sweep(): number
  /** The inputs of jobs in progress: these files must stay. */
  inputsInUse(): ReadonlySet<string>
  /** Cancels everything and waits until nothing runs any more. */
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
  status: JobStatus
  startedAt: number | null
  completedAt: number | null
}

export function createQueue(options: QueueOptions): Queue {
  const { processing, now, newId, freeBytes, log } = options
  /** Oldest first; a Map keeps the order of insertion. */
  const history = new Map<string, JobRecord>()
  const waiting: JobRecord[] = []
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

  async function runJob(record: JobRecord): Promise<void> {
    const { plan, stop } = record
    await runOperations(
      operationsOf(plan),
      (kind) => processing.parallelism(kind),
      stop.signal,
      (operation) => runOperation(record, operation),
    )
    // A cancellation has set status and time already.
    if (record.status === 'processing') {
      record.status = plan.type === 'single' && record.errors.size > 0 ? 'failed' : 'completed'
      record.completedAt = now()
    }
    log(`job ${record.jobId} ${record.status}: ${record.results.size} made, ${record.errors.size} failed`)
  }

  async function runOperation(record: JobRecord, operation: Operation): Promise<void> {
    const { input } = operation
    record.progress.started(operation)
    changed()
    try {
      const outputPath = await process(record, operation)
      record.results.set(operation.index, { file: input.path, outputPath })
    } catch (error) {
      const wasStopped = record.stop.signal.aborted && !(error instanceof ProcessingError)
      if (!wasStopped) record.errors.set(operation.index, { file: input.path, error: reasonOf(error) })
    }
    record.progress.ended(operation)
    changed()
  }

  async function process(record: JobRecord, operation: Operation): Promise<string> {
    const { plan, progress, stop } = record
    const { input, variation } = operation
    const recipe = plan.recipes.get(input.kind)
    if (!recipe)
      throw new ProcessingError(`The preset "${plan.presetName}" has nothing for this kind of file`)
    await requireFreeSpace(input.path, plan.outputFolder, freeBytes)
    stop.signal.throwIfAborted()
    const task = {
      inputPath: input.path,
      outputFolder: plan.outputFolder,
      presetName: plan.presetName,
      recipe,
      ranges: plan.ranges,
      variation,
      variations: plan.batchCount,
    }
    const { outputPath } = await processing.run(task, {
      signal: stop.signal,
      onProgress(report) {
        progress.reported(operation, report)
        changed()
      },
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
      if (!isTerminal(record.status) || !isForgotten(record)) continue
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
        progress: createJobProgress(plan),
        stop: new AbortController(),
        createdAt: now(),
        results: new Map(),
        errors: new Map(),
        status: 'queued',
        startedAt: null,
        completedAt: null,
      }
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
        throw new Refusal(400, `The job can't be cancelled any more: it is ${record.status}`)
      }
      stopRecord(record)
    },
    clear: () => forget(() => true),
    sweep: () => forget((record) => now() - (record.completedAt ?? record.createdAt) >= RETENTION_MS),
    inputsInUse() {
      const records = running ? [running, ...waiting] : waiting
      return new Set(records.flatMap((record) => record.plan.inputs.map((input) => input.path)))
    },
    async close() {
      closed = true
      for (const record of waiting.splice(0)) stopRecord(record)
      if (running && isInProgress(running.status)) stopRecord(running)
      await idle
    },
  }
}

/** Section 2, Job. Paths stand as they were normalised at submission. */
function toResource(record: JobRecord): Job {
  const { plan, status } = record
  const [firstInput] = plan.inputs
  return {
    jobId: record.jobId,
    status,
    type: plan.type,
    preset: plan.presetName,
    progress: record.progress.resource(status),
    createdAt: new Date(record.createdAt).toISOString(),
    startedAt: timestamp(record.startedAt),
    completedAt: timestamp(record.completedAt),
    fileType: fileTypeOf(plan),
    ...(plan.inputs.length === 1 && firstInput ? { fileName: basename(firstInput.path) } : {}),
    totalFiles: plan.inputs.length,
    ...(plan.type === 'single' ? singleOutcome(record) : batchOutcome(record)),
  }
}

function singleOutcome({ results, errors }: JobRecord): Pick<Job, 'result' | 'error'> {
  const output = results.get(0)
  const failure = errors.get(0)
  return {
    ...(output ? { result: { outputPath: output.outputPath } } : {}),
    ...(failure ? { error: failure.error } : {}),
  }
}

/** In the order of the inputs, not of their completion, so that a download's index means the same for everybody. */
function batchOutcome({ results, errors }: JobRecord): Pick<Job, 'results' | 'errors'> {
  return { results: inOrder(results), errors: inOrder(errors) }
}

const inOrder = <T>(entries: ReadonlyMap<number, T>): T[] =>
  [...entries].toSorted(([a], [b]) => a - b).map(([, value]) => value)

const timestamp = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString()
