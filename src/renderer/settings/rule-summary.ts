/** Describes rules in a few words. */
import type { RuleTranslation } from '../../shared/i18n/rules.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { type RuleAction, type RuleCondition, SIZE_UNITS } from '../../shared/model/folder-rules.ts'

type Words = { readonly t: WindowTranslation; readonly rules: RuleTranslation }

/** "Videos larger than 1 GB, in the subfolder “Scans”" */
export function summaryOf(when: readonly RuleCondition[], words: Words): string {
  const { condition: texts } = words.rules
  const kinds = when.flatMap((one) =>
    one.about === 'kind' ? [texts[one.is === 'image' ? 'photos' : 'videos']] : [],
  )
  const measured = when.flatMap((one) => measuredPhrase(one, words) ?? [])
  const others = when.flatMap((one) => otherPhrase(one, texts) ?? [])
  const subject = kinds.length > 0 || measured.length > 0 ? [kinds.join(', ') || texts.files] : []
  const phrases = [[...subject, ...measured.slice(0, 1)].join(' '), ...measured.slice(1), ...others]
  const text = phrases.filter((phrase) => phrase !== '').join(', ')
  return text === '' ? texts.everyFile : text.charAt(0).toLocaleUpperCase(words.t.locale) + text.slice(1)
}

/** Describes a measurable property of files: "larger than 1 GB". */
function measuredPhrase(
  condition: RuleCondition,
  { t, rules: { condition: texts } }: Words,
): string | undefined {
  switch (condition.about) {
    case 'size': {
      const size = t.size(condition.amount * SIZE_UNITS[condition.unit]).replace(/[.,]0(?=\s)/, '')
      return condition.compare === 'more' ? texts.sizeMore({ size }) : texts.sizeLess({ size })
    }
    case 'dimensions': {
      const { side, compare } = condition
      const pixels = String(condition.pixels)
      if (side === 'width')
        return compare === 'more' ? texts.widthMore({ pixels }) : texts.widthLess({ pixels })
      return compare === 'more' ? texts.heightMore({ pixels }) : texts.heightLess({ pixels })
    }
    case 'duration': {
      const time = texts[condition.unit]({ amount: condition.amount })
      return condition.compare === 'more' ? texts.durationMore({ time }) : texts.durationLess({ time })
    }
    case 'age': {
      const time = texts[condition.unit]({ count: condition.amount })
      return condition.compare === 'more' ? texts.ageMore({ time }) : texts.ageLess({ time })
    }
    default:
      return undefined
  }
}

function otherPhrase(condition: RuleCondition, texts: RuleTranslation['condition']): string | undefined {
  switch (condition.about) {
    case 'name': {
      const { pattern } = condition
      return condition.matches ? texts.nameMatches({ pattern }) : texts.nameDiffers({ pattern })
    }
    case 'subfolder':
      return texts.subfolder({ path: condition.path })
    case 'depth': {
      const count = condition.levels
      return condition.compare === 'more' ? texts.depthMore({ count }) : texts.depthLess({ count })
    }
    default:
      return undefined
  }
}

/** "Web 2048 and Mail, next to each original" */
export function actionSummary(
  action: RuleAction,
  { t, rules: { action: texts } }: Words,
  home: string,
): string {
  if (action.do === 'ignore') return texts.ignored
  const { output } = action
  const presets = inWords(action.presets.length === 0 ? [t.phrases.basicDefaults] : action.presets, texts)
  switch (output.kind) {
    case 'folder':
      return texts.toFolder({ presets, folder: shortPath(output.path, home) })
    case 'drive':
      return texts.toDrive({ presets })
    case 'replace':
      return texts.replaces({ presets })
    case 'beside':
      return output.subfolder === null
        ? texts.nextTo({ presets })
        : texts.nextToIn({ presets, name: output.subfolder })
  }
}

function inWords(names: readonly string[], texts: RuleTranslation['action']): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : texts.and({ first: names.slice(0, -1).join(', '), last })
}
