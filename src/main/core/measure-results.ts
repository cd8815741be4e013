/** What the results of a job came to: looked at once, when it is over, because people move and delete them. */
import { stat } from 'node:fs/promises'
import { messageOf } from '../../node/errors.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { History } from '../history/index.ts'
import type { CoreEvents, Events, Log } from './events.ts'

export type ResultMeasuringDeps = {
  readonly events: Pick<Events<CoreEvents>, 'on'>
  readonly history: Pick<History, 'recordResultBytes'>
  readonly log: Log
}

/** @returns ends it, and resolves when the history has what was being measured */
export function measureResults({ events, history, log }: ResultMeasuringDeps): () => Promise<void> {
  let measuring: Promise<void> = Promise.resolve()

  async function measure({ id, results }: RecordDetails): Promise<void> {
    let bytes = 0
    for (const { outputPath } of results) {
      const found = await stat(outputPath).catch(() => null)
      // Not on this computer, or gone already: a part of it would be compared with the whole.
      if (found === null) return
      bytes += found.size
    }
    history.recordResultBytes(id, bytes)
  }

  const stop = events.on('workFinished', (record) => {
    if (record.origin === 'other' || record.output?.kind !== 'folder' || record.results.length === 0) return
    measuring = measuring
      .then(() => measure(record))
      .catch((error: unknown) => log('results not measured', { error: messageOf(error) }))
  })
  return () => {
    stop()
    return measuring
  }
}
