import { failed, succeeded, type Result } from '../../shared/service-error.ts'

/** What a header value may hold: printable ASCII, as one word. */
const SENDABLE_KEY = /^[\x21-\x7e]+$/

/** Section 5, rule 1. Fails, with nothing sent, where there is no key or it can't stand in a header. */
export function authorizationHeader(key: string | undefined): Result<{ authorization: string }> {
  if (key === undefined || key === '') {
    return failed({ kind: 'unauthorized', reason: 'noKey', message: 'No API key is set for this service.' })
  }
  if (!SENDABLE_KEY.test(key)) {
    return failed({
      kind: 'unauthorized',
      reason: 'unusableKey',
      message:
        'The API key contains spaces, line breaks or letters outside of ASCII, which no key can have. Copy it again from the service.',
    })
  }
  return succeeded({ authorization: `Bearer ${key}` })
}
