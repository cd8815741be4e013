import type { ServiceError } from '../../shared/service-error.ts'
import type { Uncertainty, Refusal } from './submission-state.ts'

/** What a failed `POST /jobs` means for the submission (rule 1; section 7). */
export type Verdict =
  /** Not created; it waits and goes on by itself. */
  | { readonly kind: 'wait'; readonly because: 'offline' | 'queueFull' | 'keyRefused' | 'interrupted' }
  /** Not created, and it will not be. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It may have been created. */
  | { readonly kind: 'unknown'; readonly uncertainty: Uncertainty }

export function verdictOf(error: ServiceError): Verdict {
  const { message } = error
  switch (error.kind) {
    case 'notReachable':
      return { kind: 'wait', because: 'offline' }
    case 'queueFull':
      return { kind: 'wait', because: 'queueFull' }
    case 'unauthorized':
      return { kind: 'wait', because: 'keyRefused' }
    case 'noAnswer':
      return {
        kind: 'unknown',
        uncertainty: { cause: error.reason === 'timeout' ? 'timeout' : 'broken', message },
      }
    case 'serverError':
      return { kind: 'unknown', uncertainty: { cause: 'serverError', message } }
    case 'badResponse':
      return { kind: 'unknown', uncertainty: { cause: 'badResponse', message } }
    case 'aborted':
      return error.maybeReceived
        ? { kind: 'unknown', uncertainty: { cause: 'broken', message } }
        : { kind: 'wait', because: 'interrupted' }
    case 'driveNotReady':
      return { kind: 'refused', refusal: { message, why: 'drive', skipped: [] } }
    case 'refused':
      return {
        kind: 'refused',
        refusal: { message, why: error.status === 413 ? 'tooLarge' : 'invalid', skipped: [...error.skipped] },
      }
    case 'localFile':
      return { kind: 'refused', refusal: { message, why: 'inputsGone', skipped: [] } }
    case 'notFound':
    case 'conflict':
      break
  }
  // Section 7 has neither for this route; whatever answered like that created nothing.
  return { kind: 'refused', refusal: { message, why: 'invalid', skipped: [] } }
}
