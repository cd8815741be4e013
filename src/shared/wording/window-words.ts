/** The words of the window: one object with a string for each plain message and a function for each that has places. */
import { createFormatter, fill, type Catalogue, type Message, type Values } from './message.ts'
import { window as de } from './texts/de/window.ts'
import { window as en } from './texts/en/window.ts'
import type { Wording } from './wording.ts'

type Areas = Readonly<Record<string, Catalogue>>
type Spoken<M> = Values<M> extends [] ? string : (...values: Values<M>) => string

export type WindowWords = {
  readonly [Area in keyof typeof en]: {
    readonly [Name in keyof (typeof en)[Area]]: Spoken<(typeof en)[Area][Name]>
  }
}

const LANGUAGES = { en, de } as const satisfies Record<string, Areas>

const hasPlaces = (message: Message): boolean => typeof message !== 'string' || /\{\w+\}/.test(message)

export function windowWords(wording: Wording): WindowWords {
  const formatter = createFormatter(wording.locale)
  const speak = (message: Message) =>
    hasPlaces(message)
      ? (values: Readonly<Record<string, string | number>>) => fill(message, values, formatter)
      : message
  const areas: Areas = LANGUAGES[wording.language]
  const built: unknown = Object.fromEntries(
    Object.entries(areas).map(([area, texts]) => [
      area,
      Object.fromEntries(Object.entries(texts).map(([name, message]) => [name, speak(message)])),
    ]),
  )
  // Built by walking the catalogue, which is what the type is derived from.
  return built as WindowWords
}
