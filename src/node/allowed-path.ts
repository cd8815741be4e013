/**
 * Limits paths from an untrusted source to folders that the user allowed. Compares real paths, so that no link leads out of these folders.
 * A path that lies outside them as written is refused without accessing the disk, because an access would reveal what exists there.
 */
import { fstatSync } from 'node:fs'
import { type FileHandle, lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isAtOrBelow, isNetworkPath } from './contained-path.ts'
import { hasCode } from './errors.ts'
import { openRegular } from './open-regular.ts'

export type PathRefusal =
  /** The path isn't in an allowed folder. */
  | 'outside'
  /** A link on the path points outside the allowed folders. */
  | 'leadsOutside'
  /** The path is allowed, but doesn't exist or can't be read. */
  | 'missing'

export type RealPath =
  /** `path` has no links. */
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly why: PathRefusal }

/** A folder, as the user chose it and without links. */
export type AllowedFolder = { readonly path: string; readonly realPath: string }

/** Resolves a path to a file or folder in one of the folders. */
export const realPathIn = (path: string, folders: readonly AllowedFolder[]): Promise<RealPath> =>
  resolvedIn(path, folders, realpath)

/** Like `realPathIn`, for a folder that may not exist yet. Names at its end that don't exist are kept as they are. */
export const realNewPathIn = (path: string, folders: readonly AllowedFolder[]): Promise<RealPath> =>
  resolvedIn(path, folders, realNewPath)

async function resolvedIn(
  path: string,
  folders: readonly AllowedFolder[],
  realOf: (path: string) => Promise<string>,
): Promise<RealPath> {
  const claimed = folders.filter((folder) => isNamedIn(path, [folder]))
  const allowed = await unchanged(claimed)
  if (allowed.length === 0) return { ok: false, why: 'outside' }
  const real = await realOf(resolve(path)).catch(() => undefined)
  const known = await unchanged(folders)
  if (real === undefined)
    return { ok: false, why: (await leadsOut(path, known)) ? 'leadsOutside' : 'missing' }
  const isAllowed = known.some(({ realPath }) => isWithin(real, realPath))
  return isAllowed ? { ok: true, path: real } : { ok: false, why: 'leadsOutside' }
}

/** Whether the path, as it is written, is in one of the folders. Doesn't access the disk. */
export const isNamedIn = (path: string, folders: readonly AllowedFolder[]): boolean =>
  folders.some((folder) => isWithin(path, folder.path) || isWithin(path, folder.realPath))

/** Maximum number of links to follow, as on Linux. */
const MOST_LINKS = 40

/** Whether a link on a path that can't be resolved points outside. Without this check, the refusal would reveal what exists there. */
async function leadsOut(path: string, folders: readonly AllowedFolder[]): Promise<boolean> {
  let asked = resolve(path)
  for (let links = 0; links < MOST_LINKS; links += 1) {
    if (!isNamedIn(asked, folders)) return true
    let end = asked
    let above: string | undefined
    while (above === undefined && dirname(end) !== end) {
      end = dirname(end)
      above = await realpath(end).catch(() => undefined)
    }
    if (above === undefined) return false
    if (!isNamedIn(above, folders)) return true
    const [name = '', ...rest] = relative(end, asked).split(sep)
    const target = await readlink(join(above, name)).catch(() => undefined)
    if (target === undefined) return false
    asked = resolve(above, target, ...rest)
  }
  return false
}

export type OpenedFile =
  | { readonly ok: true; readonly path: string; readonly file: FileHandle }
  | { readonly ok: false; readonly why: PathRefusal | 'notAFile' }

/**
 * Opens a regular file in one of the folders. Checks the open file, because a folder on its path may have been replaced by a link in
 * the meantime.
 */
export async function openFileIn(path: string, folders: readonly AllowedFolder[]): Promise<OpenedFile> {
  const real = await realPathIn(path, folders)
  if (!real.ok) return real
  let file: FileHandle | undefined
  try {
    file = await openRegular(real.path, 'refuse')
    if (file === undefined) return { ok: false, why: 'notAFile' }
    if ((await pathOf(file, real.path)) === real.path) return { ok: true, path: real.path, file }
    await file.close()
    return { ok: false, why: 'leadsOutside' }
  } catch (error) {
    await file?.close()
    return { ok: false, why: hasCode(error, 'ELOOP') ? 'leadsOutside' : 'missing' }
  }
}

/** Whether the path still has no links. A part of it that doesn't exist can't be a link. */
export const isStillReal = async (path: string): Promise<boolean> =>
  (await realNewPath(path).catch(() => undefined)) === path

/** Returns the current path of an open file. Outside Linux, returns undefined if another file is at its path now. */
async function pathOf(file: FileHandle, path: string): Promise<string | undefined> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${file.fd}`)
  const { dev, ino } = fstatSync(file.fd)
  const found = await lstat(path)
  return found.dev === dev && found.ino === ino ? realpath(path) : undefined
}

/** Returns a path without links. Names at its end that don't exist are kept as they are. */
export async function realNewPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const above = dirname(path)
    if (!hasCode(error, 'ENOENT') || above === path || (await isLink(path))) throw error
    return join(await realNewPath(above), basename(path))
  }
}

/** Whether the path is a link. A link whose target is missing would be followed as soon as the target exists. */
const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true

/** Returns the folders that are still where they were when the user chose them. */
async function unchanged(folders: readonly AllowedFolder[]): Promise<readonly AllowedFolder[]> {
  const checked = await Promise.all(
    folders.map(async (folder) => ({ folder, isReal: await leadsTo(folder.path, folder.realPath) })),
  )
  return checked.filter(({ isReal }) => isReal).map(({ folder }) => folder)
}

const leadsTo = async (path: string, real: string): Promise<boolean> =>
  isAbsolute(path) && (await realNewPath(resolve(path)).catch(() => undefined)) === real

function isWithin(path: string, folder: string): boolean {
  if (!isAbsolute(path) || path.includes('\0') || isNetworkPath(path, process.platform)) return false
  return isAtOrBelow(resolve(path), folder)
}
