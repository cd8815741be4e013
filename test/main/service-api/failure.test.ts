import { describe, expect, it } from 'vitest'
import { brokenExchange, refusal } from '../../../src/main/service-api/failure.ts'

/** What has brought the exchange to its end from this side, if anything has. */
const endedBy = (how?: 'timeout' | 'aborted') => ({
  signal: new AbortController().signal,
  ended: () => how,
  touch() {},
  release() {},
})
const running = endedBy()
const withCode = (code: string) => Object.assign(new Error('in the words of the system'), { code })

describe('an exchange that broke', () => {
  it.each([
    ['ECONNREFUSED', 'nothing is listening at that address'],
    ['ENOTFOUND', 'there is no computer of that name'],
    ['EAI_AGAIN', 'the name of the computer could not be looked up'],
    ['EHOSTUNREACH', 'there is no way to that computer'],
    ['ENETUNREACH', 'there is no network'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connecting took too long'],
    ['ECONNRESET', 'the connection was broken off'],
    ['EPIPE', 'the connection was broken off'],
    ['UND_ERR_SOCKET', 'the connection was closed'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the answer was cut short'],
    ['UND_ERR_CLOSED', 'this connection has been closed here'],
    ['UND_ERR_DESTROYED', 'this connection has been closed here'],
    ['ESOMETHINGNEW', 'ESOMETHINGNEW'],
  ])('by %s says in words that %s', (code, words) => {
    expect(brokenExchange({ sent: false, cause: withCode(code) }, running)).toEqual({
      kind: 'notReachable',
      reason: code,
      message: `The service can’t be reached: ${words}.`,
    })
    expect(brokenExchange({ sent: true, cause: withCode(code) }, running)).toEqual({
      kind: 'noAnswer',
      reason: code,
      message: `The service did not answer: ${words}. It may have received the request.`,
    })
  })

  it('gives the reason of the first address where several were tried, and a name where there is no code', () => {
    const several = new AggregateError([withCode('ECONNREFUSED'), withCode('EHOSTUNREACH')])
    expect(brokenExchange({ sent: false, cause: several }, running)).toMatchObject({ reason: 'ECONNREFUSED' })
    const own = Object.assign(new AggregateError([withCode('EPIPE')]), { code: 'ENOTFOUND' })
    expect(brokenExchange({ sent: false, cause: own }, running)).toMatchObject({ reason: 'ENOTFOUND' })
    expect(brokenExchange({ sent: false, cause: new TypeError('x') }, running)).toMatchObject({
      reason: 'TypeError',
    })
    expect(brokenExchange({ sent: false, cause: 'x' }, running)).toMatchObject({ reason: 'unknown' })
  })

  it('is told from one whose time was up, and from one that was given up', () => {
    expect(brokenExchange({ sent: true, cause: withCode('EPIPE') }, endedBy('timeout'))).toMatchObject({
      kind: 'noAnswer',
      reason: 'timeout',
      message: 'The service did not answer: it took too long. It may have received the request.',
    })
    expect(brokenExchange({ sent: true, cause: withCode('EPIPE') }, endedBy('aborted'))).toEqual({
      kind: 'aborted',
      maybeReceived: true,
      message: 'Stopped.',
    })
  })
})

describe('an answer that says no', () => {
  it.each([
    ['DELETE /jobs/{jobId}', 400, 'conflict'],
    ['GET /download/{jobId}', 400, 'conflict'],
    ['POST /jobs', 409, 'conflict'],
    ['POST /jobs', 400, 'refused'],
    ['GET /jobs', 399, 'badResponse'],
    ['GET /jobs', 499, 'refused'],
    ['GET /jobs', 500, 'serverError'],
  ] as const)('%s with %i means %s', (route, status, kind) => {
    expect(refusal(route, status, '').kind).toBe(kind)
  })

  it.each([401, 404, 409, 412, 418, 429, 500])('%i is said in our words where it has none', (status) => {
    for (const body of ['', '{}', '{"error":""}', 'no JSON'])
      expect(refusal('POST /jobs', status, body).message).toMatch(/^[A-Z].*[.]$/)
    expect(refusal('POST /jobs', status, '{"error":"theirs"}').message).toBe('theirs')
  })
})
