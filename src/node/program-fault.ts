/**
 * Checks whether a program is safe to run. Applies to programs that the user chose and to those found on the PATH. A program is unsafe if
 * other users could have installed or changed it.
 */
import { access, constants, lstat, readlink, stat } from 'node:fs/promises'
import { dirname, parse, resolve, sep } from 'node:path'
import { succeeds } from './if-possible.ts'
import type { PlainReasonCode } from '../shared/failure/failure.ts'

export type ProgramFault = 'missing' | 'notAFile' | 'notRunnable' | 'foreignOwner' | 'writableByOthers'

/** Mode bits that let the group or other users write. */
const WRITABLE_BY_OTHERS = 0o022
/** Mode bit of a folder in which all users can create files. */
const WRITABLE_BY_ALL = 0o002
/** Mode bit of a folder in which users can delete and rename only their own files, such as `/tmp`. */
const STICKY = 0o1000
const ROOT = 0
/** Maximum number of links to follow, as on Linux. */
const MOST_LINKS = 40

/**
 * Checks a program, or the target if it is a link. On Windows, detects only the first three faults, because permissions are in access
 * control lists, which Node doesn't read.
 * @returns undefined for a program that may be run
 */
export async function programFault(path: string): Promise<ProgramFault | undefined> {
  const file = await stat(path).catch(() => undefined)
  if (file === undefined) return 'missing'
  if (!file.isFile()) return 'notAFile'
  if (!(await succeeds(access(path, constants.X_OK)))) return 'notRunnable'
  const user = process.getuid?.()
  if (user === undefined) return undefined
  if (file.uid !== user && file.uid !== ROOT) return 'foreignOwner'
  if ((file.mode & WRITABLE_BY_OTHERS) !== 0) return 'writableByOthers'
  return pathFault(path, user).catch(() => 'missing')
}

/**
 * Checks whether another user could put a different program at this path by replacing a folder or a link. Allows folders that a group can
 * write to, because those of package managers often are.
 */
async function pathFault(path: string, user: number): Promise<ProgramFault | undefined> {
  const isTrusted = (owner: number) => owner === user || owner === ROOT
  let target = resolve(path)
  for (let links = 0; links <= MOST_LINKS; links++) {
    let next: string | undefined
    for (const part of partsOf(target)) {
      const found = await lstat(part)
      if (!isTrusted(found.uid)) return 'foreignOwner'
      if (found.isDirectory() && (found.mode & WRITABLE_BY_ALL) !== 0 && (found.mode & STICKY) === 0)
        return 'writableByOthers'
      if (!found.isSymbolicLink()) continue
      next = resolve(dirname(part), await readlink(part), `.${target.slice(part.length)}`)
      break
    }
    if (next === undefined) return undefined
    target = next
  }
  return 'missing'
}

/** Returns each folder on an absolute path, from the root, and the path itself. */
function partsOf(path: string): readonly string[] {
  const { root } = parse(path)
  const names = path.slice(root.length).split(sep)
  return [root, ...names.map((_, index) => root + names.slice(0, index + 1).join(sep))]
}

/**
 * Finds the first program that may be run.
 * @param paths absolute, the preferred one first
 * @returns the first program without a fault; otherwise the first program that exists, with its fault; undefined if none
 * exists
 */
export async function firstProgram(
  paths: readonly string[],
): Promise<{ readonly path: string; readonly fault: ProgramFault | undefined } | undefined> {
  let refused: { readonly path: string; readonly fault: ProgramFault } | undefined
  for (const path of paths) {
    const fault = await programFault(path)
    if (fault === undefined) return { path, fault }
    if (fault !== 'missing') refused ??= { path, fault }
  }
  return refused
}

export const PROGRAM_FAULTS = {
  missing: 'programMissing',
  notAFile: 'programNotAFile',
  notRunnable: 'programNotRunnable',
  foreignOwner: 'programForeign',
  writableByOthers: 'programWritable',
} as const satisfies Record<ProgramFault, PlainReasonCode>
