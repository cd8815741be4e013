/** Identifies presets in the ledger: by their documents for the built-in service, and by name for other services. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../../node/open-regular.ts'
import { BUILT_IN, readPresetKey } from '../../node/preset-key.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import { ONE_OFF_FOLDER } from '../../shared/preset/one-off.ts'
import { taskNamed } from '../../shared/preset/tasks.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'

/** Returns the key of a preset; undefined if there is no such preset. The preset null stands for the basic defaults. */
export type PresetKeys = (preset: string | null) => string | undefined

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

/** Reads the preset folder. A key changes with the preset's settings, but not with its name or description. */
export async function builtInPresetKeys(folder: string): Promise<PresetKeys> {
  const documentOf = await builtInDocuments(folder)
  return (preset) => (preset === null ? JSON.stringify([BUILT_IN, null]) : documentOf(preset)?.key)
}

/** Reads all documents. @returns a function that finds a preset's document and key by name; undefined if there is no such preset */
export async function builtInDocuments(
  folder: string,
): Promise<(name: string) => { readonly key: string; readonly text: string } | undefined> {
  const saved = await textsIn(folder)
  // The service copies the default presets there when it runs for the first time.
  const listed = saved.length > 0 ? saved : defaultDocuments().map((document) => document.text)
  const documents = new Map<string, { key: string; text: string }>()
  for (const text of [...listed, ...(await textsIn(join(folder, ONE_OFF_FOLDER)))]) {
    const { name, key } = readPresetKey(text)
    // The service uses the first of several valid documents with the same name.
    if (name !== undefined && !documents.has(name) && isPreset(text)) documents.set(name, { key, text })
  }
  return (name) => {
    const task = documents.has(name) ? undefined : taskNamed(name)
    return task === undefined ? documents.get(name) : { key: readPresetKey(task.text).key, text: task.text }
  }
}

async function textsIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[^.].*\.json$/.test(name))
  return Promise.all(names.toSorted().map((name) => readRegularFile(join(folder, name)).catch(() => '')))
}

const isPreset = (text: string): boolean => readPreset(text).problems === undefined
