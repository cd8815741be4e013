/** From the outbox to the service: what may be sent now, what stands against it, and what follows from an acceptance. */
import { stat } from 'node:fs/promises'
import type { RecordId } from '../../shared/model/ids.ts'
import type { WaitingReason } from '../../shared/model/work.ts'
import type { Connection } from '../connection/index.ts'
import { recordSubmission } from '../drafts/index.ts'
import type { History } from '../history/index.ts'
import type { Followed } from '../jobs/index.ts'
import {
  createSender,
  titleOf,
  type Acceptance,
  type Outbox,
  type Sender,
  type SendingService,
  type StoredSubmission,
} from '../outbox/index.ts'
import type { Settings } from '../settings/index.ts'
import { createOwnJobs } from './service-jobs.ts'
import type { Timing } from '../../node/timing.ts'

export type SendingOptions = {
  readonly outbox: Outbox
  readonly history: History
  readonly settings: Settings
  readonly connection: Connection
  readonly timing: Timing
  /** False: sends only what is meant for this service by name. */
  readonly takesUnaddressed: boolean
  readonly isDiskFull: () => boolean
  /** Results that the service keeps where this computer can't see them will be fetched into this folder. */
  readonly expectResults: (id: RecordId, folder: string) => void
  readonly follow: (job: Followed) => void
  readonly onAccepted: () => void
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export function sendSubmissions(options: SendingOptions): Sender {
  const { outbox, history, settings, connection, timing } = options
  const ownJobs = createOwnJobs(history.unfinished().map((job) => job.jobId))

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
    return options.isDiskFull() ? 'diskFull' : null
  }

  /** May be told twice of the same acceptance, after a crash: everything here can be. */
  function accepted(submission: StoredSubmission, acceptance: Acceptance): void {
    const { id, plan, createdAt } = submission
    if (acceptance.remote === true && plan.output.kind === 'folder') {
      options.expectResults(id, plan.output.path)
    }
    recordSubmission(history, submission)
    history.recordAccepted(id, acceptance)
    ownJobs.add(acceptance.jobId)
    const { jobId, skipped, acceptedAt } = acceptance
    options.follow({ title: titleOf(id, plan, createdAt), jobId, skipped, acceptedAt })
    options.onAccepted()
  }

  return createSender({
    outbox,
    service,
    blocked,
    ownJobIds() {
      for (const { jobId } of history.unfinished()) ownJobs.add(jobId)
      return ownJobs.ids()
    },
    sizeOf: async (path) => (await stat(path).catch(() => null))?.size ?? null,
    timing,
    onAccepted: accepted,
    onTrouble: (error) => connection.noteError(error),
    onChange: options.onChange,
    log: options.log,
  })
}
