import { once } from '../once.ts'

/**
 * A message of the catalogue: plain text with `{placeholders}`, or one form for each plural category of the language,
 * chosen by the number in `count`.
 */
export type Message = string | PluralMessage
export type PluralMessage = { readonly one: string; readonly other: string }

/** Messages by area, such as `tray.open`. English is the measure for the other languages. */
export type Catalogue = Readonly<Record<string, Readonly<Record<string, Message>>>>

/** A catalogue in another language: a message that is missing there does not compile. */
export type SameTexts<Texts extends Catalogue> = {
  readonly [Area in keyof Texts]: Readonly<Record<keyof Texts[Area], Message>>
}

/** The names between braces. */
type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

type PlaceholdersOf<M> = M extends PluralMessage
  ? Placeholders<M['one'] | M['other']> | 'count'
  : Placeholders<M>

type Values<M> = {
  readonly [Name in PlaceholdersOf<M>]: Name extends 'count' ? number : string | number
}

/** A string for each plain message, and a function for each that has placeholders: `t.tray.open`, `t.count.files({ count })`. */
export type Translated<Texts extends Catalogue> = {
  readonly [Area in keyof Texts]: {
    readonly [Name in keyof Texts[Area]]: [PlaceholdersOf<Texts[Area][Name]>] extends [never]
      ? string
      : (values: Values<Texts[Area][Name]>) => string
  }
}

/**
 * An area is made when it is first spoken of: there are hundreds of messages, and a window shows few of them at first.
 *
 * @param locale one that Intl knows; it writes the numbers and chooses the plural
 */
export function translate<Texts extends Catalogue>(
  texts: SameTexts<Texts>,
  locale: string,
): Translated<Texts> {
  // The first formatter of numbers costs a process 15 ms, and many a start writes no number.
  const numbers = once(() => new Intl.NumberFormat(locale))
  const plurals = once(() => new Intl.PluralRules(locale))

  function fill(message: Message, values: Readonly<Record<string, string | number>>): string {
    const text =
      typeof message === 'string'
        ? message
        : message[plurals().select(Number(values['count'] ?? 0)) === 'one' ? 'one' : 'other']
    return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
      const value = values[name]
      if (value === undefined) return placeholder
      return typeof value === 'number' ? numbers().format(value) : value
    })
  }

  const speak = (message: Message) =>
    typeof message === 'string' && !/\{\w+\}/.test(message)
      ? message
      : (values: Readonly<Record<string, string | number>>) => fill(message, values)

  const areas: Catalogue = texts
  const translated: unknown = Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(areas).map(([area, messages]) => {
        const get = once(() =>
          Object.fromEntries(Object.entries(messages).map(([name, message]) => [name, speak(message)])),
        )
        return [area, { get, enumerable: true, configurable: true }]
      }),
    ),
  )
  // Made by walking the catalogue, which is what the type is derived from.
  return translated as Translated<Texts>
}
