/** Reads the built-in service's preset folder, which has one JSON document per preset. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../../node/open-regular.ts'
import { hasCode, messageOf } from '../../node/errors.ts'
import type { PresetDocument, PresetTextFault } from '../../shared/model/built-in-service.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import { checkPresetText, type FaultReason } from '../../shared/preset/preset-faults.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { slugOf } from '../../shared/preset/slug.ts'

export type StoredPreset = {
  readonly file: string
  readonly document: Omit<PresetDocument, 'unsaved'>
}

/** Returns all presets in alphabetical order. Invalid documents are included with their problems. */
export async function presetsIn(folder: string): Promise<readonly StoredPreset[]> {
  const files = (await readdir(folder).catch(missing)).filter(
    (file) => file.endsWith('.json') && !file.startsWith('.'),
  )
  const documents: StoredPreset[] = []
  const names = new Map<string, string>()
  // If two documents have the same name, the document whose file name comes first keeps it. The service does the same.
  for (const file of files.toSorted()) {
    const document = await documentOf(folder, file)
    const holder = names.get(document.name)
    const shown =
      holder === undefined
        ? document
        : { ...document, name: file, preset: null, ...nameTakenBy(document.name, holder) }
    documents.push({ file, document: shown })
    names.set(document.name, holder ?? file)
  }
  return documents.toSorted((a, b) => a.document.name.localeCompare(b.document.name, 'en'))
}

const nameTakenBy = (name: string, file: string) => ({
  problems: [{ field: 'name', message: `is already used by the preset in ${file}` }],
  fault: faultAtStart('name', { kind: 'nameTaken', name }),
})

/** A fault that concerns the whole file. */
export const faultAtStart = (path: string, reason: FaultReason): PresetTextFault => ({
  field: { path, line: 1, reason, wayOut: null },
})

async function documentOf(folder: string, file: string): Promise<StoredPreset['document']> {
  let text = ''
  try {
    text = await readRegularFile(join(folder, file))
  } catch (error) {
    const detail = messageOf(error)
    const problems = [{ field: '', message: `could not be read: ${detail}` }]
    return {
      name: file,
      text,
      forPhotos: false,
      forVideos: false,
      preset: null,
      origin: 'own',
      problems,
      fault: faultAtStart('', { kind: 'unreadable', detail }),
    }
  }
  const { preset, problems } = readPreset(text)
  return {
    name: preset?.name ?? nameIn(text) ?? file,
    text,
    forPhotos: preset?.image !== undefined,
    forVideos: preset?.video !== undefined,
    preset: preset ?? null,
    problems: problems ?? [],
    fault: problems === undefined ? null : faultIn(text),
    origin: originOf(file, text),
  }
}

export function faultIn(text: string): PresetTextFault | null {
  const checked = checkPresetText(text)
  if (!checked.readable) return { json: checked.fault }
  const [first] = checked.faults
  return first === undefined ? null : { field: first }
}

/** Determines a preset's origin by its file name, because a default preset may have been renamed. */
function originOf(file: string, text: string): PresetDocument['origin'] {
  const shipped = defaultDocuments().find((one) => one.file === file)
  if (shipped === undefined) return 'own'
  return shipped.text.trim() === text.trim() ? 'default' : 'changedDefault'
}

/** Returns the name in an invalid document, so that the user can recognize it. */
function nameIn(text: string): string | undefined {
  try {
    const document: unknown = JSON.parse(text)
    const name = typeof document === 'object' && document !== null ? Reflect.get(document, 'name') : undefined
    return typeof name === 'string' && name !== '' ? name : undefined
  } catch {
    return undefined
  }
}

export async function freeFileName(folder: string, name: string): Promise<string> {
  const slug = slugOf(name)
  for (let attempt = 1; ; attempt++) {
    const file = `${slug}${attempt === 1 ? '' : `-${attempt}`}.json`
    const isTaken = await stat(join(folder, file)).then(
      () => true,
      () => false,
    )
    if (!isTaken) return file
  }
}

/** The folder doesn't exist until the service has run once. */
function missing(error: unknown): readonly string[] {
  if (hasCode(error, 'ENOENT')) return []
  throw error
}
