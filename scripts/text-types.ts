/** Types of a catalog's texts: the names of each text's placeholders, or `never`. */
import { messagesOf, placeholdersOf, type Catalog } from '../src/shared/i18n/catalog.ts'

const HEAD = `/** The placeholders of each text. Written by \`npm run texts\` from locales/en.json. */
export type Texts = {`

const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`)

export function typesOf(catalog: Catalog): string {
  const lines = Object.entries(catalog).flatMap(([part, areas]) => [
    `  readonly ${quoted(part)}: {`,
    ...Object.entries(areas).flatMap(([area, texts]) => [
      `    readonly ${quoted(area)}: {`,
      ...Object.entries(messagesOf(texts)).map(([key, message]) => {
        const names = [...placeholdersOf(message)].map((name) => `'${name}'`)
        return `      readonly ${quoted(key)}: ${names.join(' | ') || 'never'}`
      }),
      '    }',
    ]),
    '  }',
  ])
  return `${[HEAD, ...lines, '}'].join('\n')}\n`
}
