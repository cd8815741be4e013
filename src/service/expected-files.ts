/**
 * Starts a worker for a submission that is about to arrive. A client that launches the service to submit a job names the output
 * folder, so that the worker can start together with the service. A worker may write to only one folder, which has to exist before
 * the worker starts.
 */
import { mkdir, rmdir, stat } from 'node:fs/promises'
import type { Processing } from './processing/processing.ts'

/** The kind of the first submission and the absolute folder for its results. */
export type Expectation = { readonly media: 'image' | 'video'; readonly into: string }

/**
 * Prepares for an expected submission.
 * @param expectation undefined if nothing is expected
 * @returns a function that removes the folder if it was created for files that never arrived and nothing else uses it
 */
export async function expectFiles(
  processing: Processing,
  expectation: Expectation | undefined,
  isUsedElsewhere: (folder: string) => Promise<boolean>,
): Promise<() => Promise<void>> {
  if (expectation === undefined) return () => Promise.resolve()
  const { media, into } = expectation
  const wasCreated = await mkdir(into).then(
    () => true,
    () => false,
  )
  const isThere = wasCreated || (await stat(into).catch(() => undefined))?.isDirectory() === true
  // Starts the worker now; loading the rest of the service first would delay it. The job itself reports a folder that is gone.
  if (isThere) await processing.expectFiles(media, into).catch(() => undefined)
  return async () => {
    if (!wasCreated || (await isUsedElsewhere(into))) return
    // Deliberately fails if the folder isn't empty.
    await rmdir(into).catch(() => undefined)
  }
}
