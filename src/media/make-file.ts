/** Creates the results of tasks, and estimates them. Loads image and video code on first use. */
import { randomBytes } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { FailureError } from '../shared/failure/failure-error.ts'
import { failure, type FailureCode } from '../shared/failure/failure.ts'
import type { Foresight } from '../shared/loss/foreseen.ts'
import { fileFailureOf, tryWritingTo, whyNotWritable } from '../node/file-failure.ts'
import { countFile, exitIfAtOwnLimit, hasNearlyRunOut, saysOutOfMemory } from '../node/memory-limit.ts'
import { openInput } from './opened-input.ts'
import type { RequestContext } from './parent-process.ts'
import type { FileJob, FinishedFile, ResultOf, WorkerTask } from './protocol.ts'
import { isTooLow, keepOriginal } from './keep-original.ts'
import { rateResult } from './rate-result.ts'

/**
 * Creates the result of a task. Removes every other temporary file, even after an error.
 * @throws FailureError, any error of a library, or the signal's reason
 */
export async function makeFile(task: WorkerTask, context: RequestContext): Promise<FinishedFile> {
  const handedOut: string[] = []
  let kept: string | undefined
  try {
    const file = await processTask(task, context, handedOut)
    context.signal.throwIfAborted()
    kept = file.temporaryPath
    return file
  } finally {
    const leftovers = handedOut.filter((file) => file !== kept)
    await Promise.all(leftovers.map((file) => rm(file, { force: true }).catch(() => undefined)))
  }
}

/** Time from launch until the worker was ready, in ms. A job pays for this only once. */
let startMs: number | undefined

/** Estimates the result for a file. Processes a photo completely and discards the result, but encodes only samples of a video. */
export async function estimateFile(task: WorkerTask, context: RequestContext): Promise<ResultOf<'estimate'>> {
  const { recipe, variation, neverLarger } = task
  if (recipe.kind === 'video') {
    await using input = await openInput(task.inputPath, task.identity)
    const { estimateVideo } = await import('./video/video-estimate.ts')
    startMs ??= performance.now()
    const { path: inputPath } = input
    const { signal } = context
    const estimate = await estimateVideo({ inputPath, recipe: recipe.video, variation, neverLarger, signal })
    await input.requireSame()
    return { estimate, startMs }
  }
  await loadImageCode()
  const begun = performance.now()
  startMs ??= begun
  const { temporaryPath } = await makeFile(task, context)
  const milliseconds = performance.now() - begun
  const { size: bytes } = await stat(temporaryPath)
  await rm(temporaryPath, { force: true })
  return { estimate: { bytes, milliseconds, spread: 0 }, startMs }
}

/** Predicts what the task's result will lose, without creating it, and counts the original's pages and chapters. */
export async function foresee(
  { inputPath, identity, recipe }: WorkerTask,
  { signal }: RequestContext,
): Promise<Foresight> {
  await using input = await openInput(inputPath, identity)
  const { foreseeLosses } = await import('./inventory/foresee-losses.ts')
  const foreseen = await foreseeLosses(input.path, recipe, signal)
  await input.requireSame()
  return foreseen
}

/** @param handedOut collects every temporary path that may have been written to */
async function processTask(
  task: WorkerTask,
  context: RequestContext,
  handedOut: string[],
): Promise<FinishedFile> {
  countFile()
  await using input = await openInput(task.inputPath, task.identity)
  const clock = startClock(task.recipe.kind === 'video' ? context.pause.heldMs : () => 0)
  const finished = await processFile(task, input.path, context, handedOut).catch(async (error: unknown) => {
    throw context.signal.aborted ? error : (lackOfMemory(error) ?? (await blamed(error, task)))
  })
  if (finished.problem !== undefined && hasNearlyRunOut()) throw lackingMemory()
  const made = { inputPath: input.path, milliseconds: clock(), signal: context.signal }
  const rated = await rateResult(finished, task, made)
  const kept = isTooLow(rated, task)
    ? await keepOriginal(rated, input.path, task, {
        temporaryPath: (extension) => temporaryPath(task, handedOut, extension),
        process: (recipe) =>
          processFile({ ...task, recipe, neverLarger: false }, input.path, context, handedOut),
      })
    : rated
  await input.requireSame()
  return kept
}

/** Returns a function that returns the time since now in ms, without pauses. A pause doesn't interrupt photos. */
function startClock(heldMs: RequestContext['pause']['heldMs']): () => number {
  const now = () => performance.now() - heldMs()
  const begun = now()
  return () => now() - begun
}

/** Failures that a failed allocation in a library may cause. */
const MAY_LACK_MEMORY: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'fileDamaged',
  'fileUnexpected',
  'frameNotChanged',
  'notAVideo',
  'photoUnknown',
  'photoUnsupported',
  'videoNotDecoded',
  'videoNotEncoded',
  'videoNotWritten',
  'videoNotChanged',
  'videoNotCompared',
  'videoNotCopied',
  'videoNotPrepared',
])

/** Returns a failure that reports a lack of memory if the error probably has this cause. */
function lackOfMemory(error: unknown): FailureError | undefined {
  const code = error instanceof FailureError ? error.failure.code : undefined
  if (code === 'notEnoughMemory' || code === 'photoNeedsMemory') exitIfAtOwnLimit()
  const isKnown = code !== undefined && !MAY_LACK_MEMORY.has(code)
  return isKnown || !(saysOutOfMemory(error) || hasNearlyRunOut()) ? undefined : lackingMemory(error)
}

function lackingMemory(cause?: unknown): FailureError {
  exitIfAtOwnLimit()
  return new FailureError(failure('notEnoughMemory'), { cause })
}

/**
 * Returns a failure that names the result's folder if the folder isn't writable, otherwise the same error. Libraries report an unwritable
 * folder in many ways, even as an error of the input. Only this process can check, because its sandbox may still contain an earlier folder
 * at this path.
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
  { signal, pause, onProgress }: RequestContext,
  handedOut: string[],
): Promise<FinishedFile> {
  const common = {
    inputPath,
    variation: task.variation,
    neverLarger: task.neverLarger,
    signal,
    pause,
    temporaryPath: (extension: string) => temporaryPath(task, handedOut, extension),
    onProgress: limited(onProgress),
  } satisfies Omit<FileJob<unknown>, 'recipe'>

  if (task.recipe.kind === 'image') {
    const { processImage } = await loadImageCode()
    return processImage({ ...common, recipe: task.recipe.image })
  }
  const { processVideo, useCores } = await import('./video/process-video.ts')
  useCores(task.cores)
  return processVideo({ ...common, recipe: task.recipe.video })
}

function temporaryPath(task: WorkerTask, handedOut: string[], extension: string): string {
  const random = randomBytes(8).toString('hex')
  const name = `${task.temporaryPrefix}-${handedOut.length + 1}-${random}.part.${extension}`
  const file = path.join(task.folder, name)
  handedOut.push(file)
  return file
}

const loadImageCode = () => import('./image/process-image.ts')

/** Limits progress to ten messages per second, because clients poll at most every two seconds. Always sends a new phase. */
function limited(send: RequestContext['onProgress']): RequestContext['onProgress'] {
  let lastPhase = ''
  let lastAt = -Infinity
  return (progress) => {
    const now = performance.now()
    if (progress.phase === lastPhase && now - lastAt < 100) return
    lastPhase = progress.phase
    lastAt = now
    send(progress)
  }
}
