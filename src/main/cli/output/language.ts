import { AsyncLocalStorage } from 'node:async_hooks'
import { catalogOf, languages } from '../../../node/translation.ts'
import { english } from '../../../shared/i18n/english.ts'
import { spokenFor } from '../../../shared/i18n/format.ts'
import { createTerminalTranslation, type TerminalTranslation } from '../../../shared/i18n/i18n.ts'

const ENGLISH = createTerminalTranslation(english, { language: 'en', locale: 'en' })

/** The language of each running command. One process can run commands from several terminals. */
const running = new AsyncLocalStorage<TerminalTranslation>()
const created = new Map<string, TerminalTranslation>()

/** Returns the texts in the language of the command that is running. */
export const t = (): TerminalTranslation => running.getStore() ?? ENGLISH

export const speaking = <Result>(locale: string, run: () => Result): Result =>
  running.run(inLanguageOf(locale), run)

/** Binds a function to this command's language, even if it is called from elsewhere, for example by an event of the owner. */
export const inThisLanguage = <Arguments extends readonly unknown[], Result>(
  listener: (...args: Arguments) => Result,
): ((...args: Arguments) => Result) => {
  const run = AsyncLocalStorage.snapshot()
  return (...args) => run(() => listener(...args))
}

export function inLanguageOf(locale: string): TerminalTranslation {
  const spoken = spokenFor(locale, languages())
  if (spoken.language === 'en') return ENGLISH
  const known = created.get(spoken.locale)
  if (known !== undefined) return known
  const made = createTerminalTranslation(catalogOf(spoken.language), spoken)
  created.set(spoken.locale, made)
  return made
}
