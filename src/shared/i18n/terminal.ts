/** Texts of the command line. Only the process that runs commands loads them. */
import type { terminal as terminalEn } from './en/terminal.ts'
import type { Language } from './format.ts'
import { createWindowTranslation, loadWindowTexts, type WindowTranslation } from './i18n.ts'
import { translate, type Translated } from './translate.ts'

type English = typeof terminalEn

/** The window's texts, and those of the command line. */
type TerminalTranslation = WindowTranslation & Translated<English>

export async function loadTerminalTranslation(language: Language): Promise<TerminalTranslation> {
  const { terminal } = await (language === 'de' ? import('./de/terminal.ts') : import('./en/terminal.ts'))
  const t = createWindowTranslation(await loadWindowTexts(language), language)
  return Object.setPrototypeOf(translate<English>(terminal, t.locale), t)
}
