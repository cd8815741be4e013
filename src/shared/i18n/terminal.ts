/** Texts of the command line. Only the process that runs commands loads them. */
import type { terminal as terminalEn } from './en/terminal.ts'
import type { Language } from './format.ts'
import { createWindowTranslation, loadWindowTexts, type WindowTranslation } from './i18n.ts'
import type { studio as studioEn } from './en/studio.ts'
import { loadStudioTexts } from './studio.ts'
import { translate, type Translated } from './translate.ts'

type English = typeof terminalEn & typeof studioEn

/** The texts of the window and its preset editor, and those of the command line. */
type TerminalTranslation = WindowTranslation & Translated<English>

export async function loadTerminalTranslation(language: Language): Promise<TerminalTranslation> {
  const { terminal } = await (language === 'de' ? import('./de/terminal.ts') : import('./en/terminal.ts'))
  const studio = await loadStudioTexts(language)
  const t = createWindowTranslation(await loadWindowTexts(language), language)
  return Object.setPrototypeOf(translate<English>({ ...studio, ...terminal }, t.locale), t)
}
