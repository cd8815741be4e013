/**
 * The presets of a service: a folder with one JSON document per preset, which users may edit by hand. This module writes only the default
 * presets, once.
 */
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { exists } from '../../node/exists.ts'
import { readRegularFile } from '../../node/open-regular.ts'
import { messageOf } from '../../node/errors.ts'
import { keptPresetFile, presetKeyIn } from '../../node/preset-key.ts'
import { writeWhole } from '../../node/write-file.ts'
import type { Presets } from '../../shared/api/resources.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { type FieldProblem, type ReadPreset, readPreset } from '../../shared/preset/read-preset.ts'
import { ONE_OFF_FOLDER } from '../../shared/preset/one-off.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import { taskNamed } from '../../shared/preset/tasks.ts'

export type PresetStore = Awaited<ReturnType<typeof openPresetStore>>

/** Marks that the defaults have been copied, so that deleted presets don't return. */
const DEFAULTS_COPIED = '.defaults-copied'

export async function openPresetStore(options: {
  /** Created if missing. The default presets are copied into it once. */
  readonly folder: string
  /** Called for each problem in the documents, except in those for single jobs. Valid documents are loaded anyway. */
  readonly log: (message: string) => void
}) {
  const { folder, log } = options
  let loaded: ReadonlyMap<string, Loaded> = new Map()
  let oneOffs: ReadonlyMap<string, Loaded> = new Map()
  const oneOffFolder = path.join(folder, ONE_OFF_FOLDER)
  let readFrom = ''
  let lastRefresh: Promise<void> = Promise.resolve()

  const fingerprintNow = async () => `${await fingerprintOf(folder)}${await fingerprintOf(oneOffFolder)}`

  async function load(): Promise<void> {
    // Take the fingerprint before reading, so that the next refresh notices a change made in the meantime.
    readFrom = await fingerprintNow()
    const { presets, problems } = await readFolder(folder)
    loaded = presets
    oneOffs = (await readFolder(oneOffFolder)).presets
    for (const { file, field, message } of problems)
      log(`Preset ${file}${field === '' ? '' : `, "${field}"`}: ${message}`)
  }

  async function loadIfChanged(): Promise<void> {
    if ((await fingerprintNow()) !== readFrom) await load()
  }

  await mkdir(folder, { recursive: true, mode: 0o700 })
  // An existing folder may be accessible to other users.
  await chmod(folder, 0o700)
  await copyDefaultsOnce(folder)
  await load()

  const namesWith = (part: 'image' | 'video') =>
    [...loaded.values()].filter(({ preset }) => preset[part] !== undefined).map(({ preset }) => preset.name)

  const find = (name: string) => loaded.get(name) ?? oneOffs.get(name) ?? shippedAs(name)

  function withKey(name: string, key: string): Preset | undefined {
    const found = find(name)
    return found?.key === key ? found.preset : undefined
  }

  return {
    /** The preset names for photos and for videos, in alphabetical order (section 2, Presets). */
    list: (): Presets => ({ image: namesWith('image'), video: namesWith('video') }),
    /**
     * Finds a preset by its name, including tasks and the unlisted presets for single jobs; undefined if there is none.
     * @param name exactly as saved
     */
    find: (name: string): Preset | undefined => find(name)?.preset,
    /**
     * Finds a preset with this key (`presetKeyIn`), even if it has been edited or deleted since a submission used it. Reads the folder once
     * more before it gives up, because the client may have read a newer document. undefined if there is none.
     */
    async findAs(name: string, key: string): Promise<Preset | undefined> {
      const found = withKey(name, key)
      if (found !== undefined) return found
      const kept = await readDocument(keptPresetFile(folder, key))
      if (kept.problems === undefined && kept.key === key) return { ...kept.preset, name }
      lastRefresh = lastRefresh.then(load, load)
      await lastRefresh
      return withKey(name, key)
    },
    /** Reloads the folder if a document was added, removed or changed since the last load. */
    refresh(): Promise<void> {
      // Refreshes run one at a time, so that an older read can't replace a newer one.
      lastRefresh = lastRefresh.then(loadIfChanged, loadIfChanged)
      return lastRefresh
    },
  }
}

/** Lists the documents. Returns an empty array if the folder can't be read, for example while its disk is disconnected. */
async function documentsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files.filter((file) => file.endsWith('.json') && !file.startsWith('.')).toSorted()
}

/** Returns text that changes whenever a document is added, removed or written. */
async function fingerprintOf(folder: string): Promise<string> {
  const files = await documentsIn(folder)
  const stamps = files.map(async (file) => {
    const found = await stat(path.join(folder, file)).catch(() => undefined)
    return [file, found?.mtimeMs, found?.size, found?.ino]
  })
  return JSON.stringify(await Promise.all(stamps))
}

type Loaded = {
  readonly preset: Preset
  readonly key: string
}

function shippedAs(name: string): Loaded | undefined {
  const task = taskNamed(name)
  return task && { preset: task.preset, key: presetKeyIn(task.text) }
}

type PresetProblem = FieldProblem & {
  readonly file: string
}

async function readFolder(folder: string) {
  const presets: Loaded[] = []
  const problems: PresetProblem[] = []
  const fileOf = new Map<string, string>()
  for (const file of await documentsIn(folder)) {
    const reading = await readDocument(path.join(folder, file))
    if (reading.problems !== undefined) {
      problems.push(...reading.problems.map((problem) => ({ file, ...problem })))
      continue
    }
    const { name } = reading.preset
    const other = fileOf.get(name)
    if (other === undefined) {
      fileOf.set(name, file)
      presets.push(reading)
    } else {
      const message = `"${name}" is already the name of the preset in ${other}`
      problems.push({ file, field: 'name', message })
    }
  }
  const inOrder = presets.toSorted((a, b) => a.preset.name.localeCompare(b.preset.name, 'en'))
  return { presets: new Map(inOrder.map((one) => [one.preset.name, one])), problems }
}

type Reading = (Loaded & { readonly problems?: never }) | Extract<ReadPreset, { readonly preset?: never }>

async function readDocument(filePath: string): Promise<Reading> {
  try {
    const text = await readRegularFile(filePath)
    const read = readPreset(text)
    return read.problems === undefined ? { preset: read.preset, key: presetKeyIn(text) } : read
  } catch (error) {
    return { problems: [{ field: '', message: `can't be read: ${messageOf(error)}` }] }
  }
}

async function copyDefaultsOnce(folder: string): Promise<void> {
  const marker = path.join(folder, DEFAULTS_COPIED)
  if (await exists(marker)) return
  for (const { file, text } of defaultDocuments()) {
    const target = path.join(folder, file)
    if (!(await exists(target))) await writeWhole(target, text)
  }
  const text = 'The default presets were copied here once. Delete this file to get them back.\n'
  await writeFile(marker, text, { mode: 0o600 })
}
