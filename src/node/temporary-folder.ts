import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates an empty folder for temporary files that only this user can enter.
 * @param otherwise absolute; used if the system's folder for temporary files can't be used, for example because it was removed
 */
export const makeTemporaryFolder = (prefix: string, otherwise: string): Promise<string> =>
  mkdtemp(join(tmpdir(), prefix)).catch(() => mkdtemp(join(otherwise, prefix)))
