import { describe, expect, it } from 'vitest'
import { offline, probe, stateFor } from '../../../src/main/connection/probe.ts'
import { failed, succeeded, type ServiceError } from '../../../src/shared/service-error.ts'
import { scriptApi } from './scripted-api.ts'

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

describe('asking a service what it is', () => {
  const lenient = { strict: false, accepted: [] }
  const { signal } = new AbortController()
  const presets = { image: [], video: [] }
  const broken: ServiceError = { kind: 'noAnswer', reason: 'ECONNRESET', message }

  it('asks for its health first, and for its presets with the key', async () => {
    const { api, asked } = scriptApi({ presets: [succeeded(presets)] })
    expect(await probe(api, lenient, signal)).toEqual({
      state: { status: 'online', version: '1.0.81' },
      presets,
    })
    expect(asked).toEqual(['health', 'presets'])
  })

  it('shows the key to no service whose version is not wanted', async () => {
    const { api, asked } = scriptApi({ version: '2.0.0' })
    expect(await probe(api, { strict: true, accepted: [] }, signal)).toEqual({
      state: { status: 'wrongVersion', version: '2.0.0' },
      presets: null,
    })
    expect(asked).toEqual(['health'])
  })

  it('asks once more where a connection from before broke, and not where nothing came in time', async () => {
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
