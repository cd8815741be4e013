/** From the outbox to the service: what may be sent now, what stands against it, and what follows from an acceptance. */
import { stat } from 'node:fs/promises'
import type { WaitingReason } from '../../shared/model/work.ts'
import type { Connection } from '../connection/index.ts'
import type { DiskWatch } from '../disk/disk.ts'
import type { History } from '../history/index.ts'
import {
  createSender,
  type Acceptance,
  type Outbox,
  type Sender,
  type SendingService,
  type StoredSubmission,
} from '../outbox/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { Timing } from '../../node/timing.ts'

export type SendingOptions = {
  readonly outbox: Outbox
  readonly history: History
  readonly settings: Settings
  readonly connection: Connection
  readonly timing: Timing
  /** False: sends only what is meant for this service by name. */
  readonly takesUnaddressed: boolean
  readonly disk: Pick<DiskWatch, 'full'>
  /** Writes the acceptance before it returns; it is on the disk when it resolves. */
  readonly accept: (submission: StoredSubmission, acceptance: Acceptance) => Promise<void>
  readonly onAccepted: () => void
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export function sendSubmissions(options: SendingOptions): Sender {
  const { outbox, history, settings, connection, timing } = options

  function service(): SendingService | undefined {
    const api = connection.api()
    const { kind, baseUrl, seesFiles } = connection.view()
    if (api === undefined || kind === null) return undefined
    return { api, kind, baseUrl, seesFiles, takesUnaddressed: options.takesUnaddressed }
  }

  function blocked(): WaitingReason | null {
    if (settings.view().outboxPaused) return 'paused'
    const { state } = connection.view()
    if (state.status === 'connecting') return 'offline'
    if (state.status !== 'online') return state.status
    return options.disk.full() === null ? null : 'diskFull'
  }

  function accepted(submission: StoredSubmission, acceptance: Acceptance): Promise<void> {
    const onDisk = options.accept(submission, acceptance)
    options.onAccepted()
    return onDisk
  }

  return createSender({
    outbox,
    service,
    blocked,
    isOwnJob: (job) => history.isOwnJob(job),
    sizeOf: async (path) => (await stat(path).catch(() => null))?.size ?? null,
    timing,
    onAccepted: accepted,
    onTrouble: (error, from) => connection.noteError(error, from),
    onChange: options.onChange,
    log: options.log,
  })
}
