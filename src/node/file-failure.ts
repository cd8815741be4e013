/**
 * Explains why a local file or folder can't be read or written. This is the only module that maps system error codes to reasons. It
 * never parses the error messages of libraries.
 */
import { open, rm, stat } from 'node:fs/promises'
import { reason, type Reason } from '../shared/failure/failure.ts'
import { codeOf } from './errors.ts'
import { trustedRealPath } from './trusted-path.ts'

export type FileFailure =
  | 'missing'
  | 'denied'
  | 'readOnly'
  | 'full'
  | 'notAFolder'
  | 'exists'
  | 'nameTooLong'
  | 'tooLarge'
  | 'tooManyOpen'
  | 'diskError'
  /** A link on the path belongs to another user. */
  | 'foreignLink'

const FAILURES: Readonly<Record<string, FileFailure>> = {
  ENOENT: 'missing',
  ENODEV: 'missing',
  ENXIO: 'missing',
  ESTALE: 'missing',
  ENOTCONN: 'missing',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'readOnly',
  ENOSPC: 'full',
  EDQUOT: 'full',
  ENOTDIR: 'notAFolder',
  EEXIST: 'exists',
  ENAMETOOLONG: 'nameTooLong',
  EFBIG: 'tooLarge',
  EMFILE: 'tooManyOpen',
  ENFILE: 'tooManyOpen',
  EIO: 'diskError',
  FOREIGN_LINK: 'foreignLink',
}

/** Returns the failure for the error's code; undefined for any other code, or if the error doesn't have a code. */
export const fileFailureOf = (error: unknown): FileFailure | undefined => FAILURES[codeOf(error)]

export function whyNotWritable(error: unknown): Reason {
  const known = fileFailureOf(error)
  if (known !== undefined) return reason(known)
  const code = codeOf(error)
  return code === '' ? reason('unknown') : reason('systemError', { code })
}

/** Returns why a file couldn't be read. If a parent in the path is a file, the reason is that the file doesn't exist. */
export const whyNotReadable = (error: unknown): Reason =>
  fileFailureOf(error) === 'notAFolder' ? reason('missing') : whyNotWritable(error)

/**
 * Tries to write to a folder, because Windows and network shares don't reliably report whether it is writable.
 * @param probe the name of a file that doesn't exist yet
 * @returns the error, or undefined if writing works
 */
export async function tryWritingTo(folder: string, probe: string): Promise<unknown> {
  try {
    const path = `${await trustedRealPath(folder)}/${probe}`
    const file = await open(path, 'wx', 0o600)
    await file.close()
    await rm(path, { force: true })
    return undefined
  } catch (error) {
    // A missing folder and a failed write cause the same error, so check the folder.
    return await stat(folder).then(
      () => error,
      (gone: unknown) => gone,
    )
  }
}
