/** Reads and writes Thunar's file of custom actions. */
import { realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../../../node/open-regular.ts'
import { hasCode } from '../../../node/errors.ts'
import { writeWhole } from '../../../node/write-file.ts'
import type { StarredPreset } from '../../../shared/preset/starred.ts'
import { EMPTY_ACTIONS, hasThunarActions, withThunarActions } from './thunar.ts'

const FILE = 'Thunar/uca.xml'

export type ThunarFolders = {
  /** The user's configuration folder, `~/.config` by default. */
  readonly configFolder: string
  /** The system's configuration folders, `/etc/xdg` by default. */
  readonly systemFolders: readonly string[]
}

/**
 * Replaces our actions in the user's file. If the user has no file, Thunar uses the system's file, so a new file begins as a copy of it. If
 * our actions were the only difference, removes the user's file together with them.
 * @throws if the file can't be read or written, isn't a list of actions, or has just been changed by another program. It is then unchanged
 */
export async function writeThunarActions(
  presets: readonly StarredPreset[],
  program: string,
  { configFolder, systemFolders }: ThunarFolders,
): Promise<void> {
  const path = await target(join(configFolder, FILE))
  const before = await textOf(path)
  if (presets.length === 0 && (before === undefined || !hasThunarActions(before))) return
  const initial = (await firstText(systemFolders.map((folder) => join(folder, FILE)))) ?? EMPTY_ACTIONS
  const after = withThunarActions(before ?? initial, presets, program)
  if (after === undefined) throw new Error('this isn’t a list of custom actions')
  if (after === before) return
  // Thunar may have saved its actions in the meantime.
  if ((await textOf(path)) !== before) throw new Error('another program has just changed this file')
  if (after === initial) await rm(path)
  else await writeWhole(path, after, before === undefined ? 0o644 : (await stat(path)).mode & 0o777)
}

/** Follows a link: some users keep their configuration in another folder. */
const target = (path: string): Promise<string> => realpath(path).catch(() => path)

async function firstText(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await textOf(path)
    if (text !== undefined) return text
  }
  return undefined
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readRegularFile(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}
