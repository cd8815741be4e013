/**
 * Makes files: one input and one variation of it become one file. The work itself happens in worker processes, so that a
 * file which brings a decoder down takes nothing with it but its own result.
 */
import { randomBytes } from 'node:crypto'
import { lstat, statfs } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { type FinishedFile, ProcessingError, type Recipe } from '../../media/protocol.ts'
import { type JobWorker, removeTemporaryFiles, startJobWorker } from '../../media/start-worker.ts'
import { type Confinement, PERMISSIONS } from '../../node/confinement.ts'
import type { ConfinedWorkerStart } from '../../node/confined-worker.ts'
import { codeOf, messageOf } from '../../node/errors.ts'
import type { VariationRanges } from '../../shared/preset/preset.ts'
import { drawVariation } from '../../shared/preset/variation.ts'
import type { ResultNote } from '../../shared/result-notes.ts'
import { type PlacedResult, placeResult } from './place-result.ts'
import type { TemporaryFiles } from './temporary-files.ts'
import { createWorkerPool } from './worker-pool.ts'
import type { TaskControl } from './worker-slot.ts'

export { openTemporaryFiles, type TemporaryFiles } from './temporary-files.ts'

export type ProcessingTask = PlacedResult & {
  readonly recipe: Recipe
  readonly ranges: VariationRanges
}

export type ProcessedFile = {
  /** Absolute. */
  readonly outputPath: string
  readonly notes: readonly ResultNote[]
}

export interface Processing {
  /**
   * @throws ProcessingError when this file can't be processed; `signal.reason` when it was stopped
   */
  run(task: ProcessingTask, control: TaskControl): Promise<ProcessedFile>
  /** Has a worker ready whose results go to this folder, because such files are about to come. */
  expectFiles(media: Recipe['kind'], outputFolder: string): Promise<void>
  /** How many tasks of this kind are worth running at the same time (a video uses the cores itself). */
  parallelism(kind: Recipe['kind']): number
  /** Stops what runs, removes what is half written, ends the workers. */
  close(): Promise<void>
}

export type ProcessingOptions = {
  /** The worker's entry: `src/media/job-worker.ts`, or its bundle. */
  readonly workerPath: string
  /** What keeps the workers from the rest of the computer; what every system has, if not said. No worker starts before it is known. */
  readonly confinement?: Confinement | Promise<Confinement>
  /** How many images are worked on at once; as many as the computer has cores, if not said. */
  readonly cores?: number
  readonly log: (message: string) => void
  /** Another way to start a worker; tests count them with it. */
  readonly startWorker?: (start: ConfinedWorkerStart) => JobWorker
  /** A hidden name for one task's files in the folder; any that no other has, if not said. */
  readonly temporaryName?: TemporaryFiles['nameIn']
  /** How long a worker stays without work, in ms. */
  readonly idleMs?: number
  /** How long a stopped task may take to let go before its worker is killed, in ms. */
  readonly graceMs?: number
}

/** Below this a disk counts as full, in bytes. */
const LEAST_FREE_BYTES = 32 * 1024 * 1024

export function createProcessing(options: ProcessingOptions): Processing {
  const { workerPath, temporaryName = anyName } = options
  const { log, startWorker = startJobWorker, idleMs = 20_000, graceMs = 2_000 } = options
  const cores = Math.max(1, options.cores ?? availableParallelism())
  let confinement = PERMISSIONS
  const confined = Promise.resolve(options.confinement).then((known = PERMISSIONS) => {
    confinement = known
  })
  // What decodes photos has no business with a graphics chip.
  const starting = (chips: boolean) => (folder: string) =>
    startWorker({ path: workerPath, folders: [folder], chips, confinement })
  const pools = {
    image: createWorkerPool({ size: cores, start: starting(false), idleMs, graceMs, log }),
    video: createWorkerPool({ size: 1, start: starting(true), idleMs, graceMs, log }),
  }
  const running = new Set<Promise<unknown>>()

  async function run(task: ProcessingTask, control: TaskControl): Promise<ProcessedFile> {
    control.signal.throwIfAborted()
    const temporaryPrefix = await temporaryName(task.outputFolder)
    try {
      await refuseFullDisk(task.outputFolder)
      await confined
      const file = await pools[task.recipe.kind].run(
        {
          inputPath: task.inputPath,
          folder: task.outputFolder,
          temporaryPrefix,
          recipe: task.recipe,
          variation:
            task.variations > 1 ? drawVariation(task.ranges, task.inputName, task.variation) : undefined,
          neverLarger: task.rules.neverLarger,
        },
        control,
      )
      await requireOwnResult(file, task.outputFolder, temporaryPrefix)
      return { outputPath: await placeResult(task, file), notes: file.notes }
    } catch (error) {
      await removeTemporaryFiles({ folder: task.outputFolder, temporaryPrefix })
      if (control.signal.aborted || error instanceof ProcessingError) throw error
      throw new ProcessingError(describeFolderError(error, task.outputFolder), { cause: error })
    }
  }

  return {
    run(task, control) {
      const result = run(task, control)
      running.add(result)
      const forget = () => void running.delete(result)
      result.then(forget, forget)
      return result
    },
    async expectFiles(media, outputFolder) {
      await confined
      pools[media].prepare(media, outputFolder)
    },
    // One more than there are workers, so that none waits while a finished file gets its name.
    parallelism: (kind) => (kind === 'image' ? cores + 1 : 1),
    async close() {
      await Promise.all([pools.image.close(), pools.video.close()])
      await Promise.allSettled(running)
    },
  }
}

/**
 * A decoder that was taken over could call any file its result, which would then be moved to where results go. So it has to be
 * a file of this very task.
 *
 * @throws ProcessingError
 */
async function requireOwnResult(file: FinishedFile, folder: string, prefix: string): Promise<void> {
  const { temporaryPath, extension } = file
  const isInPlace =
    path.dirname(temporaryPath) === path.resolve(folder) && path.basename(temporaryPath).startsWith(prefix)
  const found = isInPlace ? await lstat(temporaryPath).catch(() => undefined) : undefined
  if (found?.isFile() !== true || !/^[a-z0-9]{1,5}$/.test(extension))
    throw new ProcessingError('The worker process gave back something else than its result.')
}

const anyName = () => Promise.resolve(`.mediatray-${randomBytes(8).toString('hex')}`)

async function refuseFullDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < LEAST_FREE_BYTES)
    throw new ProcessingError(`There is no room left on the disk that holds ${folder}.`)
}

function describeFolderError(error: unknown, folder: string): string {
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `There is no room left on the disk that holds ${folder}.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `The folder ${folder} can't be written to.`
    case 'ENOENT':
      return `The folder ${folder} is not there any more.`
    default:
      return `The result could not be saved in ${folder}: ${messageOf(error)}`
  }
}
