/**
 * Keeps the presets of single jobs where the built-in service finds them (`ONE_OFF_FOLDER`). They stay while the outbox or the
 * history mentions them, so that a killed command's submissions and failed files can still be processed.
 */
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../../node/write-file.ts'
import { freeName } from '../../shared/preset/free-name.ts'
import { setInJson } from '../../shared/preset/json-text.ts'
import { ONE_OFF_FOLDER } from '../../shared/preset/one-off.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { taskNamed } from '../../shared/preset/tasks.ts'
import { readPresets } from './read-presets.ts'

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
