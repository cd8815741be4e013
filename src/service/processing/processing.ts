/**
 * Creates results: one input and one variation become one file. Worker processes do this, so that a file that crashes a decoder
 * loses only its own result.
 */
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure, reason, type Failure } from '../../shared/failure/failure.ts'
import { randomBytes } from 'node:crypto'
import { stat, statfs } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import path from 'node:path'
import { type FinishedFile, type Recipe, type WorkerTask } from '../../media/protocol.ts'
import { startWorker } from '../../media/start-worker.ts'
import { availableMemory } from '../../node/available-memory.ts'
import { type Confinement, PERMISSIONS } from '../../node/confinement.ts'
import { mediaIn, type OpenMedia } from '../../node/media-header/open-media.ts'
import { messageOf } from '../../node/errors.ts'
import { fileFailureOf, whyNotWritable, tryWritingTo } from '../../node/file-failure.ts'
import { type IdentifiedFile, openIdentified } from '../../node/file-identity.ts'
import { WORKER_MEMORY } from '../../node/memory-limit.ts'
import { createPauseGate } from '../../node/pause-gate.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import { trustedRealPath } from '../../node/trusted-path.ts'
import {
  createPrivateFolder,
  isFileOf,
  isFolderOf,
  type Owner,
  removePrivateFolder,
} from '../../node/private-folder.ts'
import type { Steering } from '../../shared/steering.ts'
import { resultKindOf } from '../../shared/media-types.ts'
import type { VariationRanges } from '../../shared/preset/preset.ts'
import { sumOf } from '../../shared/sum.ts'
import { mostVideosAtOnce, videosAtOnce } from '../../shared/video-cores.ts'
import { drawVariation } from '../../shared/preset/variation.ts'
import type { Loss } from '../../shared/loss/loss.ts'
import type { Quality } from '../../shared/quality/quality.ts'
import type { ResultNote } from '../../shared/result-notes.ts'
import { diskGone, type PlacedResult, placeResult } from './place-result.ts'
import type { TemporaryFiles } from './temporary-files.ts'
import { extentOf } from './pixels.ts'
import { memoryOfTrial, type OriginalFacts, predictMemory } from './predict-memory.ts'
import type { WeighedFacts } from './predict-work.ts'
import { type Admission, createAdmission } from './admission.ts'
import { createWorkerPool, maySeeEarlierFiles, type ResultFolder, type TaskControl } from './worker-pool.ts'

export { openTemporaryFiles, type TemporaryFiles } from './temporary-files.ts'
export { predictWork, type WeighedFacts } from './predict-work.ts'

export type ProcessingTask = PlacedResult & {
  readonly recipe: Recipe
  readonly ranges: VariationRanges
  /** How many results the job hasn't started yet, including this one. */
  readonly left: number
}

export type ProcessedFile = {
  /** Absolute. */
  readonly outputPath: string
  readonly notes: readonly ResultNote[]
  readonly losses: readonly Loss[]
  readonly quality?: Quality | undefined
  /** Why the result is incomplete, if the input is damaged. */
  readonly problem?: Failure | undefined
}

export type Processing = ReturnType<typeof createProcessing>

/** Minimum free space in bytes. A disk with less counts as full. */
const LEAST_FREE_BYTES = 32 * 1024 * 1024

