/**
 * Whoever starts the service for one submission says into which folder its photos go, so that a worker for that folder starts
 * together with the service. A worker may write to one folder only, which has to be there before.
 */
import { mkdir, rmdir, stat } from 'node:fs/promises'
import type { Processing } from './processing/processing.ts'

export type ExpectedPhotos = {
  /** Takes away the folder that was made for photos that never came. */
  forget(): Promise<void>
}

/** @param folder absolute; undefined where nothing is expected */
export async function expectPhotos(
  processing: Processing,
  folder: string | undefined,
): Promise<ExpectedPhotos> {
  if (folder === undefined) return { forget: () => Promise.resolve() }
  const isMade = await mkdir(folder).then(
    () => true,
    () => false,
  )
  const isThere = isMade || (await stat(folder).catch(() => undefined))?.isDirectory() === true
  if (isThere) void processing.expectPhotos(folder)
  return {
    async forget() {
      // One that holds something stays.
      if (isMade) await rmdir(folder).catch(() => undefined)
    },
  }
}
