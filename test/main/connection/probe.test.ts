import { describe, expect, it } from 'vitest'
import { offline, stateFor } from '../../../src/main/connection/probe.ts'
import type { ServiceError } from '../../../src/shared/service-error.ts'

const message = 'in its own words'

describe('a health check that failed', () => {
  it.each<readonly [string, ServiceError]>([
    ['nothing listens', { kind: 'notReachable', reason: 'ECONNREFUSED', message }],
    ['the name is not known', { kind: 'notReachable', reason: 'ENOTFOUND', message }],
  ])('because %s says that the address refused', (_, error) => {
    expect(offline(error)).toEqual({ status: 'offline', reason: 'refused', detail: message })
  })

  it.each<readonly [string, ServiceError]>([
    ['the computer there does not connect', { kind: 'notReachable', reason: 'timeout', message }],
    ['no answer came', { kind: 'noAnswer', reason: 'timeout', message }],
    ['the connection broke', { kind: 'noAnswer', reason: 'ECONNRESET', message }],
    ['it was given up', { kind: 'aborted', maybeReceived: true, message }],
    ['the service has trouble of its own', { kind: 'serverError', status: 503, message }],
  ])('because %s says that the service is silent', (_, error) => {
    expect(offline(error)).toEqual({ status: 'offline', reason: 'silent', detail: message })
  })

  it.each<readonly [string, ServiceError]>([
    ['the answer is not the API’s', { kind: 'badResponse', route: 'GET /health', field: 'body', message }],
    ['the address has no health', { kind: 'notFound', message }],
    ['a key is asked for that health does not need', { kind: 'unauthorized', reason: 'rejected', message }],
    ['the question is refused', { kind: 'refused', status: 400, skipped: [], message }],
  ])('because %s says that this is not the service', (_, error) => {
    expect(offline(error)).toEqual({ status: 'offline', reason: 'notTheService', detail: message })
  })
})

describe('another version of the service', () => {
  it('is online unless the settings are strict and nobody said that it is fine', () => {
    const online = { status: 'online', version: '1.0.90' }
    expect(stateFor('1.0.90', { strict: false, accepted: [] })).toEqual(online)
    expect(stateFor('1.0.90', { strict: true, accepted: ['1.0.90'] })).toEqual(online)
    expect(stateFor('1.0.90', { strict: true, accepted: ['1.0.91'] })).toEqual({
      status: 'wrongVersion',
      version: '1.0.90',
    })
    expect(stateFor('1.0.81', { strict: true, accepted: [] })).toEqual({
      status: 'online',
      version: '1.0.81',
    })
  })
})
