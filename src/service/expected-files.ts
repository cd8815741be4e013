/**
 * Whoever starts the service for one submission says into which folder its results go, so that a worker for that folder starts
 * together with the service. A worker may write to one folder only, which has to be there before.
 */
import { mkdir, rmdir, stat } from 'node:fs/promises'
import type { Processing } from './processing/processing.ts'

export type ExpectedFiles = {
  /** Takes away the folder that was made for files that never came. */
  forget(): Promise<void>
}

/** What is about to be submitted first, and the absolute folder for its results. */
export type Expectation = { readonly media: 'image' | 'video'; readonly into: string }

/** @param expectation undefined where nothing is expected */
export async function expectFiles(
  processing: Processing,
  expectation: Expectation | undefined,
): Promise<ExpectedFiles> {
  if (expectation === undefined) return { forget: () => Promise.resolve() }
  const { media, into } = expectation
  const isMade = await mkdir(into).then(
    () => true,
    () => false,
  )
  const isThere = isMade || (await stat(into).catch(() => undefined))?.isDirectory() === true
  // Loading the rest of the service first would hold it up.
  if (isThere) await processing.expectFiles(media, into)
  return {
    async forget() {
      // One that holds something stays.
      if (isMade) await rmdir(into).catch(() => undefined)
    },
  }
}
