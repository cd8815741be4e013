import { describe, expect, it } from 'vitest'
import { brokenExchange, refusal } from '../../../src/main/service-api/failure.ts'

/** A deadline that ended the exchange for this reason, or one that is still running. */
const endedBy = (how?: 'timeout' | 'aborted') => ({
  signal: new AbortController().signal,
  ended: () => how,
  touch() {},
  limitRest() {},
  release() {},
})
const running = endedBy()
const withCode = (code: string) => Object.assign(new Error('system error message'), { code })

describe('a broken exchange', () => {
  it.each([
    ['ECONNREFUSED', 'nothing is listening at that address'],
    ['ENOTFOUND', 'there is no computer with that name'],
    ['EAI_AGAIN', 'couldn’t resolve the host name'],
    ['EHOSTUNREACH', 'that computer is unreachable'],
    ['ENETUNREACH', 'the network is unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connecting took too long'],
    ['ECONNRESET', 'the connection was interrupted'],
    ['EPIPE', 'the connection was interrupted'],
    ['UND_ERR_SOCKET', 'the connection was closed'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the response was incomplete'],
    ['UND_ERR_CLOSED', 'Mediatray closed the connection'],
    ['UND_ERR_DESTROYED', 'Mediatray closed the connection'],
    ['ESOMETHINGNEW', 'the system reported ESOMETHINGNEW'],
  ])('by %s is described as %s', (code, words) => {
    expect(brokenExchange({ sent: false, cause: withCode(code) }, running)).toMatchObject({
      kind: 'notReachable',
      reason: code,
      message: `Couldn’t reach the service: ${words}.`,
    })
    expect(brokenExchange({ sent: true, cause: withCode(code) }, running)).toMatchObject({
      kind: 'noAnswer',
      reason: code,
      message: `The service didn’t respond: ${words}. It may have received the request.`,
    })
  })

  it('reports the first address’s error if several were tried, and the error’s name if it has no code', () => {
    const several = new AggregateError([withCode('ECONNREFUSED'), withCode('EHOSTUNREACH')])
    expect(brokenExchange({ sent: false, cause: several }, running)).toMatchObject({ reason: 'ECONNREFUSED' })
    const own = Object.assign(new AggregateError([withCode('EPIPE')]), { code: 'ENOTFOUND' })
    expect(brokenExchange({ sent: false, cause: own }, running)).toMatchObject({ reason: 'ENOTFOUND' })
    expect(brokenExchange({ sent: false, cause: new TypeError('x') }, running)).toMatchObject({
      reason: 'TypeError',
    })
    expect(brokenExchange({ sent: false, cause: 'x' }, running)).toMatchObject({ reason: 'unknown' })
  })

  it('is distinguished from a timeout and from an abort', () => {
    expect(brokenExchange({ sent: true, cause: withCode('EPIPE') }, endedBy('timeout'))).toMatchObject({
      kind: 'noAnswer',
      reason: 'timeout',
      message: 'The service didn’t respond: it took too long. It may have received the request.',
    })
    expect(brokenExchange({ sent: true, cause: withCode('EPIPE') }, endedBy('aborted'))).toEqual({
      kind: 'aborted',
      maybeReceived: true,
      failure: { code: 'stopped', values: {} },
      message: 'Stopped.',
    })
  })
})

describe('an error response', () => {
  it.each([
    ['POST /jobs', 409, 'conflict'],
    ['GET /jobs', 399, 'badResponse'],
    ['GET /jobs', 499, 'refused'],
  ] as const)('%s with %i means %s', (route, status, kind) => {
    expect(refusal(route, status, undefined).kind).toBe(kind)
  })

  it.each([401, 404, 409, 412, 418, 429, 500])('%i without a message has a default one', (status) => {
    for (const body of [undefined, null, 'words', {}, { error: '' }])
      expect(refusal('POST /jobs', status, body).message).toMatch(/^[A-Z\d].*[.]$/)
    expect(refusal('POST /jobs', status, { error: 'theirs' }).message).toBe('theirs')
  })
})
