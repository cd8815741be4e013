/** The format of a catalog: the JSON of i18next, version 4. https://www.i18next.com/misc/json-format */
import type { Texts } from './texts.ts'

/** The BCP 47 tag of a catalog, such as `pt-BR`. */
export type Language = string

/** A language, and the locale for numbers and dates. The locale may name a region without a separate catalog, such as de-AT. */
export type Spoken = {
  readonly language: Language
  readonly locale: string
  /** Whether to omit invisible direction marks. Users copy commands, IDs and paths from a terminal, and the marks would be copied too. */
  readonly isPlain?: boolean
}

/** Texts by part, area and key. Processes and views load whole parts. */
export type Catalog = { readonly [Part in keyof Texts]: Readonly<Record<keyof Texts[Part], Area>> }
/** A key may end in a plural category: `files_one`, `place_ordinal_other`. */
export type Area = Readonly<Record<string, string>>

/** A text with `{{placeholders}}`, or a form for each plural category that the language has. The `count` selects the form. */
export type Message = string | PluralMessage
export type PluralMessage = {
  readonly type: Intl.PluralRuleType
  /** By plural category. */
  readonly forms: Readonly<Record<string, string>>
}

export const FORM = /^(.+?)(_ordinal)?_(zero|one|two|few|many|other)$/

/** Returns an area's messages by the keys that code uses. */
export function messagesOf(area: Area): Readonly<Record<string, Message>> {
  const messages: Record<string, Message> = {}
  for (const [key, text] of Object.entries(area)) {
    const [, name, ordinal, category] = FORM.exec(key) ?? []
    if (name === undefined || category === undefined) {
      messages[key] = text
      continue
    }
    const known = messages[name]
    const forms = typeof known === 'object' ? known.forms : {}
    messages[name] = {
      type: ordinal === undefined ? 'cardinal' : 'ordinal',
      forms: { ...forms, [category]: text },
    }
  }
  return messages
}

export const textsOf = (message: Message): readonly string[] =>
  typeof message === 'string' ? [message] : Object.values(message.forms)

/** Returns the names of a message's placeholders. The count selects a plural form, so it needs a value even if no form names it. */
export function placeholdersOf(message: Message): ReadonlySet<string> {
  const named = textsOf(message).flatMap((text) =>
    Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name),
  )
  return new Set(typeof message === 'string' ? named : [...named, 'count'])
}

export const PLACEHOLDER = /\{\{(\w+)\}\}/g

/** Returns the catalog, with English texts for those that it lacks. */
export const withFallback = (catalog: Incomplete, english: Catalog): Catalog =>
  // The result has the areas of the English catalog.
  filled(english, catalog, (part, own) =>
    filled(part, own, (area, texts) => ({ ...area, ...texts })),
  ) as Catalog

/** A catalog from a file, which may lack texts. */
export type Incomplete = Readonly<Record<string, Readonly<Record<string, Area>>>>

const filled = <Value>(
  english: Readonly<Record<string, Value>>,
  own: Readonly<Record<string, Value>> = {},
  fill: (english: Value, own: Value | undefined) => Value,
) => Object.fromEntries(Object.entries(english).map(([name, value]) => [name, fill(value, own[name])]))
