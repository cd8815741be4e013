import { once } from '../once.ts'
import { FORM, PLACEHOLDER, type Area, type Spoken } from './catalog.ts'
import { isolateIn, markedIn } from './direction.ts'

/** The names of the placeholders in each text, by area and key. */
type Placeholders = Readonly<Record<string, Readonly<Record<string, string>>>>

export type Values = Readonly<Record<string, string | number>>

/** A string for each plain text, and a function for each text with placeholders: `t.tray.open`, `t.count.files({ count })`. */
export type Translated<Texts extends Placeholders> = {
  readonly [A in keyof Texts]: {
    readonly [Key in keyof Texts[A]]: [Texts[A][Key]] extends [never]
      ? string
      : (values: {
          readonly [Name in Texts[A][Key]]: Name extends 'count' ? number : string | number
        }) => string
  }
}

/**
 * Creates the translation of areas of a catalog. Creates each area on first use, because a window initially needs only a few of the
 * hundreds of texts.
 */
export function translate<Texts extends Placeholders>(
  areas: Readonly<Record<keyof Texts & string, Area>>,
  spoken: Spoken,
): Translated<Texts> {
  const { language, locale } = spoken
  // Creating the first number formatter takes 15 ms, and many commands don't format numbers.
  const numbers = once(() => new Intl.NumberFormat(locale))
  const cardinals = once(() => new Intl.PluralRules(language))
  const ordinals = once(() => new Intl.PluralRules(language, { type: 'ordinal' }))

  const isolated = isolateIn(spoken)
  const marked = markedIn(spoken)

  const fill = (text: string, values: Values): string =>
    marked(text).replaceAll(PLACEHOLDER, (placeholder, name: string) => {
      const value = values[name]
      if (value === undefined) return placeholder
      return typeof value === 'number' ? marked(numbers().format(value)) : isolated(value)
    })

  /** Returns the key that code uses, and the text or the function. All plural forms of a text give the same result. */
  const speak = (area: Area, key: string) => {
    const [, name, ordinal = ''] = FORM.exec(key) ?? []
    if (name !== undefined) {
      const rules = ordinal === '' ? cardinals : ordinals
      const form = (count: unknown) => area[`${name}${ordinal}_${rules().select(Number(count))}`]
      return [
        name,
        (values: Values) => fill(form(values['count']) ?? area[`${name}${ordinal}_other`] ?? '', values),
      ]
    }
    const text = area[key] ?? ''
    return [key, text.includes('{{') ? (values: Values) => fill(text, values) : marked(text)]
  }

  const translated: unknown = Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries<Area>(areas).map(([name, area]) => {
        const get = once(() => Object.fromEntries(Object.keys(area).map((key) => speak(area, key))))
        return [name, { get, enumerable: true, configurable: true }]
      }),
    ),
  )
  // The keys match, because the type is derived from the English catalog, which has the texts that others lack.
  return translated as Translated<Texts>
}
