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
  const presets: StoredPreset[] = []
  const fileOf = new Map<string, string>()
  // If two documents have the same name, the document whose file name comes first keeps it. The service does the same.
  for (const file of files.toSorted()) {
    if (!file.endsWith('.json') || file.startsWith('.')) continue
    const preset = await readRegularFile(join(folder, file)).then(
      (text) => presetIn(file, text),
      (error: unknown) => unreadable(file, messageOf(error)),
    )
    const other = fileOf.get(preset.name)
    if (other === undefined) fileOf.set(preset.name, file)
    presets.push(other === undefined ? preset : withNameOf(other, preset))
  }
  return presets.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** Returns the presets, or those that the service starts with if it has never run. */
export async function presetsToOffer(folder: string): Promise<readonly StoredPreset[]> {
  const stored = await readPresets(folder)
  return stored.length > 0 ? stored : defaultDocuments().map(({ file, text }) => presetIn(file, text))
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
    forPhotos: preset?.image !== undefined,
    forVideos: preset?.video !== undefined,
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
  forPhotos: false,
  forVideos: false,
  preset: null,
  origin: 'own',
  problems: [{ field: '', message: `could not be read: ${detail}` }],
  fault: wholeTextFault('', { kind: 'unreadable', detail }),
})

const withNameOf = (other: string, preset: StoredPreset): StoredPreset => ({
  ...preset,
  name: preset.file,
  preset: null,
  problems: [{ field: 'name', message: `is already used by the preset in ${other}` }],
  fault: wholeTextFault('name', { kind: 'nameTaken', name: preset.name }),
})
