/** A result that is not smaller than its original, and says nothing else, is not worth having. */
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { FileJob } from './protocol.ts'

type Result = Pick<FileJob<unknown>, 'inputPath' | 'variation' | 'neverLarger'>

/** Whether the result at `temporaryPath` is one that the recipe does not want, if anything else will do. */
export async function isTooLarge(
  { inputPath, variation, neverLarger }: Result,
  temporaryPath: string,
): Promise<boolean> {
  if (!neverLarger || variation !== undefined) return false
  const [original, result] = await Promise.all([stat(inputPath), stat(temporaryPath)])
  return result.size >= original.size
}

/** Puts the bytes of the original in the place of the result, and nothing but them: its rights may be narrower. */
export const takeOriginal = (
  { inputPath }: Pick<Result, 'inputPath'>,
  temporaryPath: string,
): Promise<void> => pipeline(createReadStream(inputPath), createWriteStream(temporaryPath))
