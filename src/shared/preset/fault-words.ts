/** What is wrong in a preset, in a sentence, and what a person can do about it. */
import type { StudioTranslation } from '../i18n/studio.ts'
import type { PresetTextFault } from '../model/built-in-service.ts'
import type { JsonFault } from './json-text.ts'
import { PRESET_CONTROLS } from './preset-controls.ts'
import type { PresetFault } from './preset-faults.ts'
import { choiceName } from './preset-summary.ts'

export function faultWords(
  { path, reason }: Pick<PresetFault, 'path' | 'reason'>,
  t: StudioTranslation,
): string {
  switch (reason.kind) {
    case 'range':
      return t.fault.range({ label: labelOf(path, t), min: reason.min, max: reason.max })
    case 'choice': {
      const names = reason.choices.map((value) => choiceName(t, path, value))
      return t.fault.choice({ label: labelOf(path, t), choices: names.join(', ') })
    }
    case 'unknown':
      return t.fault.unknown({ field: path })
    case 'name':
      return t.fault.nameWrong
    case 'neither':
    case 'tooLarge':
      return t.fault[reason.kind]
    case 'codecInContainer': {
      const { container, codec, takes } = reason
      return t.fault.codecInContainer({
        container: choiceName(t, 'video.container', container),
        codec: choiceName(t, 'video.codec', codec),
        codecs: enumeration(
          takes.map((name) => choiceName(t, 'video.codec', name)),
          t,
        ),
      })
    }
    case 'untouched':
      return t.fault[`untouched_${reason.what}`]
    case 'contradiction':
    case 'other':
      return t.fault.other({ field: labelOf(path, t), message: reason.message })
  }
}

/** What the way out is called; null where there is none. */
export function wayOutWords({ reason, wayOut }: PresetFault, t: StudioTranslation): string | null {
  if (wayOut === null) return null
  if (reason.kind === 'untouched') return t.fault[`keep_${reason.what}`]
  if (reason.kind === 'codecInContainer')
    return t.fault.useContainer({ container: choiceName(t, 'video.container', wayOut.value) })
  return t.fault.leaveOut
}

/** Whichever of the two it is. */
export const textFaultWords = (fault: PresetTextFault, t: StudioTranslation): string =>
  'json' in fault ? jsonFaultWords(fault.json, t) : faultWords(fault.field, t)

/** "Line 6: a comma is missing before “effort”." */
export const jsonFaultWords = (fault: JsonFault, t: StudioTranslation): string =>
  t.fault.line({ line: String(fault.line), words: slipWords(fault, t) })

function slipWords({ code, near }: JsonFault, t: StudioTranslation): string {
  const words = t.fault[code]
  return typeof words === 'string' ? words : words({ near })
}

/** As the form calls the field; its path where the form does not have it. */
const labelOf = (path: string, t: StudioTranslation): string => {
  const control = PRESET_CONTROLS.find((one) => one.path === path)
  return control === undefined ? path : t.label[control.label]
}

const enumeration = (names: readonly string[], t: StudioTranslation): string =>
  names.length < 2
    ? names.join('')
    : t.fault.and({ first: names.slice(0, -1).join(', '), last: names.at(-1) ?? '' })
