/** What a finished file is called. */
import path from 'node:path'
import { cutToBytes } from '../../node/file-name.ts'
import { slugOf } from '../../shared/preset/slug.ts'

/** What most file systems take for one name, in bytes. */
const MAX_NAME_BYTES = 255
/** Space for the number that a clash adds, and for the extension. */
const RESERVED_BYTES = 20

export type NamedResult = {
  readonly inputName: string
  readonly presetName: string
  /** 1-based. */
  readonly variation: number
  readonly variations: number
}

/**
 * `<name>-<preset>[-v2].<extension>`, short enough for any file system; from the second attempt on with `-2`, `-3` … before
 * the extension.
 *
 * @param extension without the dot
 * @param attempt from 1 on
 */
export function outputName(result: NamedResult, extension: string, attempt: number): string {
  const ending = `-${slugOf(result.presetName)}${result.variations > 1 ? `-v${result.variation}` : ''}`
  const { name } = path.parse(result.inputName)
  const stem = cutToBytes(name, MAX_NAME_BYTES - RESERVED_BYTES - Buffer.byteLength(ending)) + ending
  return `${stem}${attempt === 1 ? '' : `-${attempt}`}.${extension}`
}
