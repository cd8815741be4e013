/** Connects the outbox to the service: when sending is allowed, what blocks it, and what happens after acceptance. */
import { stat } from 'node:fs/promises'
import type { WaitingReason } from '../../shared/model/job.ts'
import {
  createSender,
  type Acceptance,
  type Sender,
  type SendingService,
  type Submission,
} from '../outbox/index.ts'
import { wasSent } from './drop-sent.ts'
import type { JobHolding } from './hold-jobs.ts'
import type { Modules } from './modules.ts'
import type { UsedPresets } from './used-presets.ts'

type Needed = 'outbox' | 'history' | 'connection' | 'disk' | 'events' | 'aliases' | 'timing' | 'log'

/**
 * @param quiet holds submissions back
 * @param accept writes the acceptance before it returns; resolves when it is on disk
 */
export function sendSubmissions(
  { history, connection, disk, events, ...modules }: Pick<Modules, Needed>,
  takesUnaddressed: boolean,
  quiet: Pick<JobHolding, 'wait' | 'exempt'>,
  accept: (submission: Submission, acceptance: Acceptance) => Promise<void>,
  keepPreset: UsedPresets['keep'],
): Sender {
  const tellAccepted = events.tell('submissionAccepted')

  function service(): SendingService | undefined {
    const api = connection.api()
    const { kind, baseUrl, seesFiles } = connection.view()
    if (api === undefined || kind === null) return undefined
    return { api, kind, baseUrl, seesFiles, takesUnaddressed }
  }

  function blocked(): WaitingReason | null {
    const { state } = connection.view()
    if (state.status === 'connecting') return 'offline'
    if (state.status !== 'online') return state.status
    return disk.full() === null ? null : 'diskFull'
  }

  return createSender({
    ...modules,
    service,
    quiet,
    blocked,
    keepPreset,
    isOwnJob: (job) => history.isOwnJob(job),
    wasSent: wasSent({ history }),
    sizeOf: async (path) => (await stat(path).catch(() => null))?.size ?? null,
    onAccepted(submission, acceptance) {
      const onDisk = accept(submission, acceptance)
      tellAccepted()
      return onDisk
    },
    onTrouble: (error, from) => connection.noteError(error, from),
    onChange: events.tell('sendingChanged'),
  })
}
