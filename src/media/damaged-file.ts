import { FailureError } from '../shared/failure/failure-error.ts'
import { failure, reason, type PlainReasonCode } from '../shared/failure/failure.ts'

export const damagedFile = (flaw: PlainReasonCode): FailureError =>
  new FailureError(failure('fileDamaged', { reason: reason(flaw) }))
