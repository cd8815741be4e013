import path from 'node:path'
import { cutToBytes } from '../../node/file-name.ts'
import { UNDATED } from '../../shared/capture-date.ts'
import { resultExtension } from '../../shared/media-types.ts'
import { isDeviceName, plainName } from '../../shared/paths.ts'
import { fillTemplate } from '../../shared/preset/result-name.ts'
import { slugOf } from '../../shared/preset/slug.ts'

/** Maximum length of a file name on most file systems, in bytes. */
const MAX_NAME_BYTES = 255
/** Bytes reserved for the extension and for a number after a collision. */
const RESERVED_BYTES = 20

export type NamedResult = {
  /** The input's name, used for result names and as the seed of variations; not a path. */
  readonly inputName: string
  readonly presetName: string
  /** The user's own file, if the input is an alias of it. It may have another extension. */
  readonly originalPath?: string | undefined
  /** 1-based position of the input in its job. */
  readonly number: number
  readonly inputs: number
  /** 1-based. If there are several variations, the first one also differs from the original. */
  readonly variation: number
  readonly variations: number
}

/** Properties of a result that are known only after processing. */
export type MadeResult = {
  readonly width: number
  readonly height: number
  /** The file's date; ms since 1970. */
  readonly date: number
  /** When the original was taken, as `captureDate` returns it. */
  readonly taken?: string | undefined
  /** Without the dot. */
  readonly extension: string
}

/**
 * Fills in the template. If there are several variations, adds the number of this one, such as `-v2`. The name is short enough for every
 * file system, contains no misleading characters, and is never a reserved device name.
 * @returns a function that returns the name for an attempt. The second attempt adds `-2` before the extension, the third `-3`, and so on
 */
export function outputName(
  template: string,
  result: NamedResult,
  made: MadeResult,
): (attempt: number) => string {
  const variation = result.variations > 1 ? `-v${result.variation}` : ''
  const room = MAX_NAME_BYTES - RESERVED_BYTES - Buffer.byteLength(variation)
  const filled = (name: string) =>
    fillTemplate(template, {
      name,
      preset: slugOf(result.presetName),
      width: String(made.width),
      height: String(made.height),
      date: dayOf(made.date),
      taken: made.taken ?? UNDATED,
      number: String(result.number).padStart(String(result.inputs).length, '0'),
    })
  const name = plainName(path.parse(result.inputName).name)
  const times = template.split('{name}').length - 1
  const roomForName = Math.max(0, Math.floor((room - Buffer.byteLength(filled(''))) / Math.max(1, times)))
  const stem = cutToBytes(filled(cutToBytes(name, roomForName)), room) + variation
  const extension = resultExtension(made.extension, result.originalPath ?? result.inputName)
  const safe = stem === '' || isDeviceName(stem) ? `_${stem}` : stem
  return (attempt) => `${safe}${attempt === 1 ? '' : `-${attempt}`}.${extension}`
}

/** Returns the local date, such as `2026-03-29`. */
function dayOf(time: number): string {
  const date = new Date(time)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(date.getFullYear()).padStart(4, '0')}-${month}-${day}`
}
