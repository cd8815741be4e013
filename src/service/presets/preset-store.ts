/** The presets of one service: a folder with one JSON document each, which people may edit by hand. */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Presets } from '../../shared/api/resources.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { slugOf } from '../../shared/preset/slug.ts'
import { DEFAULT_PRESETS } from './default-presets.ts'
import { checkPreset, readPresetFile, type PresetProblem } from './preset-file.ts'
import { writeWhole } from '../../node/write-file.ts'

export interface PresetStore {
  /** The names for photos and for videos, in alphabetical order (section 2, Presets). */
  list(): Presets
  /** Every preset that loaded, in alphabetical order. */
  all(): readonly Preset[]
  /** @param name exactly as saved */
  find(name: string): Preset | undefined
  /** What was wrong with the documents at the last reading. The rest loaded. */
  problems(): readonly PresetProblem[]
  /** Reads the folder anew. */
  reload(): Promise<void>
  /** Reads the folder anew where a document came, went or changed since the last reading; otherwise only looks. */
  refresh(): Promise<void>
  /**
   * Adds a preset or replaces the one of the same name, all at once.
   *
   * @throws Error naming the field that is wrong
   */
  save(preset: Preset): Promise<void>
  /** @throws Error when there is none of that name */
  remove(name: string): Promise<void>
}

export type PresetStoreOptions = {
  /** Made when missing. The default presets are copied into it once. */
  readonly folder: string
  readonly log: (message: string) => void
}

/** Says that the defaults were copied: what a person has deleted since then stays away. */
const DEFAULTS_COPIED = '.defaults-copied'

type Loaded = { readonly preset: Preset; readonly file: string }

export async function openPresetStore({ folder, log }: PresetStoreOptions): Promise<PresetStore> {
  let loaded = new Map<string, Loaded>()
  let problems: readonly PresetProblem[] = []
  let readFrom = ''
  let lastChange: Promise<unknown> = Promise.resolve()

  async function load(): Promise<void> {
    // Looked at before it is read: what changes in between is read once more the next time.
    readFrom = await fingerprintOf(folder)
    const reading = await readFolder(folder)
    loaded = reading.loaded
    problems = reading.problems
    for (const { file, field, message } of problems)
      log(`Preset ${file}${field === '' ? '' : `, "${field}"`}: ${message}`)
  }

  /** One change after the other, so that two saves of one name can't both take a new file. */
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = lastChange.then(change, change)
    lastChange = result.catch(() => undefined)
    return result
  }

  await mkdir(folder, { recursive: true, mode: 0o700 })
  await copyDefaultsOnce(folder)
  await load()

  const names = (part: 'image' | 'video') =>
    [...loaded.values()].filter(({ preset }) => preset[part] !== undefined).map(({ preset }) => preset.name)

  return {
    list: () => ({ image: names('image'), video: names('video') }),
    all: () => [...loaded.values()].map(({ preset }) => preset),
    find: (name) => loaded.get(name)?.preset,
    problems: () => problems,
    reload: () => inTurn(load),
    refresh: () =>
      inTurn(async () => {
        if ((await fingerprintOf(folder)) !== readFrom) await load()
      }),
    save: (preset) =>
      inTurn(async () => {
        const checked = checkPreset(preset)
        const file = loaded.get(checked.name)?.file ?? (await freeFileName(folder, checked.name))
        await writeWhole(path.join(folder, file), `${JSON.stringify(checked, null, 2)}\n`)
        await load()
      }),
    remove: (name) =>
      inTurn(async () => {
        const file = loaded.get(name)?.file
        if (file === undefined) throw new Error(`There is no preset called "${name}".`)
        await rm(path.join(folder, file), { force: true })
        await load()
      }),
  }
}

/** A folder that was taken away has no presets; it may come back. */
async function documentsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter((file) => file.endsWith('.json') && !file.startsWith('.')).toSorted()
}

/** Changes with every document that comes, goes, or is written to. */
async function fingerprintOf(folder: string): Promise<string> {
  const files = await documentsIn(folder)
  const marks = files.map(async (file) => {
    const found = await stat(path.join(folder, file)).catch(() => undefined)
    return [file, found?.mtimeMs, found?.size, found?.ino]
  })
  return JSON.stringify(await Promise.all(marks))
}

async function readFolder(folder: string) {
  const files = await documentsIn(folder)
  const loaded: Loaded[] = []
  const problems: PresetProblem[] = []
  const seen = new Map<string, string>()
  for (const file of files) {
    const reading = await readPresetFile(path.join(folder, file), file)
    if (reading.problems !== undefined) {
      problems.push(...reading.problems)
      continue
    }
    const { name } = reading.preset
    const other = seen.get(name)
    if (other === undefined) {
      seen.set(name, file)
      loaded.push({ preset: reading.preset, file })
    } else {
      problems.push({
        file,
        field: 'name',
        message: `"${name}" is already the name of the preset in ${other}`,
      })
    }
  }
  const inOrder = loaded.toSorted((a, b) => a.preset.name.localeCompare(b.preset.name, 'en'))
  return { loaded: new Map(inOrder.map((entry) => [entry.preset.name, entry])), problems }
}

async function copyDefaultsOnce(folder: string): Promise<void> {
  const marker = path.join(folder, DEFAULTS_COPIED)
  if (await exists(marker)) return
  for (const preset of DEFAULT_PRESETS) {
    const file = path.join(folder, `${slugOf(preset.name)}.json`)
    if (!(await exists(file))) await writeWhole(file, `${JSON.stringify(preset, null, 2)}\n`)
  }
  await writeFile(marker, 'The default presets were copied here once. Delete this file to get them back.\n')
}

async function freeFileName(folder: string, name: string): Promise<string> {
  const slug = slugOf(name)
  for (let attempt = 1; ; attempt++) {
    const file = `${slug}${attempt === 1 ? '' : `-${attempt}`}.json`
    if (!(await exists(path.join(folder, file)))) return file
  }
}

async function exists(filePath: string): Promise<boolean> {
  return stat(filePath).then(
    () => true,
    () => false,
  )
}
