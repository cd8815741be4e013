/**
 * Edits the built-in service's presets, which are documents in the service's preset folder. The service reloads them automatically
 * while it is running (see the service's preset store).
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { exists } from '../../node/exists.ts'
import { readRegularFile } from '../../node/open-regular.ts'
import { writeWhole } from '../../node/write-file.ts'
import { createTurns } from '../../node/serial-queue.ts'
import type { PresetImport, PresetOverview, PresetSaved } from '../../shared/model/built-in-service.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import { freeName } from '../../shared/preset/free-name.ts'
import { setInJson } from '../../shared/preset/json-text.ts'
import { ONE_OFF_FOLDER, oneOffName, oneOffText } from '../../shared/preset/one-off.ts'
import { basicDefaults, type Preset } from '../../shared/preset/preset.ts'
import type { FieldChange } from '../../shared/preset/preset-goal.ts'
import { firstFaultIn, wholeTextFault } from '../../shared/preset/preset-faults.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { slugOf } from '../../shared/preset/slug.ts'
import { taskNamed } from '../../shared/preset/tasks.ts'
import { asOneFile, type ImportedText, readImport } from './import-presets.ts'
import { findPresets, readPresets, type StoredPreset } from './read-presets.ts'
import { openUnsaved } from './unsaved-presets.ts'

export type { ImportedText } from './import-presets.ts'

export { presetsToOffer, readPresets, type StoredPreset } from './read-presets.ts'
export { createStarredPresets } from './starred-presets.ts'

export type PresetFiles = ReturnType<typeof createPresetFiles>

/** Stands for the basic defaults in the names of changed presets and of their results. */
const BASIC_NAME = 'Custom'

/** A file and its intended content. The content is null if the file shouldn't exist. */
type FileContent = { readonly file: string; readonly text: string | null }

/** Returns the deleted default presets whose names aren't used by other presets. */
const missingDefaults = (stored: readonly StoredPreset[]) =>
  defaultDocuments().filter(({ file, name }) => !stored.some((one) => one.file === file || one.name === name))

/**
 * Returns the shipped version of a default preset; undefined for any other preset. If another preset now has the shipped name, uses the
 * preset's current name, or a free name if the preset is invalid.
 */
function shippedInPlaceOf({ file, name: current, preset }: StoredPreset, stored: readonly StoredPreset[]) {
  const shipped = defaultDocuments().find((one) => one.file === file)
  const others = stored.filter((one) => one.file !== file)
  const used = new Set(others.map((one) => one.name))
  if (shipped === undefined || !used.has(shipped.name)) return shipped
  const name = preset === null ? freeName(shipped.name, used) : current
  return { file, name, text: setInJson(shipped.text, 'name', name) }
}

async function freeFileName(folder: string, name: string): Promise<string> {
  const slug = slugOf(name)
  for (let attempt = 1; ; attempt++) {
    const file = `${slug}${attempt === 1 ? '' : `-${attempt}`}.json`
    if (!(await exists(join(folder, file)))) return file
  }
}

async function writeIn(folder: string, contents: readonly FileContent[]): Promise<void> {
  for (const { file, text } of contents) {
    if (text === null) await rm(join(folder, file), { force: true })
    else await writeWhole(join(folder, file), text)
  }
}

type NamedText = { readonly name: string; readonly text: string }

/** @returns the names of invalid presets, and a function that reverts the changes */
async function putPresets(folder: string, presets: readonly NamedText[]) {
  const written: { readonly before: FileContent; readonly now: string }[] = []
  const revert = async (): Promise<void> => {
    for (const { before, now } of written.toReversed()) {
      const found = await readRegularFile(join(folder, before.file)).catch(() => null)
      if (found === now) await writeIn(folder, [before])
    }
  }
  const valid = presets.filter(({ name, text }) => readPreset(text).preset?.name === name)
  try {
    for (const { name, text } of valid) {
      // Read again each time, because an earlier preset in this loop may have the same name.
      const known = (await readPresets(folder)).find((one) => one.name === name)
      const file = known?.file ?? (await freeFileName(folder, name))
      await writeWhole(join(folder, file), text)
      written.push({ before: { file, text: known?.text ?? null }, now: text })
    }
  } catch (error) {
    await revert().catch(() => undefined)
    throw error
  }
  return { unsaved: presets.filter((one) => !valid.includes(one)).map(({ name }) => name), revert }
}

