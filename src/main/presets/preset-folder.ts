/** The folder of the built-in service with one JSON document for each preset, as it stands. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, messageOf } from '../../node/errors.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import { checkPresetText } from '../../shared/preset/preset-faults.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { slugOf } from '../../shared/preset/slug.ts'

export type StoredPreset = {
  readonly file: string
  readonly document: Omit<PresetDocument, 'unsaved'>
}

/** In alphabetical order. A document that does not fit is there too, with what is wrong in it. */
export async function presetsIn(folder: string): Promise<readonly StoredPreset[]> {
  const files = (await readdir(folder).catch(missing)).filter(
    (file) => file.endsWith('.json') && !file.startsWith('.'),
  )
  const documents: StoredPreset[] = []
  const names = new Map<string, string>()
  // The first by file name keeps a name that two documents have, as in the service.
  for (const file of files.toSorted()) {
    const document = await documentOf(folder, file)
    const holder = names.get(document.name)
    const shown =
      holder === undefined
        ? document
        : { ...document, name: file, preset: null, problems: [takenBy(holder)], fault: null }
    documents.push({ file, document: shown })
    names.set(document.name, holder ?? file)
  }
  return documents.toSorted((a, b) => a.document.name.localeCompare(b.document.name, 'en'))
}

const takenBy = (file: string) => ({
  field: 'name',
  message: `is already the name of the preset in ${file}`,
})

async function documentOf(folder: string, file: string): Promise<StoredPreset['document']> {
  let text = ''
  try {
    text = await readFile(join(folder, file), 'utf8')
  } catch (error) {
    const problems = [{ field: '', message: `can't be read: ${messageOf(error)}` }]
    return {
      name: file,
      text,
      forPhotos: false,
      forVideos: false,
      preset: null,
      origin: 'own',
      problems,
      fault: null,
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

function faultIn(text: string): PresetDocument['fault'] {
  const checked = checkPresetText(text)
  if (!checked.readable) return { json: checked.fault }
  const [first] = checked.faults
  return first === undefined ? null : { field: first }
}

/** A default is known by its file: it may have another name by now. */
function originOf(file: string, text: string): PresetDocument['origin'] {
  const shipped = defaultDocuments().find((one) => one.file === file)
  if (shipped === undefined) return 'own'
  return shipped.text.trim() === text.trim() ? 'default' : 'changedDefault'
}

/** What a document with problems calls itself, so that a person finds it again. */
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

/** Before the service has run for the first time there is no folder. */
function missing(error: unknown): readonly string[] {
  if (hasCode(error, 'ENOENT')) return []
  throw error
}
