/** Identifies presets in the ledger: by their documents for the built-in service, and by name for others. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../../shared/parse-json.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import { ONE_OFF_FOLDER } from '../../shared/preset/one-off.ts'

/** Returns the key of a preset; null stands for the basic defaults. undefined if there is no such preset. */
export type PresetKeys = (preset: string | null) => string | undefined

const BUILT_IN = 'builtIn'

/**
 * @param serviceId see `serviceIdOf`
 * @param folder the built-in service's preset folder
 */
export async function presetKeysOf(serviceId: string, folder: string): Promise<PresetKeys> {
  if (serviceId === 'none') return () => undefined
  return serviceId === BUILT_IN
    ? await builtInPresetKeys(folder)
    : (preset) => externalPresetKey(serviceId, preset)
}

/** @param baseUrl identifies the service */
export const externalPresetKey = (baseUrl: string | null, preset: string | null): string =>
  JSON.stringify([baseUrl, preset])

/** Reads the preset folder. The keys change when a preset is edited, but not when it is renamed. */
export async function builtInPresetKeys(folder: string): Promise<PresetKeys> {
  const documents = await builtInDocuments(folder)
  return (preset) => (preset === null ? JSON.stringify([BUILT_IN, null]) : documents.get(preset)?.key)
}

/** Reads the document of each preset, and its key. */
export async function builtInDocuments(
  folder: string,
): Promise<ReadonlyMap<string, { readonly key: string; readonly text: string }>> {
  const saved = await textsIn(folder)
  // The service copies the default presets there when it runs for the first time.
  const listed = saved.length > 0 ? saved : defaultDocuments().map((document) => document.text)
  const documents = new Map<string, { key: string; text: string }>()
  for (const text of [...listed, ...(await textsIn(join(folder, ONE_OFF_FOLDER)))]) {
    const { name, key } = readKey(text)
    // The service uses the first of several documents with the same name.
    if (name !== undefined && !documents.has(name)) documents.set(name, { key, text })
  }
  return documents
}

async function textsIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[^.].*\.json$/.test(name))
  return Promise.all(names.toSorted().map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
}

/** Returns the key of a preset's document; empty if the text isn't a preset. */
export const presetKeyIn = (text: string): string => readKey(text).key

const Document = z.looseObject({ name: z.string() })

/** @returns no name if the text isn't a preset */
function readKey(text: string): { readonly name: string | undefined; readonly key: string } {
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
