import { inEnglish } from '../i18n/in-english.ts'
import { type Arguments, type Failure, failure, type FailureCode, type Failures } from './failure.ts'

/** An error with a failure that users can read. Its message is the English text. */
export class FailureError extends Error {
  override readonly name: string = 'FailureError'
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(inEnglish(failure), options)
    this.failure = failure
  }
}

/** Creates an error: `failed('fileEmpty')`. */
export const failed = <Code extends FailureCode>(
  code: Code,
  ...values: Arguments<Failures[Code]['values']>
): FailureError => new FailureError(failure(code, ...values))
