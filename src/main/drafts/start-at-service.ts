import { type ConnectionView, serviceIdOf } from '../../shared/model/connection.ts'
import type { Confirmation, Draft, StartResult } from '../../shared/model/draft.ts'
import type { KeptEstimate } from '../../shared/model/estimate.ts'
import type { Connection } from '../connection/index.ts'

export type StartOptions = {
  /** Whether photos and videos become separate submissions. */
  readonly split: boolean
  /** How long the submission can be undone, in ms. */
  readonly grace: number
  /** Idempotency key. A second call with the same key doesn't start anything. */
  readonly key?: string
  /** Identifies the only service that may receive the draft; absent if any connected service may. */
  readonly target?: string
  /** Whether to upload the files and download the results even if the service seems to have access to the files. */
  readonly upload?: boolean
  readonly by?: 'assistant'
  /** Questions that the user has answered with yes. */
  readonly confirmed?: readonly Confirmation[] | undefined
  /** Returns the estimate shown for the part of the draft that becomes one submission. */
  readonly estimateOf?: ((part: Draft) => KeptEstimate | undefined) | undefined
}

type Start = (draft: Draft, options: StartOptions) => Promise<StartResult>

export type DraftServices = {
  readonly connection: Connection
  /** Returns the drafts of another service; undefined if that service isn't in use, or for this line's service. */
  readonly draftsOf: (service: string) => { readonly startDraft: Start } | undefined
  /** Returns the service that a new draft is for; undefined for the one that the settings name. */
  readonly newJobService: () => string | undefined
  readonly serviceOf: (draft: Pick<Draft, 'service'>) => ConnectionView
}

/** Creates a function that starts a draft at its service. A draft whose service is no longer in use goes to the main one. */
export const startAtService =
  ({ connection, draftsOf }: DraftServices, startHere: Start): Start =>
  (draft, how) => {
    const { service } = draft
    if (service === undefined || how.target !== undefined) return startHere(draft, how)
    const other = draftsOf(service)
    if (other !== undefined) return other.startDraft(draft, { ...how, target: service })
    const isOwn = service === serviceIdOf(connection.view())
    return startHere(draft, isOwn ? { ...how, target: service } : how)
  }
