/**
 * A message of the catalogue: plain text with `{places}`, or one form for each plural category of the language, chosen by
 * the number in `count`.
 */
export type Message = string | PluralMessage
export type PluralMessage = { readonly one: string; readonly other: string }
export type Catalogue = Readonly<Record<string, Message>>

/** The names between braces. */
type Places<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never

type PlacesOf<M> = M extends PluralMessage ? Places<M['one'] | M['other']> | 'count' : Places<M>

/** What has to be given for a message: nothing, or a value for each of its places. */
export type Values<M> = [PlacesOf<M>] extends [never]
  ? []
  : [values: { readonly [Name in PlacesOf<M>]: Name extends 'count' ? number : string | number }]

export type Formatter = {
  readonly locale: string
  number(value: number): string
  plural(count: number): 'one' | 'other'
}

export function createFormatter(locale: string): Formatter {
  const numbers = new Intl.NumberFormat(locale)
  const plurals = new Intl.PluralRules(locale)
  return {
    locale,
    number: (value) => numbers.format(value),
    plural: (count) => (plurals.select(count) === 'one' ? 'one' : 'other'),
  }
}

/** Fills the places; a number is written as the language writes it. */
export function fill(
  message: Message,
  values: Readonly<Record<string, string | number>>,
  formatter: Formatter,
): string {
  const text = typeof message === 'string' ? message : message[formatter.plural(Number(values['count'] ?? 0))]
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name]
    if (value === undefined) return place
    return typeof value === 'number' ? formatter.number(value) : value
  })
}
