/** How a finished file gets its last name: whole, at once, and never in the place of another. */
import path from 'node:path'
import { slugOf } from '../presets/index.ts'
import type { ProcessingTask } from './processing.ts'
import { publishUnderFreeName } from '../../node/publish-file.ts'

/** What most file systems take for one name, in bytes. */
const MAX_NAME_BYTES = 255
/** Room for the number that a clash adds, and for the extension. */
const RESERVED_BYTES = 20

/** `<name>-<preset>[-v2]`, without the extension and short enough for any file system. */
export function outputStem(
  task: Pick<ProcessingTask, 'inputPath' | 'presetName' | 'variation' | 'variations'>,
): string {
  const ending = `-${slugOf(task.presetName)}${task.variations > 1 ? `-v${task.variation}` : ''}`
  const name = path.parse(task.inputPath).name
  return cutToBytes(name, MAX_NAME_BYTES - RESERVED_BYTES - Buffer.byteLength(ending)) + ending
}

/**
 * Gives a finished temporary file its last name in the same folder. Where that is taken, `-2`, `-3` … are tried.
 *
 * @returns the absolute path it got
 */
export function placeOutput(temporaryPath: string, stem: string, extension: string): Promise<string> {
  const folder = path.dirname(temporaryPath)
  return publishUnderFreeName(temporaryPath, (attempt) =>
    path.join(folder, `${stem}${attempt === 1 ? '' : `-${attempt}`}.${extension}`),
  )
}

function cutToBytes(text: string, most: number): string {
  let kept = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > most) break
    kept += character
  }
  return kept
}
