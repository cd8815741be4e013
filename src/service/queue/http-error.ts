import type { FileError } from '../../shared/api/resources.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import type { Failure } from '../../shared/failure/failure.ts'

/** The statuses for refusing a well-formed request (section 7). */
export type HttpErrorStatus = 400 | 404 | 412 | 429 | 500

/**
 * Thrown to refuse a request for a reason that its sender can read and act on. The request changed nothing, except that it may have created
 * its output folder.
 */
export class HttpError extends FailureError {
  override readonly name = 'HttpError'
  readonly status: HttpErrorStatus
  readonly skipped: readonly FileError[] | undefined

  constructor(status: HttpErrorStatus, failure: Failure, skipped?: readonly FileError[]) {
    super(failure)
    this.status = status
    this.skipped = skipped
  }
}
