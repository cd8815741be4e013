/** The workers as their parents start them: each speaks its part of the protocol, and writes only where it is told to. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ConfinedWorker,
  type ConfinedWorkerStart,
  startConfinedWorker,
} from '../node/confined-worker.ts'
import {
  type FromWorker,
  isFromWorker,
  isPreviewAnswer,
  isThumbnailAnswer,
  type PreviewAnswer,
  type PreviewRequest,
  type ThumbnailAnswer,
  type ThumbnailRequest,
  type ToWorker,
  type WorkerTask,
} from './protocol.ts'

/** Makes results, and says what they would come to. */
export type JobWorker = ConfinedWorker<ToWorker, FromWorker>
/** Makes small pictures; it ends by itself when it was not needed for a while. */
export type PictureWorker = ConfinedWorker<ThumbnailRequest, ThumbnailAnswer>
/** Shows what a recipe does to a part of a photo. */
export type PreviewWorker = ConfinedWorker<PreviewRequest, PreviewAnswer>

export const startJobWorker = (start: ConfinedWorkerStart): JobWorker =>
  startConfinedWorker(start, isFromWorker)

/** One that steps back behind the jobs and what the person does. */
export const startTrialWorker = (start: ConfinedWorkerStart): JobWorker =>
  startJobWorker({ ...start, args: ['--step-back'] })

/** May write nothing. */
export const startPictureWorker = (start: Omit<ConfinedWorkerStart, 'folders'>): PictureWorker =>
  startConfinedWorker({ ...start, folders: [] }, isThumbnailAnswer)

/** May write nothing. */
export const startPreviewWorker = (start: Omit<ConfinedWorkerStart, 'folders'>): PreviewWorker =>
  startConfinedWorker({ ...start, folders: [] }, isPreviewAnswer)

/** What is left of a task whose worker was ended. A folder that is not there just now has nothing to be removed. */
export async function removeTemporaryFiles({
  folder,
  temporaryPrefix,
}: Pick<WorkerTask, 'folder' | 'temporaryPrefix'>): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const left = names.filter((name) => name.startsWith(`${temporaryPrefix}-`))
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)))
}
