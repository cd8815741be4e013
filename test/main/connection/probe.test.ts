import { describe, expect, it } from 'vitest'
import { offline, probe, stateFor } from '../../../src/main/connection/probe.ts'
import { failed, type ServiceError } from '../../../src/shared/service-error.ts'
import { scriptApi } from './scripted-api.ts'

const message = 'in its own words'

describe('a health check that failed', () => {
  it.each<readonly [string, string, ServiceError]>([
    ['nothing listens', 'refused', { kind: 'notReachable', reason: 'ECONNREFUSED', message }],
    ['the name is unknown', 'refused', { kind: 'notReachable', reason: 'ENOTFOUND', message }],
    ['the computer does not connect', 'silent', { kind: 'notReachable', reason: 'timeout', message }],
    ['no response arrived', 'silent', { kind: 'noAnswer', reason: 'timeout', message }],
    ['the connection broke', 'silent', { kind: 'noAnswer', reason: 'ECONNRESET', message }],
    ['it was aborted', 'silent', { kind: 'aborted', maybeReceived: true, message }],
    ['the service has an internal error', 'silent', { kind: 'serverError', status: 503, message }],
    [
      'the response is not the API’s',
      'notTheService',
      { kind: 'badResponse', route: 'GET /health', field: 'body', message },
    ],
    ['the address has no health route', 'notTheService', { kind: 'notFound', message }],
    [
      'a key is required, which health does not need',
      'notTheService',
      { kind: 'unauthorized', reason: 'rejected', message },
    ],
    ['the request is refused', 'notTheService', { kind: 'refused', status: 400, skipped: [], message }],
  ])('because %s reports that the service is offline: %s', (_, reason, error) => {
    expect(offline(error)).toEqual({ status: 'offline', reason, detail: message })
  })
})

it('strict settings accept the known version, and no version but those that the user accepted', () => {
  const online = { status: 'online', version: '1.0.81' }
  expect(stateFor('1.0.81', { strict: true, accepted: [] })).toEqual(online)
  const other = { status: 'wrongVersion', version: '1.0.90' }
  expect(stateFor('1.0.90', { strict: true, accepted: ['1.0.91'] })).toEqual(other)
})

describe('probing a service', () => {
  const lenient = { strict: false, accepted: [] }
  const { signal } = new AbortController()
  const broken: ServiceError = { kind: 'noAnswer', reason: 'ECONNRESET', message }

  it('retries if a reused connection broke, but not after a timeout', async () => {
    const again = scriptApi({ health: [failed(broken)] })
    expect((await probe(again.api, lenient, signal)).state.status).toBe('online')
    expect(again.asked).toEqual(['health', 'health', 'presets'])
    const silent = scriptApi({ health: [failed({ ...broken, reason: 'timeout' })] })
    expect((await probe(silent.api, lenient, signal)).state).toMatchObject({ reason: 'silent' })
    expect(silent.asked).toEqual(['health'])
    const refused = scriptApi({ health: [failed({ kind: 'notReachable', reason: 'ECONNREFUSED', message })] })
    expect((await probe(refused.api, lenient, signal)).state).toMatchObject({ reason: 'refused' })
    expect(refused.asked).toEqual(['health'])
  })

  it.each<readonly [ServiceError, object]>([
    [{ kind: 'unauthorized', reason: 'rejected', message }, { status: 'keyRefused' }],
    [
      { kind: 'notReachable', reason: 'ECONNREFUSED', message },
      { status: 'offline', reason: 'refused' },
    ],
    [broken, { status: 'offline', reason: 'silent' }],
    [
      { kind: 'aborted', maybeReceived: true, message },
      { status: 'offline', reason: 'silent' },
    ],
    [
      { kind: 'serverError', status: 500, message },
      { status: 'online', version: '1.0.81' },
    ],
    [{ kind: 'badResponse', route: 'GET /presets', field: 'image', message }, { status: 'online' }],
  ])('presets that fail with $kind make it %o', async (error, state) => {
    const { api } = scriptApi({ presets: [failed(error)] })
    const probed = await probe(api, lenient, signal)
    expect(probed.state).toMatchObject(state)
    expect(probed.presets).toBeNull()
  })
})
