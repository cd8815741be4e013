/** Texts of watched folders' rules. The window loads them in its language when it shows the watched folders. */
import type { rules as rulesEn } from './en/rules.ts'
import type { Language } from './format.ts'
import { translate, type SameTexts, type Translated } from './translate.ts'

type English = typeof rulesEn

/** All texts in one language. */
export type RuleTexts = SameTexts<English>

export type RuleTranslation = Translated<English>

export async function loadRuleTexts(language: Language): Promise<RuleTexts> {
  const { rules } = await (language === 'de' ? import('./de/rules.ts') : import('./en/rules.ts'))
  return rules
}

export const createRuleTranslation = (texts: RuleTexts, locale: string): RuleTranslation =>
  translate<English>(texts, locale)
