/** Finds the result of each file of a finished job, and whether it is smaller than the file. */
import { stat } from 'node:fs/promises'
import { forEachLimited } from '../../../node/limited.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import { claimedPaths, type Core } from '../../core/index.ts'

export type SmallerResult = {
  readonly path: string
  /** In bytes. */
  readonly size: number
  readonly originalSize: number
}

/**
 * Returns the results that are smaller, by the path of their originals. Leaves out a result that the service reports outside the job's
 * folder, or that isn't a photo, video or audio file.
 */
export async function smallerResults(
  whole: PartDetails,
  { history, fileAccess }: Pick<Core, 'history' | 'fileAccess'>,
): Promise<ReadonlyMap<string, SmallerResult>> {
  const smaller = new Map<string, SmallerResult>()
  for (const id of history.wholeJob(whole.id)) {
    const part = history.details(id)
    const output = part?.output
    if (part === undefined || output?.kind !== 'folder') continue
    await forEachLimited([...claimedPaths(part)], async ([item, [path]]) => {
      if (path === undefined) return
      const access = await fileAccess.toResult(path, output.path)
      const original = await stat(item.path).catch(() => undefined)
      if (access.kind !== 'allowed' || original === undefined || access.size >= original.size) return
      smaller.set(item.path, { path, size: access.size, originalSize: original.size })
    })
  }
  return smaller
}
