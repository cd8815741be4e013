import { posix, win32 } from 'node:path'
import { MAX_JSON_BYTES } from '../../shared/api/limits.ts'
import type { SpoofJobRequest } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { PlannedSubmission } from './planned-submission.ts'

/**
 * The body of `POST /jobs` (section 2). One file goes as `filePath`, so that the service makes a single job of it.
 *
 * @param paths the inputs as the service can read them: our own paths, or those that its uploads gave
 * @param outputFolder instead of the chosen one, which means nothing on the service's computer
 */
export function jobRequestOf(
  plan: PlannedSubmission,
  paths: readonly string[],
  outputFolder?: string,
): SpoofJobRequest {
  return {
    ...inputOf(plan, paths),
    ...(plan.output.kind === 'folder'
      ? { outputFolder: outputFolder ?? plan.output.path }
      : { driveOutputFolder: plan.output.folderId }),
    ...(plan.preset === null ? {} : { preset: plan.preset }),
    ...(plan.variations === 1 ? {} : { batchCount: plan.variations }),
  }
}

function inputOf(plan: PlannedSubmission, paths: readonly string[]): SpoofJobRequest {
  if (plan.driveInput !== null) return { driveInputFolder: plan.driveInput }
  const [only, ...more] = paths
  return only !== undefined && more.length === 0 ? { filePath: only } : { files: [...paths] }
}

/** As it goes over the wire: UTF-8 bytes of the JSON. */
export const requestBytes = (request: SpoofJobRequest): number => Buffer.byteLength(JSON.stringify(request))

export const fitsTheLimit = (request: SpoofJobRequest): boolean => requestBytes(request) <= MAX_JSON_BYTES

/** What one more path adds to `files`: its JSON and a comma. */
export const pathBytes = (path: string): number => Buffer.byteLength(JSON.stringify(path)) + 1

/** `/home/me`, `C:\Users\me`, `C:/Users/me`, `\\server\share`: the service may run on another system than this app. */
export const isAbsolutePath = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\])/.test(path)

/**
 * A folder for the results of a submission on the service's computer, next to an uploaded file: the service can write there,
 * as the upload shows, and no other folder of that computer is known. In the notation of that computer, which may be another
 * system than this one.
 */
export function folderBeside(uploadedPath: string, id: RecordId): string {
  const paths = /^[a-z]:[\\/]|^\\\\/i.test(uploadedPath) ? win32 : posix
  return paths.join(paths.dirname(uploadedPath), `mediatray-${id}`)
}