/**
 * Runs the changes in each folder one at a time, so that two of them can't both create a file for the same name. Commands and the window
 * have separate `PresetFiles` of the same folder. Only the owner of the data folder edits presets, so one process is enough.
 */
const turns = new Map<string, ReturnType<typeof createTurns>>()

/** @param folder absolute path of `presets` in the service's data folder; created if missing */
export function createPresetFiles(folder: string) {
  const unsaved = openUnsaved(folder)
  const serially = turns.get(folder) ?? createTurns()
  turns.set(folder, serially)
  let before: readonly FileContent[] = []

  async function writeUndoable(contents: readonly FileContent[]): Promise<void> {
    const files = contents.map(({ file }) => file)
    const texts = await Promise.all(
      files.map((file) => readRegularFile(join(folder, file)).catch(() => null)),
    )
    before = files.map((file, index) => ({ file, text: texts[index] ?? null }))
    await writeIn(folder, contents)
  }

  async function keepChangedText(
    base: string,
    document: string,
    words: string,
    changes: readonly FieldChange[] = [],
  ): Promise<string | undefined> {
    if (readPreset(document).problems !== undefined) return undefined
    const text = oneOffText({ base, text: document, changes })
    if (readPreset(text).problems !== undefined) return undefined
    return keepOneOff(folder, text, oneOffName(base, [words]))
  }

  const find = async (name: string | null) => (await readPresets(folder)).find((one) => one.name === name)

  return {
    /** Absolute path of the preset folder. */
    folder,
    /** Finds presets by name, including those of single jobs and the tasks. undefined for a name that no preset has. */
    find: (names: readonly string[]) => findPresets(folder, names),

    /** Lists every document, including invalid ones with their problems, and the unsaved edits. */
    async list(): Promise<PresetOverview> {
      const [stored, texts] = await Promise.all([readPresets(folder), unsaved.read()])
      return {
        documents: stored.map((one) => ({ ...one, unsaved: texts.of(one.name) })),
        unsavedNew: texts.of(null),
        deletedDefaults: missingDefaults(stored).length,
      }
    },

    /**
     * Writes a document atomically and unchanged, except for a missing final newline. The text contains the preset's name.
     * @param replaces the previous name in `list`; null for a new preset
     * @returns the problems if the text is invalid or the name is already used; nothing is written in that case
     * @throws if the folder can't be written
     */
    save: ({ text, replaces }: { readonly text: string; readonly replaces: string | null }) =>
      serially(async (): Promise<PresetSaved> => {
        const reading = readPreset(text)
        if (reading.problems !== undefined)
          return { ok: false, fault: firstFaultIn(text) ?? wholeTextFault('', { kind: 'invalid' }) }
        const { name } = reading.preset
        const stored = await readPresets(folder)
        const replaced = stored.find((one) => one.name === replaces)
        if (stored.some((one) => one.name === name && one !== replaced)) {
          return { ok: false, fault: wholeTextFault('name', { kind: 'nameTaken', name }) }
        }
        const file = replaced?.file ?? (await freeFileName(folder, name))
        await writeWhole(join(folder, file), text.endsWith('\n') ? text : `${text}\n`)
        if (replaces !== null && replaces !== name) await unsaved.rename(replaces, name)
        return { ok: true }
      }),

    /**
     * Stores a changed copy of a preset for a single job.
     * @param base name of the preset; null for the basic defaults
     * @param words what changed, for the copy's name
     * @returns the copy's name; undefined if there is no such preset, or if it can't be changed like this
     */
    async keepChanged(base: string | null, changes: readonly FieldChange[], words: string) {
      const document =
        base === null ? JSON.stringify(basicDefaults()) : (await findPresets(folder, [base]))[0]?.text
      if (document === undefined) return undefined
      return keepChangedText(base ?? BASIC_NAME, document, words, changes)
    },

    /**
     * Stores an adjusted document for a single job.
     * @param base name of the preset that was adjusted
     * @returns its name; undefined if the text isn't a valid preset
     */
    keepAdjusted: (base: string, text: string, words: string) => keepChangedText(base, text, words),

    /** Stores an unsaved edit so that it survives a restart; null removes the edit. */
    keepUnsaved: ({ name, text }: { readonly name: string | null; readonly text: string | null }) =>
      serially(() => unsaved.keep(name, text)),

    /** Removes a preset. Does nothing if the name doesn't exist. */
    remove: (name: string) =>
      serially(async () => {
        const found = await find(name)
        if (found !== undefined) await writeUndoable([{ file: found.file, text: null }])
      }),

    /**
     * Restores the shipped version of a default preset. Does nothing for any other preset.
     * @returns its name, which may differ from the previous one if the preset had been renamed or is invalid
     */
    reset: (name: string) =>
      serially(async () => {
        const stored = await readPresets(folder)
        const found = stored.find((one) => one.name === name)
        const shipped = found && shippedInPlaceOf(found, stored)
        if (shipped === undefined) return name
        await writeUndoable([shipped])
        return shipped.name
      }),

    /** Restores each deleted default preset unless another preset now has its name. */
    restoreDefaults: () =>
      serially(async () => {
        await writeUndoable(missingDefaults(await readPresets(folder)))
      }),

    /** Adds imported presets to the existing ones. */
    import: (files: readonly ImportedText[]) =>
      serially(async (): Promise<PresetImport> => {
        const names = (await readPresets(folder)).map(({ name }) => name)
        const { taken, leftOut } = readImport(files, names)
        before = []
        for (const { name, text } of taken) {
          const file = await freeFileName(folder, name)
          await writeIn(folder, [{ file, text }])
          before = [...before, { file, text: null }]
        }
        return { taken: taken.map(({ name, was }) => ({ name, was })), leftOut }
      }),

    /**
     * Writes presets, replacing those with the same names. If several presets have the same name, the last one applies.
     * @returns the names of invalid presets, which aren't written, and a function that restores the previous presets, except for those that
     * have been changed again
     * @throws if the folder can't be written; in that case, the previous presets are restored
     */
    put: (presets: readonly NamedText[]) =>
      serially(async () => {
        const { unsaved, revert } = await putPresets(folder, presets)
        return { unsaved, undo: () => serially(revert) }
      }),

    /** Reverts the last `remove`, `reset`, `restoreDefaults` or `import`. */
    undo: () =>
      serially(async () => {
        await writeIn(folder, before)
        before = []
      }),

    /**
     * Returns the text of one preset, or of all valid presets in one file if the name is null. Returns undefined if the name doesn't exist.
     */
    async textFor(name: string | null): Promise<string | undefined> {
      if (name !== null) return (await find(name))?.text
      const stored = await readPresets(folder)
      // Leave out invalid documents, because one that isn't valid JSON would make the whole file unreadable.
      return asOneFile(stored.flatMap(({ preset, text }) => (preset === null ? [] : [text])))
    },
  }
}

