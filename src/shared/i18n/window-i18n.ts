/** The words of the window: one object with a string for each plain message and a function for each that has places. */
import { createFormatter, fill, type Catalogue, type Message, type Values } from './translate.ts'
import type { window as en } from './en/window.ts'
import type { CommonTexts, CommonWording, Language } from './format.ts'

type Areas = Readonly<Record<string, Catalogue>>
type Spoken<M> = Values<M> extends [] ? string : (...values: Values<M>) => string

export type WindowWords = {
  readonly [Area in keyof typeof en]: {
    readonly [Name in keyof (typeof en)[Area]]: Spoken<(typeof en)[Area][Name]>
  }
}

/** The texts of the window in one language. */
export type WindowTexts = {
  readonly [Area in keyof typeof en]: Readonly<Record<keyof (typeof en)[Area], Message>>
}

/** All that the window says in a language. */
export type LanguageTexts = { readonly common: CommonTexts; readonly window: WindowTexts }

/** Each language is a script of its own: the window loads the one that it speaks. */
export const loadTexts = (language: Language): Promise<LanguageTexts> =>
  language === 'de' ? import('./de/in-window.ts') : import('./en/in-window.ts')

/** Only what stands in the window itself. */
export const loadWindowTexts = async (language: Language): Promise<WindowTexts> =>
  (await loadTexts(language)).window

const hasPlaces = (message: Message): boolean => typeof message !== 'string' || /\{\w+\}/.test(message)

export function windowWords(wording: CommonWording, texts: WindowTexts): WindowWords {
  const formatter = createFormatter(wording.locale)
  const speak = (message: Message) =>
    hasPlaces(message)
      ? (values: Readonly<Record<string, string | number>>) => fill(message, values, formatter)
      : message
  const areas: Areas = texts
  const built: unknown = Object.fromEntries(
    Object.entries(areas).map(([area, texts]) => [
      area,
      Object.fromEntries(Object.entries(texts).map(([name, message]) => [name, speak(message)])),
    ]),
  )
  // Built by walking the catalogue, which is what the type is derived from.
  return built as WindowWords
}
