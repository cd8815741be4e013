import { posix, win32 } from 'node:path'
import type { RecordId } from '../../shared/model/ids.ts'

/**
 * A folder for the results of a submission on the service's computer, next to an uploaded file: that the service can write
 * there is known, and nothing else is. In the notation of that computer, which may be another system than this one.
 */
export function folderBeside(uploadedPath: string, id: RecordId): string {
  const paths = /^[a-z]:[\\/]|^\\\\/i.test(uploadedPath) ? win32 : posix
  return paths.join(paths.dirname(uploadedPath), `mediatray-${id}`)
}
