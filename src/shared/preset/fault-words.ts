import type { StudioTranslation } from '../i18n/i18n.ts'
import type { JsonFault } from './json-text.ts'
import { PRESET_CONTROLS } from './preset-controls.ts'
import type { PresetFault, PresetTextFault } from './preset-faults.ts'
import type { BrokenRule } from './preset.ts'
import { choiceName } from './preset-summary.ts'

export function faultWords(
  { path, reason }: Pick<PresetFault, 'path' | 'reason'>,
  t: StudioTranslation,
): string {
  switch (reason.kind) {
    case 'range':
      return t.fault.range({
        label: labelOf(path, t),
        min: limitWords(path, reason.min, t),
        max: limitWords(path, reason.max, t),
      })
    case 'choice': {
      const names = reason.choices.map((value) => choiceName(t, path, value))
      return t.fault.choice({ label: labelOf(path, t), choices: t.listed(names) })
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
    case 'broken':
      return brokenRuleWords(path, reason.broken, t)
    case 'invalid':
      return t.fault.invalid({ label: labelOf(path, t) })
    case 'nameTaken':
      return t.fault.nameTaken({ name: reason.name })
    case 'unreadable':
      return t.fault.unreadable({ detail: reason.detail })
  }
}

export const limitWords = (path: string, limit: number, t: StudioTranslation): string | number =>
  path.endsWith('.maxBytes') ? t.sizeLimit(limit) : limit

function brokenRuleWords(path: string, broken: BrokenRule, t: StudioTranslation): string {
  const label = labelOf(path, t)
  switch (broken.rule) {
    case 'excluded':
      return t.fault.excluded({ label, other: labelOf(broken.other, t) })
    case 'tenBitVideo':
      return t.fault.tenBitVideo({ codec: choiceName(t, 'video.codec', broken.codec) })
    case 'needsMaxBytes':
    case 'notWhenCopied':
    case 'notInAnimation':
    case 'notWithoutPicture':
      return t.fault[broken.rule]({ label })
    default:
      return t.fault[broken.rule]
  }
}

/** Returns the label for the suggested fix; null if there is no fix. */
export function wayOutWords({ reason, wayOut }: PresetFault, t: StudioTranslation): string | null {
  if (wayOut === null) return null
  if (reason.kind === 'untouched') return t.fault[`keep_${reason.what}`]
  if (reason.kind === 'codecInContainer')
    return t.fault.useContainer({ container: choiceName(t, 'video.container', wayOut.value) })
  return t.fault.leaveOut
}

export const textFaultWords = (fault: PresetTextFault, t: StudioTranslation): string =>
  'json' in fault ? jsonFaultWords(fault.json, t) : faultWords(fault.field, t)

/** "Line 6: a comma is missing before “effort”." */
export const jsonFaultWords = (fault: JsonFault, t: StudioTranslation): string =>
  t.fault.line({ line: String(fault.line), words: slipWords(fault, t) })

function slipWords({ code, near }: JsonFault, t: StudioTranslation): string {
  const words = t.fault[code]
  return typeof words === 'string' ? words : words({ near })
}

/** Returns the field's label in the form, or its path if the field isn't in the form. */
const labelOf = (path: string, t: StudioTranslation): string => {
  const control = PRESET_CONTROLS.find((one) => one.path === path)
  return control === undefined ? path : t.label[control.label]
}

const enumeration = (names: readonly string[], t: StudioTranslation): string =>
  names.length < 2
    ? names.join('')
    : t.fault.and({ first: t.listed(names.slice(0, -1)), last: names.at(-1) ?? '' })
