/** How a finished file gets its last name: whole, at once, and never in the place of another. */
import { link, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { slugOf } from '../presets/index.ts'
import type { ProcessingTask } from './processing.ts'

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
export async function placeOutput(temporaryPath: string, stem: string, extension: string): Promise<string> {
  const folder = path.dirname(temporaryPath)
  for (let attempt = 1; ; attempt++) {
    const number = attempt === 1 ? '' : `-${attempt}`
    const target = path.join(folder, `${stem}${number}.${extension}`)
    if (await placeAt(temporaryPath, target)) return target
  }
}

async function placeAt(temporaryPath: string, target: string): Promise<boolean> {
  try {
    // A second link to the same file fails where the name exists; a rename would replace what is there.
    await link(temporaryPath, target)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    return reserveAndRename(temporaryPath, target)
  }
  await rm(temporaryPath, { force: true })
  return true
}

/** For file systems without links (FAT, some network shares): an empty file of our own holds the name. */
async function reserveAndRename(temporaryPath: string, target: string): Promise<boolean> {
  try {
    await (await open(target, 'wx')).close()
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  try {
    await rename(temporaryPath, target)
  } catch (error) {
    await rm(target, { force: true })
    throw error
  }
  return true
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
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