export function createProcessing(options: {
  /** The worker's entry: `src/media/worker.ts`, or its bundle. */
  readonly workerPath: string
  /** The workers' sandbox; by default the one that works on every system. No worker starts before the sandbox is known. */
  readonly confinement?: Confinement | Promise<Confinement>
  /** How many cores to use; by default all. */
  readonly cores?: number
  readonly log: (message: string) => void
  /** Memory limit of a worker in bytes; by default the one in `WORKER_MEMORY`. */
  readonly memory?: number
  /** Returns the available memory in bytes. Files in progress use only a part of it. By default, asks the system. */
  readonly available?: () => number
  /** Replaces how workers are started, so that tests can count them. */
  readonly startWorker?: typeof startWorker
  /** Returns a hidden name for a task's private folder; by default one that can't be guessed. */
  readonly temporaryName?: TemporaryFiles['nameIn']
  /** Records a reserved name, because a kill could leave its placeholder behind on a file system without hard links. */
  readonly noteReservation?: TemporaryFiles['noteReservation']
  /** How long an idle worker is kept, in ms. */
  readonly idleMs?: number
  /** How long a stopped task may take before its worker is killed, in ms. */
  readonly graceMs?: number
  /** How often the time limit of a task is checked, in ms. */
  readonly tickMs?: number
}) {
  const { workerPath, temporaryName = anyName, noteReservation } = options
  const { confinement = PERMISSIONS, startWorker: start = startWorker } = options
  const { log, idleMs = 20_000, graceMs = 2_000, tickMs, available = availableMemory } = options
  const cores = Math.max(1, options.cores ?? availableParallelism())
  const present = cpus().length
  // Photo decoders don't need the GPU.
  const starting = (gpu: boolean) => (folder: string, isLow: boolean) => {
    const { memory = gpu ? WORKER_MEMORY.any : WORKER_MEMORY.photo } = options
    return start('jobs', { path: workerPath, folders: [folder], gpu, memory, isLow, confinement })
  }
  const admission = createAdmission(cores, available, () => {
    for (const pool of [pools.image, pools.video]) pool.renewAll()
  })
  const limits = { idleMs, graceMs, tickMs, log }
  const pools = {
    image: createWorkerPool(cores, admission, starting(false), limits),
    video: createWorkerPool(mostVideosAtOnce(cores), admission, starting(true), limits),
  }
  const running = new Set<Promise<unknown>>()
  const gate = createPauseGate()

  /** @param isRepeated whether the first attempt failed because a folder or a disk was replaced */
  async function run(task: ProcessingTask, control: TaskControl, isRepeated = false): Promise<ProcessedFile> {
    control.signal.throwIfAborted()
    const temporaryPrefix = await temporaryName(task.outputFolder)
    const folder = path.join(task.outputFolder, temporaryPrefix)
    let target: ResultFolder | undefined
    try {
      if (await isTakenAway(task.mount)) throw diskGone(task.outputFolder)
      const [, { identity, stats: original, facts }, now] = await Promise.all([
        requireUsable(task.outputFolder),
        lookAtInput(task),
        folderNow(task.outputFolder),
      ])
      target = now
      const owner = await createPrivateFolder(folder)
      await control.turn?.comes()
      const use = coresFor(task.recipe, facts, { cores, left: task.left, admission })
      const making = pools[task.recipe.kind].run(
        {
          inputPath: task.inputPath,
          identity,
          folder,
          temporaryPrefix,
          recipe: task.recipe,
          variation:
            task.variations > 1 ? drawVariation(task.ranges, task.inputName, task.variation) : undefined,
          neverLarger: task.rules.neverLarger,
          keepBelowQuality: task.rules.keepBelowQuality,
          isRated: true,
          // In a container, the codecs would otherwise use more cores than the container may use.
          cores: use.threads === present ? undefined : use.threads,
        },
        target,
        {
          kind: task.recipe.kind,
          cores: use.cores,
          bytes: predictMemory(facts, task.recipe, use.threads),
          hardwareBytes: memoryOfTrial(facts, task.recipe),
        },
        control,
      )
      control.turn?.pass()
      const file = await making
      await requireOwnResult(file, { folder, temporaryPrefix }, owner)
      const outputPath = await placeResult(task, original, file, noteReservation)
      const { notes, losses, quality, problem } = file
      return { outputPath, notes, losses, quality, problem }
    } catch (error) {
      if (control.signal.aborted) throw error
      const why = await blamed(error, task.outputFolder, temporaryPrefix)
      if (isRepeated || target === undefined || !(await isReplaced(target, error))) throw why
    } finally {
      await removePrivateFolder(folder)
    }
    return run(task, control, true)
  }

  return {
    /** @throws FailureError if the file can't be processed; `signal.reason` if it was stopped */
    run(task: ProcessingTask, control: TaskControl): Promise<ProcessedFile> {
      const result = run(task, control)
      running.add(result)
      const forget = () => void running.delete(result)
      result.then(forget, forget)
      return result
    },
    /** Pauses or resumes processing, and sets the workers' priority. */
    steer({ hold, lowPriority }: Steering): void {
      gate.hold(hold)
      admission.hold(hold)
      for (const pool of [pools.image, pools.video]) {
        pool.lowerPriority(lowPriority)
        pool.hold(hold)
      }
    },
    /** Resolves as soon as processing isn't paused, or when the signal is aborted. */
    notHeld: gate.pass,
    // One more photo than cores, so that no worker is idle while a finished file gets its name.
    /** Maximum number of tasks of this kind to start in parallel. */
    parallelism: (kind: Recipe['kind']): number => (kind === 'image' ? cores + 1 : mostVideosAtOnce(cores)),
    /** Stops running tasks, removes partial files and ends the workers. */
    async close(): Promise<void> {
      await Promise.all([pools.image.close(), pools.video.close()])
      await Promise.allSettled(running)
    },
  }
}