// ── Presets of single jobs ──────────────────────────────────────────────────────────────────────────────────────────

// The built-in service finds them in `ONE_OFF_FOLDER`. They stay while the outbox or the history mentions them, so that a killed command's
// submissions and failed files can still be processed.

/** Documents that this process has kept. Their submissions may not be in the outbox yet. */
const keptNow = new Set<string>()

/**
 * Writes a document under a name that no other preset has, unless it was written before.
 * @param folder absolute path of the preset folder
 * @param text a valid preset
 * @returns its name, which differs from the wanted name if another preset already has that name
 */
export async function keepOneOff(folder: string, text: string, wanted: string): Promise<string> {
  const inside = join(folder, ONE_OFF_FOLDER)
  const [saved, oneOffs] = await Promise.all([readPresets(folder), readPresets(inside)])
  const used = new Set(saved.map(({ name }) => name))
  for (;;) {
    const name = freeName(wanted, used)
    const named = `${setInJson(text, 'name', name)}\n`
    const file = join(inside, `${createHash('sha256').update(named).digest('hex').slice(0, 24)}.json`)
    const same = oneOffs.find((one) => one.name === name)
    if (same === undefined || same.text === named) {
      keptNow.add(file)
      if (same === undefined) await writeWhole(file, named)
      return name
    }
    used.add(name)
  }
}

/** Returns the presets that lists don't show: the presets of single jobs, and the tasks with these names. */
export async function oneOffPresets(folder: string, names: readonly string[]): Promise<readonly Preset[]> {
  const stored = await readPresets(join(folder, ONE_OFF_FOLDER))
  return [...stored, ...names.map(taskNamed)].flatMap((one) => one?.preset ?? [])
}

/** Removes unused documents that earlier processes have kept. */
export async function removeUnusedOneOffs(folder: string, isUsed: (name: string) => boolean): Promise<void> {
  const inside = join(folder, ONE_OFF_FOLDER)
  for (const { file, name } of await readPresets(inside)) {
    const path = join(inside, file)
    if (!isUsed(name) && !keptNow.has(path)) await rm(path, { force: true })
  }
}
