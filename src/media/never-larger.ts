/** Replaces a result that isn't smaller than its original with a copy of the original. */
import { mediaContentOf } from '../node/media-content.ts'
import { withTrueEnding } from '../node/file-name.ts'
import { extensionOf, resultKindOf } from '../shared/media-types.ts'
import { extensionOfInput } from './opened-input.ts'
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
  if (neverLarger === false || variation !== undefined) return false
  const [original, result] = await Promise.all([stat(inputPath), stat(temporaryPath)])
  return result.size >= original.size
}

/**
 * Copies the original's bytes to a new temporary file. The parent sets its permissions, as for every result.
 * @returns the path of the copy. This is always a new path, because other users may have seen the path of the earlier result
 */
export async function takeOriginal(
  { inputPath, temporaryPath }: Pick<FileJob<unknown>, 'inputPath' | 'temporaryPath'>,
  extension: string,
): Promise<string> {
  const copy = temporaryPath(extension)
  await pipeline(createReadStream(inputPath), createWriteStream(copy, { flags: 'wx' }))
  return copy
}

/**
 * Returns the extension for a copy of the original. Replaces the extension if it doesn't fit the content, unless results can't have the
 * fitting one.
 */
export async function extensionOfCopy(inputPath: string): Promise<string> {
  const own = extensionOfInput(inputPath).slice(1)
  const fitting = extensionOf(withTrueEnding(`copy.${own}`, await mediaContentOf(inputPath)))
  return resultKindOf(`copy.${fitting}`) === undefined ? own : fitting
}
