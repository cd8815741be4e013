/**
 * Checks whether a program is safe to run, whether the user chose it or it was found on the PATH. A program is unsafe if other
 * users could have installed or changed it.
 */
import { access, constants, stat } from 'node:fs/promises'
import type { PlainReasonCode } from '../shared/failure/failure.ts'

export type ProgramFault = 'missing' | 'notAFile' | 'notRunnable' | 'foreignOwner' | 'writableByOthers'

/** Mode bits that let the group or other users write. */
const WRITABLE_BY_OTHERS = 0o022
const ROOT = 0

/**
 * Checks a program, or the target if it is a link.
 * Windows keeps permissions in access control lists, which Node doesn't read, so only the first three faults are detected
 * there.
 * @returns undefined for a program that may be run
 */
export async function programFault(path: string): Promise<ProgramFault | undefined> {
  const file = await stat(path).catch(() => undefined)
  if (file === undefined) return 'missing'
  if (!file.isFile()) return 'notAFile'
  const isRunnable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!isRunnable) return 'notRunnable'
  const user = process.getuid?.()
  if (user === undefined) return undefined
  if (file.uid !== user && file.uid !== ROOT) return 'foreignOwner'
  return (file.mode & WRITABLE_BY_OTHERS) === 0 ? undefined : 'writableByOthers'
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

/** The reason that explains each fault to the user. */
export const PROGRAM_FAULTS = {
  missing: 'programMissing',
  notAFile: 'programNotAFile',
  notRunnable: 'programNotRunnable',
  foreignOwner: 'programForeign',
  writableByOthers: 'programWritable',
} as const satisfies Record<ProgramFault, PlainReasonCode>
