/**
 * The presets of the built-in service as the app edits them: the documents in the service's folder. The service reads them
 * again by itself (see its preset store), also while it runs.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../../node/write-file.ts'
import type { PresetImport, PresetOverview, PresetSaved } from '../../shared/model/built-in-service.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { asOneFile, readImport, type ImportedText } from './import-presets.ts'
import { freeFileName, presetsIn, type StoredPreset } from './preset-folder.ts'
import { openUnsaved } from './unsaved-presets.ts'

export type PresetFilesOptions = {
  /** Absolute: `presets` in the data folder of the service. Made when missing. */
  readonly folder: string
}

export interface PresetFiles {
  /** Every document, those that do not fit too, with what is wrong in them. */
  list(): Promise<PresetOverview>
  /**
   * Writes the document as it stands, all at once. Its name is the one in the text.
   *
   * @param replaces the name that it had in `list` before; null for a new one
   * @returns the problems of a text that does not fit, or whose name another document has; nothing is written then.
   *   Throws where the folder can't be written.
   */
  save(change: { readonly text: string; readonly replaces: string | null }): Promise<PresetSaved>
  /** What is not saved yet, across restarts; null takes it away. */
  keepUnsaved(change: { readonly name: string | null; readonly text: string | null }): Promise<void>
  /** Does nothing where there is none of that name. */
  remove(name: string): Promise<void>
  /** A default becomes what it was when it came. */
  reset(name: string): Promise<void>
  /** The defaults come back that were deleted, but for those whose name another preset has taken. */
  restoreDefaults(): Promise<void>
  /** Presets from elsewhere come in beside those that are there. */
  import(files: readonly ImportedText[]): Promise<PresetImport>
  /** Takes back the last of `remove`, `reset`, `restoreDefaults` and `import`. */
  undo(): Promise<void>
  /** The text of one preset, or of all in one file (null); undefined where there is none of that name. */
  textFor(name: string | null): Promise<string | undefined>
  /** Absolute. */
  readonly folder: string
}

/** A file and what is to stand in it; null: it is not to be there. */
type FileContent = { readonly file: string; readonly text: string | null }

/** Deleted ones; not those whose name another preset has taken since. */
const missingDefaults = (stored: readonly StoredPreset[]) =>
  defaultDocuments().filter(
    ({ file, name }) => !stored.some((one) => one.file === file || one.document.name === name),
  )

export function createPresetFiles({ folder }: PresetFilesOptions): PresetFiles {
  const unsaved = openUnsaved(folder)
  let lastChange: Promise<unknown> = Promise.resolve()
  let before: readonly FileContent[] = []

  /** One change after the other, so that two saves of one name can't both take a new file. */
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = lastChange.then(change, change)
    lastChange = result.catch(() => undefined)
    return result
  }

  async function write(contents: readonly FileContent[]): Promise<void> {
    for (const { file, text } of contents) {
      if (text === null) await rm(join(folder, file), { force: true })
      else await writeWhole(join(folder, file), text)
    }
  }

  async function writeUndoable(contents: readonly FileContent[]): Promise<void> {
    const files = contents.map(({ file }) => file)
    const texts = await Promise.all(
      files.map((file) => readFile(join(folder, file), 'utf8').catch(() => null)),
    )
    before = files.map((file, index) => ({ file, text: texts[index] ?? null }))
    await write(contents)
  }

  const find = async (name: string | null) =>
    (await presetsIn(folder)).find(({ document }) => document.name === name)

  return {
    folder,

    async list() {
      const [stored, texts] = await Promise.all([presetsIn(folder), unsaved.read()])
      return {
        documents: stored.map(({ document }) => ({ ...document, unsaved: texts.of(document.name) })),
        unsavedNew: texts.of(null),
        deletedDefaults: missingDefaults(stored).length,
      }
    },

    save: ({ text, replaces }) =>
      inTurn(async () => {
        const reading = readPreset(text)
        if (reading.problems !== undefined) return { ok: false, problems: reading.problems }
        const { name } = reading.preset
        const stored = await presetsIn(folder)
        const replaced = stored.find(({ document }) => document.name === replaces)
        if (stored.some((one) => one.document.name === name && one !== replaced)) {
          return {
            ok: false,
            problems: [{ field: 'name', message: 'is the name of another preset already' }],
          }
        }
        const file = replaced?.file ?? (await freeFileName(folder, name))
        await writeWhole(join(folder, file), text.endsWith('\n') ? text : `${text}\n`)
        if (replaces !== null && replaces !== name) await unsaved.rename(replaces, name)
        return { ok: true }
      }),

    keepUnsaved: ({ name, text }) => inTurn(() => unsaved.keep(name, text)),

    remove: (name) =>
      inTurn(async () => {
        const found = await find(name)
        if (found !== undefined) await writeUndoable([{ file: found.file, text: null }])
      }),

    reset: (name) =>
      inTurn(async () => {
        const found = await find(name)
        const shipped = defaultDocuments().find(({ file }) => file === found?.file)
        if (shipped !== undefined) await writeUndoable([shipped])
      }),

    restoreDefaults: () =>
      inTurn(async () => {
        await writeUndoable(missingDefaults(await presetsIn(folder)))
      }),

    import: (files) =>
      inTurn(async () => {
        const names = (await presetsIn(folder)).map(({ document }) => document.name)
        const { taken, leftOut } = readImport(files, names)
        before = []
        for (const { name, text } of taken) {
          const file = await freeFileName(folder, name)
          await write([{ file, text }])
          before = [...before, { file, text: null }]
        }
        return { taken: taken.map(({ name, was }) => ({ name, was })), leftOut }
      }),

    undo: () =>
      inTurn(async () => {
        await write(before)
        before = []
      }),

    async textFor(name) {
      if (name !== null) return (await find(name))?.document.text
      const stored = await presetsIn(folder)
      // What can't be read as JSON would spoil the file for the others.
      return asOneFile(stored.flatMap(({ document }) => (document.preset === null ? [] : [document.text])))
    },
  }
}
