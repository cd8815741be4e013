/** Measures the results of a job once, when it ends, because users may move or delete them later. */
import { messageOf } from '../../node/errors.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { History } from '../history/index.ts'
import type { FileAccess } from './file-access.ts'
import type { Modules } from './modules.ts'

/**
 * Measures results until it is stopped.
 * @returns a function that stops measuring and resolves when the pending measurement is in the history
 */
export function measureResults(
  {
    events,
    history,
    log,
  }: Pick<Modules, 'events' | 'log'> & { readonly history: Pick<History, 'recordResultBytes'> },
  access: Pick<FileAccess, 'toResult'>,
): () => Promise<void> {
  let measuring: Promise<void> = Promise.resolve()

  async function measure({ id, results }: RecordDetails, folder: string): Promise<void> {
    let bytes = 0
    for (const { outputPath } of results) {
      const found = await access.toResult(outputPath, folder)
      // The file is on another computer, deleted, or outside the folder. A partial sum would be misleading.
      if (found.kind !== 'allowed') return
      bytes += found.size
    }
    history.recordResultBytes(id, bytes)
  }

  const stop = events.on('workFinished', (record) => {
    const { origin, output, results } = record
    if (origin === 'other' || output?.kind !== 'folder' || results.length === 0) return
    measuring = measuring
      .then(() => measure(record, output.path))
      .catch((error: unknown) => log('results not measured', { error: messageOf(error) }))
  })
  return () => {
    stop()
    return measuring
  }
}