/**
 * Returns the number of cores to reserve for a task, which may be a fraction, and the number of threads that its codecs use. They use more
 * threads than cores are reserved in two cases: if memory limits how many such videos can run in parallel, and for the last videos of a job,
 * because the others will soon have ended. The additional threads must fit into memory, together with the videos in progress and the trial of
 * a hardware encoder.
 */
function coresFor(
  recipe: Recipe,
  facts: OriginalFacts,
  {
    cores,
    left,
    admission,
  }: {
    readonly cores: number
    readonly left: number
    readonly admission: Pick<Admission, 'mostBytes' | 'bytesOfVideos'>
  },
): { readonly cores: number; readonly threads: number } {
  if (recipe.kind === 'image') return { cores: 1, threads: 1 }
  const extent = extentOf(facts)
  const most = videosAtOnce(cores, recipe.video, extent && extent.width * extent.height)
  const own = cores / most
  const fewest = Math.ceil(own)
  const bytes = admission.mostBytes() - (memoryOfTrial(facts, recipe) ?? 0)
  const need = (threads: number) => predictMemory(facts, recipe, threads)
  const atOnce = Math.max(1, Math.min(most, Math.floor(bytes / need(fewest))))
  const likeThis = Math.min(atOnce, left)
  const others = sumOf(admission.bytesOfVideos().slice(0, atOnce - likeThis))
  let threads = Math.max(Math.ceil(cores / atOnce), Math.floor(cores / left))
  while (threads > fewest && need(threads) * likeThis + others > bytes) threads -= 1
  return { cores: own, threads }
}

/**
 * Opens the input. Returns its identity, the attributes that give the result its dates and limit its permissions, and the facts from which
 * memory use is predicted.
 * @throws FailureError
 */
async function lookAtInput({
  inputPath,
  identity,
}: ProcessingTask): Promise<Pick<IdentifiedFile, 'identity' | 'stats'> & { readonly facts: OriginalFacts }> {
  await using input = await openIdentified(inputPath, identity)
  const { size } = input.stats
  return {
    identity: input.identity,
    stats: input.stats,
    facts: await readFacts(mediaIn(input.file, input.realPath), Number(size)),
  }
}

/** Returns the facts for `predictWork`. Facts that can't be read are unknown. */
export async function weigh(media: OpenMedia, bytes: number): Promise<WeighedFacts> {
  const content = await media.content().catch(() => undefined)
  return { ...(await media.header()), format: content?.extensions[0], bytes }
}

