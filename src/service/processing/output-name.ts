/** What a finished file is called. */
import path from 'node:path'
import { cutToBytes, isDeviceName } from '../../node/file-name.ts'
import { fillTemplate } from '../../shared/preset/result-name.ts'
import { slugOf } from '../../shared/preset/slug.ts'

/** What most file systems take for one name, in bytes. */
const MAX_NAME_BYTES = 255
/** Space for the number that a clash adds, and for the extension. */
const RESERVED_BYTES = 20

export type NamedResult = {
  /** What the input is called, for the names of its results and the seed of its variations; no path. */
  readonly inputName: string
  readonly presetName: string
  /** Place of the input in its job, 1-based, and how many there are. */
  readonly number: number
  readonly inputs: number
  /** 1-based. The first variation of several is varied too; with `variations` 1 nothing is. */
  readonly variation: number
  readonly variations: number
}

/** What is known of a result only when it is made. */
export type MadeResult = {
  readonly width: number
  readonly height: number
  /** That it bears; ms since 1970. */
  readonly date: number
  /** Without the dot. */
  readonly extension: string
}

/**
 * As the template says, with `-v2` for the second of several variations, short enough for any file system, and never a name
 * that some system keeps for a device.
 *
 * @returns the name for each attempt: from the second on with `-2`, `-3` … before the extension
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
      number: String(result.number).padStart(String(result.inputs).length, '0'),
    })
  const { name } = path.parse(result.inputName)
  const times = template.split('{name}').length - 1
  const roomForName = Math.max(0, Math.floor((room - Buffer.byteLength(filled(''))) / Math.max(1, times)))
  const stem = cutToBytes(filled(cutToBytes(name, roomForName)), room) + variation
  const safe = isDeviceName(stem) ? `_${stem}` : stem
  return (attempt) => `${safe}${attempt === 1 ? '' : `-${attempt}`}.${made.extension}`
}

/** As the clock of this computer shows it, such as `2026-03-29`. */
function dayOf(time: number): string {
  const date = new Date(time)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(date.getFullYear()).padStart(4, '0')}-${month}-${day}`
}
