import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder that is removed when the test ends. Call it in a test or in `beforeEach`. */
export const temporaryFolder = (): string => folderIn(tmpdir())

/** The same in memory if the system has a folder there. For tests that sync files thousands of times. */
export const folderInMemory = (): string => folderIn(existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

function folderIn(parent: string): string {
  // The real path, as programs report it: on macOS and Windows, temporary folders are behind a link or a short name.
  const folder = realpathSync.native(mkdtempSync(join(parent, 'mediatray-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return folder
}
