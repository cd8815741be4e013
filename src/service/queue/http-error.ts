import type { FileError } from '../../shared/api/resources.ts'

/** The statuses with which a well-formed request can be turned down (section 7). */
export type HttpErrorStatus = 400 | 404 | 412 | 429 | 500

/** A request that can't be carried out, for a reason that its sender can read and act on. Nothing was changed. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: HttpErrorStatus
  readonly skipped: readonly FileError[] | undefined

  constructor(status: HttpErrorStatus, message: string, skipped?: readonly FileError[]) {
    super(message)
    this.status = status
    this.skipped = skipped
  }
}
