import type { FileError } from '../../shared/api/resources.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import type { Failure } from '../../shared/failure/failure.ts'

/** The statuses for refusing a well-formed request (section 7). */
export type HttpErrorStatus = 400 | 404 | 412 | 429 | 500

/** A request that was refused for a reason that its sender can read and act on. The request changed nothing. */
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
