/** Identifies a preset by its document, for the built-in service and the app. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../shared/parse-json.ts'

export const BUILT_IN = 'builtIn'

/**
 * Returns the path of the copy of a preset's document. Submissions keep a copy, because the preset may be edited or deleted before the job
 * ends.
 * @param folder the built-in service's preset folder
 */
export const keptPresetFile = (folder: string, key: string): string =>
  join(folder, '.used', `${createHash('sha256').update(key).digest('hex')}.json`)

/** Returns the key of a preset's document; empty if the text isn't a preset. */
export const presetKeyIn = (text: string): string => readPresetKey(text).key

const Document = z.looseObject({ name: z.string() })

/** Returns a preset's name and key; no name and an empty key if the text isn't a preset. */
export function readPresetKey(text: string): { readonly name: string | undefined; readonly key: string } {
  try {
    const document = Document.parse(parseJson(text))
    const { name, description: _d, $schema: _s, ...effective } = document
    const hash = createHash('sha256').update(canonical(effective)).digest('hex')
    return { name, key: JSON.stringify([BUILT_IN, hash]) }
  } catch {
    return { name: undefined, key: '' }
  }
}

/** Serializes JSON values so that equal documents have equal texts, regardless of spaces and the order of fields. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}
