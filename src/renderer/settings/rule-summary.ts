import { shortPath } from '../../shared/i18n/names.ts'
import type { RuleTranslation } from '../../shared/i18n/i18n.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import type { FolderRules, RuleAction } from '../../shared/model/folder-rules.ts'
import type { RuleCondition } from '../../shared/model/rule-conditions.ts'
import { phraseOf, type Words } from './conditions.ts'

/** "Videos larger than 1 GB, in the subfolder “Scans”" */
export function summaryOf(when: readonly RuleCondition[], words: Words): string {
  const { condition: texts } = words.rules
  const phrases = Map.groupBy(
    when.map((one) => phraseOf(one, words)),
    ({ joins }) => joins,
  )
  const textsOf = (joins: ReturnType<typeof phraseOf>['joins']) =>
    (phrases.get(joins) ?? []).map(({ text }) => text)
  const [kinds, which] = [words.t.listed(textsOf('asKind')), words.t.listed(textsOf('withKind'))]
  const files = which === '' ? kinds : texts.which({ files: kinds || texts.files, which })
  const text = words.t.listed([files, ...textsOf('afterComma')].filter((phrase) => phrase !== ''))
  return text === '' ? texts.everyFile : text.charAt(0).toLocaleUpperCase(words.t.locale) + text.slice(1)
}

/** Returns the name of the files that match no rule. */
export const restName = ({ rules }: FolderRules, { page }: RuleTranslation): string =>
  rules.length === 0 ? page.allFiles : page.everythingElse

/** "Web 2048 and Mail, next to each original" */
export function actionSummary(action: RuleAction, words: Words, home: string): string {
  const { t } = words
  const { action: texts } = words.rules
  if (action.do === 'ignore') return texts.ignored
  const { output } = action
  const names = action.presets.map((name) => presetName(name, t))
  const presets = inWords(names.length === 0 ? [t.phrases.basicDefaults] : names, words)
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

function inWords(names: readonly string[], { t, rules }: Words): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : rules.action.and({ first: t.listed(names.slice(0, -1)), last })
}
