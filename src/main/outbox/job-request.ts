import { posix, win32 } from 'node:path'
import { MAX_JSON_BYTES } from '../../shared/api/limits.ts'
import type { SpoofJobRequest } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { PlannedSubmission } from './planned-submission.ts'

/**
 * Builds the body of `POST /jobs` (section 2). A single file is sent as `filePath`, so that the service creates a single job.
 * @param paths the inputs as the service can read them: local paths, or those returned by its uploads
 * @param outputFolder replaces the chosen folder, which may not exist on the service's computer
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

/** Returns the size of the request in bytes, as UTF-8 JSON. */
export const requestBytes = (request: SpoofJobRequest): number => Buffer.byteLength(JSON.stringify(request))

export const fitsTheLimit = (request: SpoofJobRequest): boolean => requestBytes(request) <= MAX_JSON_BYTES

/** Returns how many bytes another path adds to `files`: its JSON and a comma. */
export const pathBytes = (path: string): number => Buffer.byteLength(JSON.stringify(path)) + 1

/**
 * Returns an output folder on the service's computer, next to an uploaded file. The upload proves that the service can write
 * there, and no other folder of that computer is known. Uses that computer's path syntax, which may differ from the local one.
 */
export function folderBeside(uploadedPath: string, id: RecordId): string {
  const paths = /^[a-z]:[\\/]|^\\\\/i.test(uploadedPath) ? win32 : posix
  return paths.join(paths.dirname(uploadedPath), `mediatray-${id}`)
}
