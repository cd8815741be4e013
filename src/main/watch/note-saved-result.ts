import { basename, dirname, join } from 'node:path'
import { partlyRealPath } from '../../node/trusted-path.ts'
import { fingerprintFile, withContent } from './fingerprint.ts'
import type { ProcessedFiles } from './processed-files.ts'

/**
 * Records results that were saved or changed outside of a job, so that watched folders don't process them.
 * @throws if a result can't be recorded
 */
export async function noteSavedResults(
  store: Pick<ProcessedFiles, 'noteResults'>,
  paths: readonly string[],
  clock: () => number,
): Promise<void> {
  for (const path of paths) {
    const found = await fingerprintFile(join(await partlyRealPath(dirname(path)), basename(path)))
    const read = found && (await withContent(found))
    if (read === undefined) continue
    const { size } = read.fingerprint
    store.noteResults([{ path: read.path, size, content: read.content, at: clock() }])
  }
}
