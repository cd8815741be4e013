import { inEnglish } from '../i18n/in-english.ts'
import type { Failure } from './failure.ts'

/** An error with a failure that users can read. Its message is the English text. */
export class FailureError extends Error {
  override readonly name: string = 'FailureError'
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(inEnglish(failure), options)
    this.failure = failure
  }
}
