import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder that is removed when the test ends. Call it in a test or in `beforeEach`. */
export function temporaryFolder(): string {
  // The real path, as programs report it: on macOS and Windows, temporary folders are behind a link or a short name.
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'mediatray-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return folder
}
