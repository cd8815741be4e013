/** Finds wrong placeholders and plural categories in catalogs, texts that a language lacks, and texts that no code uses. */
import {
  messagesOf,
  placeholdersOf,
  textsOf,
  type Incomplete,
  type Message,
} from '../src/shared/i18n/catalog.ts'

type Entry = { readonly name: string; readonly key: string; readonly message: Message }

const entriesOf = (catalog: Incomplete): readonly Entry[] =>
  Object.entries(catalog).flatMap(([part, areas]) =>
    Object.entries(areas).flatMap(([area, texts]) =>
      Object.entries(messagesOf(texts)).map(([key, message]) => ({
        name: `${part}.${area}.${key}`,
        key,
        message,
      })),
    ),
  )

/** Returns the names of the texts that a language lacks. The app shows them in English. */
export function missingTexts(catalog: Incomplete, english: Incomplete): readonly string[] {
  const own = new Set(entriesOf(catalog).map(({ name }) => name))
  return entriesOf(english)
    .map(({ name }) => name)
    .filter((name) => !own.has(name))
}

/** Returns a sentence for each text that English doesn't have, or whose placeholders or plural categories are wrong. */
export function catalogFaults(catalog: Incomplete, english: Incomplete, language: string): readonly string[] {
  const known = new Map(entriesOf(english).map(({ name, message }) => [name, message]))
  return entriesOf(catalog).flatMap(({ name, message }) => {
    const original = known.get(name)
    if (original === undefined) return [`${name} isn’t in the English catalog`]
    return [...placeholderFaults(message, original), ...pluralFaults(message, original, language)].map(
      (fault) => `${name} ${fault}`,
    )
  })
}

function placeholderFaults(message: Message, original: Message): readonly string[] {
  const [own, expected] = [placeholdersOf(message), placeholdersOf(original)]
  return [
    ...[...expected].filter((name) => !own.has(name)).map((name) => `lacks {{${name}}}`),
    ...[...own].filter((name) => !expected.has(name)).map((name) => `has an unknown {{${name}}}`),
    ...(textsOf(message).some((text) => /\{\{|\}\}/.test(text.replaceAll(/\{\{\w+\}\}/g, '')))
      ? ['has a damaged placeholder']
      : []),
  ]
}

function pluralFaults(message: Message, original: Message, language: string): readonly string[] {
  if (typeof message === 'string') return typeof original === 'string' ? [] : ['needs plural forms']
  if (typeof original === 'string' || original.type !== message.type) return ['has different plural forms']
  const { pluralCategories } = new Intl.PluralRules(language, { type: message.type }).resolvedOptions()
  const own = Object.keys(message.forms)
  return [
    ...pluralCategories.filter((category) => !own.includes(category)).map((category) => `lacks _${category}`),
    ...own
      .filter((category) => !pluralCategories.some((known) => known === category))
      .map((category) => `has the form _${category}, which the language doesn’t use`),
  ]
}

/**
 * Returns the names of texts whose key doesn't occur in the sources, as a word, in a string or as the result of a template such as
 * `${kind}Ready`.
 */
export function unusedTexts(english: Incomplete, sources: readonly string[]): readonly string[] {
  const words = new Set(sources.flatMap((text) => text.match(/[A-Za-z_]\w*|(?<=')[\w-]+(?=')/g) ?? []))
  const templates = [
    ...new Set(
      sources.flatMap((text) =>
        Array.from(text.matchAll(/`((?:[\w-]|\$\{[^`}]*\})+)`/g), ([, inside = '']) =>
          inside.replaceAll(/\$\{[^}]*\}/g, '\0'),
        ),
      ),
    ),
  ]
    .filter((template) => template.includes('\0') && /[\w-]/.test(template))
    .map((template) => new RegExp(`^${template.replaceAll('\0', '.+')}$`))
  return entriesOf(english)
    .filter(({ key }) => !words.has(key) && !templates.some((template) => template.test(key)))
    .map(({ name }) => name)
}
