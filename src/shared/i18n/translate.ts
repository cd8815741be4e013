import { once } from '../once.ts'

/** A catalog message: text with `{placeholders}`, or one form per plural category, selected by `count`. */
export type Message = string | PluralMessage
export type PluralMessage = { readonly one: string; readonly other: string }

/** Messages by area, such as `tray.open`. The English catalog defines the keys for all languages. */
export type Catalogue = Readonly<Record<string, Readonly<Record<string, Message>>>>

/** A catalog in another language. A missing message is a compile error. */
export type SameTexts<Texts extends Catalogue> = {
  readonly [Area in keyof Texts]: Readonly<Record<keyof Texts[Area], Message>>
}

/** The names of the placeholders in a message. */
type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

export type PlaceholdersOf<M> = M extends PluralMessage
  ? Placeholders<M['one'] | M['other']> | 'count'
  : Placeholders<M>

type Values<M> = {
  readonly [Name in PlaceholdersOf<M>]: Name extends 'count' ? number : string | number
}

/** A string for each plain message, and a function for each message with placeholders: `t.tray.open`, `t.count.files({ count })`. */
export type Translated<Texts extends Catalogue> = {
  readonly [Area in keyof Texts]: {
    readonly [Name in keyof Texts[Area]]: [PlaceholdersOf<Texts[Area][Name]>] extends [never]
      ? string
      : (values: Values<Texts[Area][Name]>) => string
  }
}

/**
 * Creates the translation of a catalog. Creates each area on first use, because a window initially needs only a few of the hundreds of
 * messages.
 * @param locale a locale that Intl knows; formats numbers and selects plural forms
 */
export function translate<Texts extends Catalogue>(
  texts: SameTexts<Texts>,
  locale: string,
): Translated<Texts> {
  // Creating the first number formatter takes 15 ms, and many commands don't format numbers.
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
  // The keys match, because the type is derived from the same catalog.
  return translated as Translated<Texts>
}