/** Returns the facts for `predictMemory`. Facts that can't be read are unknown. */
export const readFacts = async (media: OpenMedia, bytes: number): Promise<OriginalFacts> => ({
  ...(await weigh(media, bytes)),
  ...(await media.coding(bytes)),
})

/**
 * Checks that the worker's result is a file of this task, in the folder that was created for it, and that its extension is one of the
 * results' extensions. Otherwise a compromised decoder could name any file, which would then be moved to the output folder.
 * @throws FailureError
 */
async function requireOwnResult(
  { temporaryPath, extension }: FinishedFile,
  { folder, temporaryPrefix }: Pick<WorkerTask, 'folder' | 'temporaryPrefix'>,
  owner: Owner,
): Promise<void> {
  const isInPlace =
    path.dirname(temporaryPath) === path.resolve(folder) &&
    path.basename(temporaryPath).startsWith(temporaryPrefix) &&
    (await Promise.all([isFolderOf(owner, folder), isFileOf(owner, temporaryPath)])).every(Boolean)
  if (!isInPlace || !/^[a-z0-9]{1,5}$/.test(extension) || resultKindOf(`result.${extension}`) === undefined)
    throw new FailureError(failure('workerMisbehaved'))
}

const anyName = () => Promise.resolve(`.mediatray-${randomBytes(8).toString('hex')}`)

/** @throws FailureError if the folder's disk is full; an error that `isForeignLink` recognizes; otherwise the file system's error */
async function requireUsable(folder: string): Promise<void> {
  const [full] = await Promise.all([isFull(folder), trustedRealPath(folder)])
  if (full) throw folderFull(folder)
}

const folderFull = (folder: string, cause?: ErrorOptions) =>
  new FailureError(failure('folderFull', { folder }), cause)

async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < LEAST_FREE_BYTES
}

async function folderNow(folder: string): Promise<ResultFolder> {
  // A new folder may get the inode of a deleted folder.
  const { dev, ino, birthtimeNs } = await stat(folder, { bigint: true })
  return { path: folder, identity: `${dev}:${ino}:${birthtimeNs}` }
}

/**
 * Returns whether an error may have occurred because another folder or disk has replaced the task's folder. A worker that can't write to
 * the folder, or can't find its input, may still see the earlier folder or disk. A second attempt checks the input first.
 */
async function isReplaced({ path: folder, identity }: ResultFolder, error: unknown): Promise<boolean> {
  if (error instanceof FailureError && maySeeEarlierFiles(error.failure)) return true
  const now = await folderNow(folder).catch(() => undefined)
  return now !== undefined && now.identity !== identity
}

/**
 * Determines the reason for a failure. Library messages don't reveal whether reading or writing failed, so this tests whether the folder
 * can be written to and has free space. If not, that is the reason.
 */
async function blamed(error: unknown, folder: string, prefix: string): Promise<FailureError> {
  const cause = { cause: error }
  const refused = await tryWritingTo(folder, `${prefix}-probe`)
  if (refused !== undefined) {
    return new FailureError(failure('folderNotWritable', { folder, reason: whyNotWritable(refused) }), cause)
  }
  if (fileFailureOf(error) === 'full' || (await isFull(folder))) return folderFull(folder, cause)
  if (error instanceof FailureError) return named(error, folder)
  const failed =
    fileFailureOf(error) === undefined
      ? failure('resultUnexpected', { folder, detail: messageOf(error) })
      : failure('resultNotSavedIn', { folder, reason: whyNotWritable(error) })
  return new FailureError(failed, cause)
}

/** Adds the folder to a `resultNotSaved` failure, for which the libraries didn't report a reason. */
const named = (error: FailureError, folder: string): FailureError =>
  error.failure.code === 'resultNotSaved'
    ? new FailureError(failure('resultNotSavedIn', { folder, reason: reason('unknown') }), { cause: error })
    : error
