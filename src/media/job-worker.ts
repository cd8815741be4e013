/**
 * Entry point of a worker process. Runs one task at a time for its parent and exits when the parent has exited.
 * Loads image and video code on first use, so a worker for photos never loads FFmpeg.
 */
import { randomBytes } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { FailureError } from '../shared/failure/failure-error.ts'
import { failure } from '../shared/failure/failure.ts'
import { fileFailureOf, tryWritingTo, whyNotWritable } from '../node/file-failure.ts'
import { createPauseGate } from '../node/pause-gate.ts'
import { connectToParent } from './parent-process.ts'
import {
  DoesNotFit,
  type FileJob,
  type FinishedFile,
  type FromWorker,
  isToWorker,
  type ProcessingProgress,
  type ResultCheck,
  type ToWorker,
  type WorkerTask,
} from './protocol.ts'
import { lowerPriority } from './lower-priority.ts'
import { openInput } from './opened-input.ts'

// The parent gives a finished file its permissions. Until then, only this user can read it.
process.umask(0o077)

const parent = connectToParent<ToWorker, FromWorker>({
  isReceived: isToWorker,
  onMessage: receive,
  onGone: () => process.exit(0),
})
let stopping = new AbortController()
const pause = createPauseGate()
// Estimates run at a lower priority than real jobs.
if (process.argv.includes('--step-back')) lowerPriority('half')

function receive(message: ToWorker): void {
  switch (message.kind) {
    case 'run':
      return begin(message.task, makeFile)
    case 'estimate':
      return begin(message.task, estimateFile)
    case 'check':
      return begin(message.check, checkResult)
    case 'foresee':
      return begin(message.task, foresee)
    case 'hold':
      return pause.hold(message.isHeld)
    case 'stepBack':
      return lowerPriority('whole')
    case 'stop':
      return stopping.abort(new Error('The task was stopped.'))
    case 'end':
      return process.exit(0)
  }
}

type Outcome = Extract<FromWorker, { readonly kind: 'finished' | 'estimate' | 'checked' | 'foreseen' }>
/** @param handedOut collects every temporary path that may have been written to */
type Work<Task> = (task: Task, signal: AbortSignal, handedOut: string[]) => Promise<Outcome>

function begin<Task>(task: Task, work: Work<Task>): void {
  stopping = new AbortController()
  void carryOut(task, stopping.signal, work).then((answer) => parent.send(answer))
}

async function carryOut<Task>(task: Task, signal: AbortSignal, work: Work<Task>): Promise<FromWorker> {
  const handedOut: string[] = []
  let kept: string | undefined
  try {
    const outcome = await work(task, signal, handedOut)
    signal.throwIfAborted()
    if (outcome.kind === 'finished') kept = outcome.file.temporaryPath
    return outcome
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped' }
    if (error instanceof FailureError)
      return {
        kind: 'failed',
        failure: error.failure,
        detail: messageOf(error.cause),
        ...(error instanceof DoesNotFit ? { least: error.least } : {}),
      }
    const words = error instanceof Error ? error.message : String(error)
    const detail = error instanceof Error ? error.stack : undefined
    return {
      kind: 'failed',
      failure: failure('fileUnexpected', { detail: words.slice(0, LONGEST_WORDS) }),
      detail,
    }
  } finally {
    const leftovers = handedOut.filter((file) => file !== kept)
    await Promise.all(leftovers.map((file) => rm(file, { force: true }).catch(() => undefined)))
  }
}

/** Maximum length of a library message in characters. A message may quote a whole file. */
const LONGEST_WORDS = 4_000

const messageOf = (cause: unknown): string | undefined => (cause instanceof Error ? cause.message : undefined)

const makeFile: Work<WorkerTask> = async (task, signal, handedOut) => ({
  kind: 'finished',
  file: await processTask(task, signal, handedOut),
})

/** Time from launch until the worker was ready, in ms. A job pays for this only once. */
let startMs: number | undefined

