/** Writes entry files for file managers and removes outdated ones. Files without our mark are never changed or removed. */
import { lstat, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readRegularFile } from '../../../node/open-regular.ts'
import { hasCode, messageOf } from '../../../node/errors.ts'
import { writeWhole } from '../../../node/write-file.ts'
import { MARK, type EntryFile, type EntryPlace } from './entry.ts'

/** A file that couldn't be written or removed. The other files are still handled. */
export type EntryTrouble = { readonly path: string; readonly message: string }

/**
 * Makes the files match `wanted`. New files are written before outdated ones are removed, so a renamed preset never lacks an entry.
 * @returns the files that couldn't be written or removed; the next call tries again
 */
export async function writeEntries(
  wanted: readonly EntryFile[],
  places: readonly EntryPlace[],
): Promise<readonly EntryTrouble[]> {
  const written = await each(wanted, ({ path }) => path, write)
  const paths = new Set(wanted.map(({ path }) => path))
  const found = (await Promise.all(places.map(filesIn))).flat()
  const removed = await each(
    found.filter(({ path }) => !paths.has(path)),
    ({ path }) => path,
    remove,
  )
  return [...written, ...removed]
}

async function each<Item>(
  items: readonly Item[],
  pathOf: (item: Item) => string,
  handle: (item: Item) => Promise<void>,
): Promise<readonly EntryTrouble[]> {
  const troubles: EntryTrouble[] = []
  for (const item of items) {
    try {
      await handle(item)
    } catch (error) {
      troubles.push({ path: pathOf(item), message: messageOf(error) })
    }
  }
  return troubles
}

const EXECUTABLE = 0o755
const PLAIN = 0o644

async function write({ path, text, isExecutable }: EntryFile): Promise<void> {
  const before = await textOf(path)
  if (before === 'foreign') throw new Error('another file has this name')
  const isCurrent = before === text && isExecutable === (((await stat(path)).mode & 0o100) !== 0)
  if (!isCurrent) await writeWhole(path, text, isExecutable ? EXECUTABLE : PLAIN)
}

type Found = { readonly path: string; readonly root: string }

async function filesIn({ root, folder, filesOf }: EntryPlace): Promise<readonly Found[]> {
  const names = await readdir(join(root, folder)).catch(() => [])
  return names.flatMap(filesOf).map((file) => ({ path: join(root, file), root }))
}

/** Removes an entry file, and the folders below `root` that are then empty. */
async function remove({ path, root }: Found): Promise<void> {
  const text = await textOf(path)
  if (text === undefined || text === 'foreign') return
  await rm(path)
  for (let folder = dirname(path); folder !== root && folder.startsWith(root); folder = dirname(folder)) {
    try {
      await rmdir(folder)
    } catch {
      // The folder contains other files.
      return
    }
  }
}

/**
 * Reads one of our files.
 * @returns undefined if there is no file; `foreign` if it isn't ours
 */
async function textOf(path: string): Promise<string | undefined> {
  try {
    // A link isn't ours, regardless of what it points to.
    if (!(await lstat(path)).isFile()) return 'foreign'
    const text = await readRegularFile(path)
    return text.includes(MARK) ? text : 'foreign'
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}
