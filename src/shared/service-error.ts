/**
 * Everything that can go wrong between the app and a Local Media Job service. Errors are plain data that can be stored, sent to
 * another process, and switched over exhaustively. The most important distinction is between `notReachable` (the service has
 * certainly not received the request) and `noAnswer` (it may have). If the response to `POST /jobs` is lost, the app reads the job
 * list before it sends anything again (section 7).
 */
import type { FileError } from './api/resources.ts'
import type { Failure } from './failure/failure.ts'
import { inEnglish } from './i18n/in-english.ts'

type Because = {
  /** The service's own text, or the app's text in English. Never contains the key. */
  readonly message: string
  /** Missing if `message` is the text of a service other than the built-in one. */
  readonly failure?: Failure | undefined
}

export const because = (failure: Failure): Because => ({ message: inEnglish(failure), failure })

export type ServiceError = Because &
  (
    | {
        readonly kind: 'notReachable'
        /** The error code, such as ECONNREFUSED or ENOTFOUND, or `timeout` while connecting. */
        readonly reason: string
      }
    | {
        /** Part of the request was sent. The service may or may not have acted on it. */
        readonly kind: 'noAnswer'
        /** `timeout`, or the code of the connection error. */
        readonly reason: string
      }
    | {
        readonly kind: 'unauthorized'
        /** With `noKey` and `unusableKey`, nothing was sent. */
        readonly reason: 'rejected' | 'noKey' | 'unusableKey'
      }
    | { readonly kind: 'notFound' }
    | {
        /** The job's state doesn't allow this: not in progress (cancel) or not completed (download). */
        readonly kind: 'conflict'
      }
    | {
        /** The request was refused, usually because of invalid input. Without a status, the app refused it before sending anything. */
        readonly kind: 'refused'
        readonly status?: number
        readonly skipped: readonly FileError[]
      }
    | { readonly kind: 'driveNotReady' }
    | { readonly kind: 'queueFull' }
    | { readonly kind: 'serverError'; readonly status: number }
    | {
        /** The response violates the API. */
        readonly kind: 'badResponse'
        /** The request, such as `GET /jobs/{jobId}`. */
        readonly route: string
        /**
         * The invalid field, such as `jobs.3.status`; `body` if the response isn't JSON or is too long; `status` for an HTTP status
         * that the API doesn't define.
         */
        readonly field: string
      }
    | {
        readonly kind: 'aborted'
        /** Whether the service may still have received the request. */
        readonly maybeReceived: boolean
      }
    | {
        /** A local file couldn't be read or written. */
        readonly kind: 'localFile'
        readonly path: string
        /** The system's error code, such as ENOENT, EEXIST or ENOSPC; `changed` if the file changed while it was being read. */
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