/** Estimates a file. Processes a photo completely and discards the result, but encodes only samples of a video. */
const estimateFile: Work<WorkerTask> = async (task, signal, handedOut) => {
  const { recipe, variation, neverLarger } = task
  if (recipe.kind === 'video') {
    await using input = await openInput(task.inputPath, task.identity)
    const { path: inputPath } = input
    const { estimateVideo } = await import('./video/video-estimate.ts')
    startMs ??= performance.now()
    const estimate = await estimateVideo({ inputPath, recipe: recipe.video, variation, neverLarger, signal })
    await input.requireSame()
    return { kind: 'estimate', estimate, startMs }
  }
  await loadImageCode()
  const begun = performance.now()
  startMs ??= begun
  const { temporaryPath } = await processTask(task, signal, handedOut)
  const milliseconds = performance.now() - begun
  const { size: bytes } = await stat(temporaryPath)
  return { kind: 'estimate', estimate: { bytes, milliseconds, spread: 0 }, startMs }
}

const checkResult: Work<ResultCheck> = async (check, signal) => {
  const { mayReplace } = await import('./inventory/may-replace.ts')
  return { kind: 'checked', isGood: await mayReplace(check, signal) }
}

const foresee: Work<WorkerTask> = async ({ inputPath, identity, recipe }, signal) => {
  await using input = await openInput(inputPath, identity)
  const { foreseeLosses } = await import('./inventory/foresee-losses.ts')
  const foreseen = await foreseeLosses(input.path, recipe, signal)
  await input.requireSame()
  return { kind: 'foreseen', ...foreseen }
}

async function processTask(
  task: WorkerTask,
  signal: AbortSignal,
  handedOut: string[],
): Promise<FinishedFile> {
  await using input = await openInput(task.inputPath, task.identity)
  const finished = await processFile(task, input.path, signal, handedOut).catch(async (error: unknown) => {
    throw signal.aborted ? error : await blamed(error, task)
  })
  await input.requireSame()
  return finished
}

/**
 * Determines the reason for a failure. The libraries report one that concerns the result's folder in many ways, even as one of the input.
 * Only this process can find it out, because its sandbox may have a folder that is no longer at the path.
 */
async function blamed(error: unknown, { folder, temporaryPrefix }: WorkerTask): Promise<unknown> {
  const refused = await tryWritingTo(folder, `${temporaryPrefix}-probe`)
  // A full disk has a separate failure.
  if (refused === undefined || fileFailureOf(refused) === 'full') return error
  const values = { folder: path.dirname(folder), reason: whyNotWritable(refused) }
  return new FailureError(failure('resultNotSavedIn', values), { cause: error })
}

async function processFile(
  task: WorkerTask,
  inputPath: string,
  signal: AbortSignal,
  handedOut: string[],
): Promise<FinishedFile> {
  const common = {
    inputPath,
    variation: task.variation,
    neverLarger: task.neverLarger,
    signal,
    pause,
    temporaryPath(extension: string) {
      const random = randomBytes(8).toString('hex')
      const name = `${task.temporaryPrefix}-${handedOut.length + 1}-${random}.part.${extension}`
      const file = path.join(task.folder, name)
      handedOut.push(file)
      return file
    },
    onProgress: progressSender(),
  } satisfies Omit<FileJob<unknown>, 'recipe'>

  if (task.recipe.kind === 'image') {
    const { processImage } = await loadImageCode()
    return processImage({ ...common, recipe: task.recipe.image })
  }
  const { processVideo } = await loadVideoCode()
  return processVideo({ ...common, recipe: task.recipe.video })
}

const loadImageCode = () => import('./image/process-image.ts')
const loadVideoCode = () => import('./video/process-video.ts')

/** Limits progress to ten messages per second, because clients poll at most every two seconds. Always sends a new phase. */
function progressSender(): (progress: ProcessingProgress) => void {
  let lastPhase = ''
  let lastAt = -Infinity
  return (progress) => {
    const now = performance.now()
    if (progress.phase === lastPhase && now - lastAt < 100) return
    lastPhase = progress.phase
    lastAt = now
    parent.send({ kind: 'progress', progress })
  }
}
