/**
 * The entry of a worker process: takes one task at a time from its parent, and ends when the parent is gone. Image and
 * video code are loaded when first needed, so that a worker for photos never carries FFmpeg.
 */
import { rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { connectToParent } from './parent-process.ts'
import {
  DoesNotFit,
  type FileJob,
  type FinishedFile,
  type FromWorker,
  isToWorker,
  ProcessingError,
  type ProcessingProgress,
  type ToWorker,
  type WorkerTask,
} from './protocol.ts'
import { stepBack } from './step-back.ts'

const parent = connectToParent<ToWorker, FromWorker>({
  isReceived: isToWorker,
  onMessage: receive,
  onGone: () => process.exit(0),
})
let stopping = new AbortController()
// What is made only to be looked at waits for everything else.
if (process.argv.includes('--step-back')) stepBack('half')

function receive(message: ToWorker): void {
  switch (message.kind) {
    case 'prepare':
      // What fails here fails again with the first file, and is told then.
      void (message.media === 'image' ? loadImageCode() : loadVideoCode()).catch(() => undefined)
      return
    case 'run':
      return begin(message.task, makeFile)
    case 'forecast':
      return begin(message.task, forecastFile)
    case 'stop':
      return stopping.abort(new Error('The task was stopped.'))
    case 'end':
      return process.exit(0)
  }
}

type Outcome = Extract<FromWorker, { readonly kind: 'finished' | 'forecast' }>
/** @param handedOut grows with every temporary path that may have been written to */
type Work = (task: WorkerTask, signal: AbortSignal, handedOut: string[]) => Promise<Outcome>

function begin(task: WorkerTask, work: Work): void {
  stopping = new AbortController()
  void carryOut(task, stopping.signal, work).then((answer) => parent.send(answer))
}

async function carryOut(task: WorkerTask, signal: AbortSignal, work: Work): Promise<FromWorker> {
  const handedOut: string[] = []
  let kept: string | undefined
  try {
    const outcome = await work(task, signal, handedOut)
    signal.throwIfAborted()
    if (outcome.kind === 'finished') kept = outcome.file.temporaryPath
    return outcome
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped' }
    if (error instanceof ProcessingError)
      return {
        kind: 'failed',
        reason: error.message,
        detail: wordsOf(error.cause),
        ...(error instanceof DoesNotFit ? { least: error.least } : {}),
      }
    const words = error instanceof Error ? error.message : String(error)
    const detail = error instanceof Error ? error.stack : undefined
    return { kind: 'failed', reason: `The file could not be processed: ${words}`, detail }
  } finally {
    const leftovers = handedOut.filter((file) => file !== kept)
    await Promise.all(leftovers.map((file) => rm(file, { force: true }).catch(() => undefined)))
  }
}

const wordsOf = (cause: unknown): string | undefined => (cause instanceof Error ? cause.message : undefined)

const makeFile: Work = async (task, signal, handedOut) => ({
  kind: 'finished',
  file: await processTask(task, signal, handedOut),
})

/** A job pays for starting and loading once. */
let startMs: number | undefined

/** A photo is made as for a job, and thrown away; of a video only samples are. */
const forecastFile: Work = async (task, signal, handedOut) => {
  const { inputPath, recipe, variation, neverLarger } = task
  if (recipe.kind === 'video') {
    const { forecastFilm } = await import('./video/film-forecast.ts')
    startMs ??= performance.now()
    const forecast = await forecastFilm({ inputPath, recipe: recipe.video, variation, neverLarger, signal })
    return { kind: 'forecast', forecast, startMs }
  }
  await loadImageCode()
  const begun = performance.now()
  startMs ??= begun
  const { temporaryPath } = await processTask(task, signal, handedOut)
  const milliseconds = performance.now() - begun
  const { size: bytes } = await stat(temporaryPath)
  return { kind: 'forecast', forecast: { bytes, milliseconds, spread: 0 }, startMs }
}

async function processTask(
  task: WorkerTask,
  signal: AbortSignal,
  handedOut: string[],
): Promise<FinishedFile> {
  const common = {
    inputPath: task.inputPath,
    variation: task.variation,
    neverLarger: task.neverLarger,
    signal,
    temporaryPath(extension: string) {
      const name = `${task.temporaryPrefix}-${handedOut.length + 1}.part.${extension}`
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

/** A reader looks every two seconds at most: ten messages a second are plenty, and a new phase is always told. */
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
