/** Reads the built-in service's preset folder, which has one JSON document per preset. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../../node/open-regular.ts'
import { hasCode, messageOf } from '../../node/errors.ts'
import { readPresetKey } from '../../node/preset-key.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import { firstFaultIn, wholeTextFault } from '../../shared/preset/preset-faults.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { ONE_OFF_FOLDER } from '../../shared/preset/one-off.ts'
import { taskNamed, tasks } from '../../shared/preset/tasks.ts'

export type StoredPreset = Omit<PresetDocument, 'unsaved'> & { readonly file: string }

/**
 * Returns all presets in alphabetical order. Invalid documents are included with their problems.
 * @param folder absolute path; doesn't exist until the service has run once
 */
export async function readPresets(folder: string): Promise<readonly StoredPreset[]> {
  const files = await readdir(folder).catch((error: unknown): string[] => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  const documents = files.filter((file) => file.endsWith('.json') && !file.startsWith('.')).toSorted()
  const presets: StoredPreset[] = []
  for (const file of documents)
    presets.push(
      await readRegularFile(join(folder, file)).then(
        (text) => presetIn(file, text),
        (error: unknown) => unreadable(file, messageOf(error)),
      ),
    )
  // The service offers the first valid document with a name. Other documents with that name are listed under the names of their files.
  const fileOf = new Map<string, string>()
  for (const { name, file } of [...presets.filter(isValid), ...presets])
    if (!fileOf.has(name)) fileOf.set(name, file)
  return presets
    .map((preset) => renamedUnless(fileOf.get(preset.name), preset))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

const isValid = ({ preset }: StoredPreset): boolean => preset !== null

/** Returns the presets, or the default presets if the folder has none. Adds the tasks whose names aren't used by a preset. */
export async function presetsToOffer(folder: string): Promise<readonly StoredPreset[]> {
  const stored = await readPresets(folder)
  const saved = stored.length > 0 ? stored : defaultDocuments().map(({ file, text }) => presetIn(file, text))
  const others = tasks().filter(({ name }) => !saved.some((one) => one.name === name))
  return [...saved, ...others.map(({ text }) => presetIn('', text))]
}

/** Finds presets by name, including those of single jobs and the tasks. */
export async function findPresets(
  folder: string,
  names: readonly string[],
): Promise<readonly (StoredPreset | undefined)[]> {
  const saved = await readPresets(folder)
  const isListed = (name: string) => saved.some((one) => one.name === name)
  const oneOffs = names.every(isListed) ? [] : await readPresets(join(folder, ONE_OFF_FOLDER))
  return names.map((name) => {
    const task = taskNamed(name)
    return (
      [...saved, ...oneOffs].find((one) => one.name === name) ??
      (task === undefined ? undefined : presetIn('', task.text))
    )
  })
}

function presetIn(file: string, text: string): StoredPreset {
  const { preset, problems } = readPreset(text)
  // A default preset may have been renamed, but its file keeps its name.
  const shipped = defaultDocuments().find((one) => one.file === file)
  const isUnchanged = shipped?.text.trim() === text.trim()
  return {
    file,
    name: preset?.name ?? (readPresetKey(text).name || file),
    text,
    preset: preset ?? null,
    problems: problems ?? [],
    fault: problems === undefined ? null : firstFaultIn(text),
    origin: shipped === undefined ? 'own' : isUnchanged ? 'default' : 'changedDefault',
  }
}

const unreadable = (file: string, detail: string): StoredPreset => ({
  file,
  name: file,
  text: '',
  preset: null,
  origin: 'own',
  problems: [{ field: '', message: `could not be read: ${detail}` }],
  fault: wholeTextFault('', { kind: 'unreadable', detail }),
})

/**
 * Lists a preset under its file name if a preset in another file is offered under its name. A valid preset then counts as invalid.
 * @param owner file of the preset that is offered under that name
 */
function renamedUnless(owner: string | undefined, preset: StoredPreset): StoredPreset {
  const { file, name } = preset
  if (owner === file) return preset
  if (!isValid(preset)) return { ...preset, name: file }
  return {
    ...preset,
    name: file,
    preset: null,
    problems: [{ field: 'name', message: `is already used by the preset in ${owner}` }],
    fault: wholeTextFault('name', { kind: 'nameTaken', name }),
  }
}
