/**
 * The presets of the built-in service as the app edits them: the documents in the service's folder. The service reads them
 * again by itself (see its preset store), also while it runs.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PresetDocument, PresetSaved } from '../../shared/model/built-in-service.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { slugOf } from '../../shared/preset/slug.ts'
import { hasCode } from '../../node/errors.ts'
import { writeWhole } from '../../node/write-file.ts'

export type PresetFilesOptions = {
  /** Absolute: `presets` in the data folder of the service. Made when missing. */
  readonly folder: string
}

export interface PresetFiles {
  /** In alphabetical order. A document that does not fit is there too, with what is wrong in it. */
  list(): Promise<readonly PresetDocument[]>
  /**
   * Writes the document as it stands, all at once. Its name is the one in the text.
   *
   * @param replaces the name that it had in `list` before; null for a new one
   * @returns the problems of a text that does not fit, or whose name another document has; nothing is written then.
   *   Throws where the folder can't be written.
   */
  save(change: { readonly text: string; readonly replaces: string | null }): Promise<PresetSaved>
  /** Does nothing where there is none of that name. */
  remove(name: string): Promise<void>
}

type OnDisk = { readonly file: string; readonly document: PresetDocument }

export function createPresetFiles({ folder }: PresetFilesOptions): PresetFiles {
  let lastChange: Promise<unknown> = Promise.resolve()

  /** One change after the other, so that two saves of one name can't both take a new file. */
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = lastChange.then(change, change)
    lastChange = result.catch(() => undefined)
    return result
  }

  return {
    list: async () => (await documentsIn(folder)).map(({ document }) => document),

    save: ({ text, replaces }) =>
      inTurn(async () => {
        const reading = readPreset(text)
        if (reading.problems !== undefined) return { ok: false, problems: reading.problems }
        const documents = await documentsIn(folder)
        const replaced = documents.find(({ document }) => document.name === replaces)
        const other = documents.find((one) => one.document.name === reading.preset.name && one !== replaced)
        if (other !== undefined) {
          return {
            ok: false,
            problems: [{ field: 'name', message: 'is the name of another preset already' }],
          }
        }
        const file = replaced?.file ?? (await freeFileName(folder, reading.preset.name))
        await writeWhole(join(folder, file), text.endsWith('\n') ? text : `${text}\n`)
        return { ok: true }
      }),

    remove: (name) =>
      inTurn(async () => {
        const found = (await documentsIn(folder)).find(({ document }) => document.name === name)
        if (found !== undefined) await rm(join(folder, found.file), { force: true })
      }),
  }
}

async function documentsIn(folder: string): Promise<readonly OnDisk[]> {
  const files = (await readdir(folder).catch(missing)).filter(
    (file) => file.endsWith('.json') && !file.startsWith('.'),
  )
  const documents: OnDisk[] = []
  const names = new Map<string, string>()
  // The first by file name keeps a name that two documents have, as in the service.
  for (const file of files.toSorted()) {
    const document = await documentOf(folder, file)
    const holder = names.get(document.name)
    const shown = holder === undefined ? document : { ...document, name: file, problems: [takenBy(holder)] }
    documents.push({ file, document: shown })
    names.set(document.name, holder ?? file)
  }
  return documents.toSorted((a, b) => a.document.name.localeCompare(b.document.name, 'en'))
}

const takenBy = (file: string) => ({
  field: 'name',
  message: `is already the name of the preset in ${file}`,
})

async function documentOf(folder: string, file: string): Promise<PresetDocument> {
  let text = ''
  try {
    text = await readFile(join(folder, file), 'utf8')
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    const problems = [{ field: '', message: `can't be read: ${words}` }]
    return { name: file, text, forPhotos: false, forVideos: false, problems }
  }
  const { preset, problems } = readPreset(text)
  return {
    name: preset?.name ?? nameIn(text) ?? file,
    text,
    forPhotos: preset?.image !== undefined,
    forVideos: preset?.video !== undefined,
    problems: problems ?? [],
  }
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

async function freeFileName(folder: string, name: string): Promise<string> {
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
