import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import type { ServiceJob } from '../../shared/api/resources.ts'
import type { ConnectionKind } from '../../shared/model/connection.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { QuietWait } from '../../shared/model/quiet.ts'
import type { WaitingReason } from '../../shared/model/job.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { ServiceApi } from '../service-api/index.ts'
import type { Aliases } from '../aliases/index.ts'
import type { Outbox } from './outbox.ts'
import type { PlannedSubmission } from './planned-submission.ts'
import type { Acceptance } from './submission-state.ts'
import type { Addressee, Submission } from './submission-rows.ts'

/** The service that submissions are currently sent to. */
export type SendingService = {
  readonly api: Pick<ServiceApi, 'createJob' | 'jobs' | 'upload'>
  readonly kind: ConnectionKind
  readonly baseUrl: string
  readonly seesFiles: boolean
  /** Whether the service also accepts submissions without an addressee; true by default. */
  readonly takesUnaddressed?: boolean
}

/** Everything that sending needs from other modules. Each function of sending picks what it uses. */
export type SenderDeps = {
  readonly outbox: Outbox
  /** Undefined while no service is configured. */
  readonly service: () => SendingService | undefined
  /** Returns why the connection prevents sending now; null if it doesn't. */
  readonly blocked: () => WaitingReason | null
  /** Holds back all submissions except `exempt`. Unknown ones are still rechecked, because the service may forget them. */
  readonly quiet?: {
    /** Returns why submissions wait; null if they don't. */
    readonly wait: () => QuietWait | null
    readonly exempt: ReadonlySet<RecordId>
  }
  /** Whether a job belongs to another of our submissions. `perhaps` if one of ours has the job's ID but was never read. */
  readonly isOwnJob: (job: ServiceJob) => boolean | 'perhaps'
  /** Whether a submission has already become a job. */
  readonly wasSent?: (id: RecordId) => boolean
  /** Returns a file's size in bytes; null if the file doesn't exist. */
  readonly sizeOf: (path: string) => Promise<number | null>
  /**
   * Keeps the document of a submission's preset that the built-in service is about to use, because it may be edited or deleted while the
   * job runs. Returns its hash; undefined if there is no such preset.
   */
  readonly keepPreset?: ((plan: PlannedSubmission) => Promise<string | undefined>) | undefined
  readonly aliases: Aliases
  readonly timing: Timing
  /**
   * Must write the acceptance to the history before it returns, and to disk before it resolves. After a crash it may receive the
   * same acceptance again. If it throws or rejects, the submission stays in the outbox and is reported again later.
   */
  readonly onAccepted: (submission: Submission, acceptance: Acceptance) => Promise<void>
  /**
   * Reports to the connection that a service is unreachable or rejects the key.
   * @param from the client that received the error
   */
  readonly onTrouble: (error: ServiceError, from: SendingService['api']) => void
  /** Called when the entries have changed. */
  readonly onChange: () => void
  readonly log: Log
}

/** Returns why quiet mode holds back a submission; null if it doesn't. */
export function quietWaitOf({ quiet }: Pick<SenderDeps, 'quiet'>, id: RecordId): QuietWait | null {
  return quiet === undefined || quiet.exempt.has(id) ? null : quiet.wait()
}

/** Returns the service's identity, which is the same for the built-in service on any port. */
export const identityOf = ({ kind, baseUrl }: SendingService): string => (kind === 'builtIn' ? kind : baseUrl)

export const addresseeOf = (service: SendingService): Addressee => ({
  service: identityOf(service),
  unaddressed: service.takesUnaddressed !== false,
})

export const isSameService = (one: SendingService, other: SendingService | undefined): boolean =>
  other !== undefined && identityOf(one) === identityOf(other)
