/**
 * Everything that can go wrong between this app and a Local Media Job service, as plain data: it can be stored, sent to
 * another process and switched over without a default.
 *
 * The line that matters most runs between `notReachable` (the service has certainly not seen the request) and
 * `noAnswer` (it may have): after a lost answer to `POST /jobs` the job list is read before anything is sent again
 * (section 7).
 */
import type { FileError } from './api/resources.ts'

type Because = {
  /** For a person: the service's own words where it sent some, otherwise ours. Never holds the key. */
  readonly message: string
}

export type ServiceError = Because &
  (
    | {
        readonly kind: 'notReachable'
        /** Such as ECONNREFUSED, ENOTFOUND, or `timeout` while connecting. */
        readonly reason: string
      }
    | {
        /** Some of it was sent; whether the service acted on it is unknown. */
        readonly kind: 'noAnswer'
        /** `timeout`, or the code of a broken connection. */
        readonly reason: string
      }
    | {
        readonly kind: 'unauthorized'
        /** With `noKey` and `unusableKey` nothing was sent. */
        readonly reason: 'rejected' | 'noKey' | 'unusableKey'
      }
    | { readonly kind: 'notFound' }
    | {
        /** The job is in the wrong state for this: not in progress (cancel) or not completed (download). */
        readonly kind: 'conflict'
      }
    | {
        /** The input is wrong. Without a status it was refused here, before anything was sent. */
        readonly kind: 'refused'
        readonly status?: number
        readonly skipped: readonly FileError[]
      }
    | { readonly kind: 'driveNotReady' }
    | { readonly kind: 'queueFull' }
    | { readonly kind: 'serverError'; readonly status: number }
    | {
        /** The answer is not what the API promises. */
        readonly kind: 'badResponse'
        /** Such as `GET /jobs/{jobId}`. */
        readonly route: string
        /** Such as `jobs.3.status`; `body` where it is not JSON or too long, `status` for a status the API doesn't have. */
        readonly field: string
      }
    | {
        readonly kind: 'aborted'
        /** Whether the service may have received it all the same. */
        readonly maybeReceived: boolean
      }
    | {
        /** A file on this computer could not be read or written. */
        readonly kind: 'localFile'
        readonly path: string
        /** The system's code, such as ENOENT, EEXIST or ENOSPC; `changed` where a file changed while it was read. */
        readonly code: string
      }
  )

export type ServiceErrorKind = ServiceError['kind']

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ServiceError }

export const succeeded = <T>(value: T): Result<T> => ({ ok: true, value })
export const failed = (error: ServiceError): { readonly ok: false; readonly error: ServiceError } => ({
  ok: false,
  error,
})
