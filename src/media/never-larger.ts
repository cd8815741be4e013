/** Replaces a result that isn't smaller than its original with a copy of the original. */
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { FileJob } from './protocol.ts'

type Result = Pick<FileJob<unknown>, 'inputPath' | 'variation' | 'neverLarger'>

/** Returns whether the result at `temporaryPath` must be smaller than the original but isn't. Variations may be larger. */
export async function isTooLarge(
  { inputPath, variation, neverLarger }: Result,
  temporaryPath: string,
): Promise<boolean> {
  if (!neverLarger || variation !== undefined) return false
  const [original, result] = await Promise.all([stat(inputPath), stat(temporaryPath)])
  return result.size >= original.size
}

/**
 * Copies the original's bytes to a new temporary file. Like every result, it gets its permissions from the parent.
 * @returns the path of the copy. This is always a new path, because other users may have seen the path of the larger result
 */
export async function takeOriginal(
  { inputPath, temporaryPath }: Pick<FileJob<unknown>, 'inputPath' | 'temporaryPath'>,
  extension: string,
): Promise<string> {
  const copy = temporaryPath(extension)
  await pipeline(createReadStream(inputPath), createWriteStream(copy, { flags: 'wx' }))
  return copy
}
