import { failed, type FailureError } from '../shared/failure/failure-error.ts'
import { reason, type PlainReasonCode } from '../shared/failure/failure.ts'

export const damagedFile = (flaw: PlainReasonCode): FailureError =>
  failed('fileDamaged', { reason: reason(flaw) })
