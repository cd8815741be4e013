/** Whether a program that somebody chose may be run: only what nobody else could have put there or changed since. */
import { access, constants, stat } from 'node:fs/promises'

export type ProgramFault = 'missing' | 'notAFile' | 'notRunnable' | 'foreignOwner' | 'writableByOthers'

/** The bits of a mode that let the group or everybody else write. */
const WRITABLE_BY_OTHERS = 0o022
const ROOT = 0

/**
 * Looks at the file itself, behind links. Windows keeps its rights in lists that Node does not read: there only the first
 * three are found.
 *
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

/** For a log or a terminal, to stand behind the path. */
export const PROGRAM_FAULTS: Readonly<Record<ProgramFault, string>> = {
  missing: 'there is no such program',
  notAFile: 'it is no file',
  notRunnable: 'it can’t be run',
  foreignOwner: 'it belongs to another user of this computer',
  writableByOthers: 'other users of this computer can change it',
}
