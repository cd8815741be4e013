import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError, DriveStatus } from '../../src/shared/api/resources.ts'
import { authorized, bodyOf, rawRequest, statusOf } from './raw-request.ts'
import { API_KEY, errorOf, type RunningService, startService } from './running-service.ts'

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

describe('section 4: drive status', () => {
  it('the drive status reports that nothing is configured', async () => {
    const response = await service.call('/drive/status')
    expect(DriveStatus.parse(await response.json())).toEqual({
      clientConfigured: false,
      connected: false,
      email: null,
      scope: null,
    })
  })
})

describe('section 5: authentication', () => {
  it.each([
    ['GET', '/no-such-route'],
    ['PUT', '/health'],
  ])('even an unsupported route requires the key: %s %s', async (method, path) => {
    const response = await fetch(`${service.baseUrl}${path}`, { method })
    expect(await errorOf(response)).toMatchObject({ status: 401 })
  })

  it.each([
    ['no scheme', API_KEY],
    ['a prefix of the key', `Bearer ${API_KEY.slice(0, -1)}`],
    ['the key with a suffix', `Bearer ${API_KEY}x`],
  ])('an invalid key gives 401: %s', async (_what, authorization) => {
    const response = await service.call('/jobs', { headers: { authorization } })
    expect(await errorOf(response)).toMatchObject({ status: 401 })
  })

  it('a key in the query string is not accepted', async () => {
    const response = await fetch(`${service.baseUrl}/jobs?key=${API_KEY}&api_key=${API_KEY}`)
    expect(response.status).toBe(401)
  })

  it('the key is checked before the body is read', async () => {
    const response = await fetch(`${service.baseUrl}/jobs`, { method: 'POST', body: 'not json' })
    expect(response.status).toBe(401)
  })

  it('the client of a large upload with a wrong key can read the 401', async () => {
    const response = await fetch(`${service.baseUrl}/upload`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer wrong',
        'x-filename': 'a.jpg',
        'content-type': 'application/octet-stream',
      },
      body: new Uint8Array(20_000_000),
    })
    expect(await errorOf(response)).toMatchObject({ status: 401 })
  })
})

/** Builds a request for `/health` with additional header lines. */
const health = (headers: string) => `GET /api/health HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`

describe('section 1: a service for this computer only', () => {
  it.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])('accepts the host name %s', async (name) => {
    const answer = await rawRequest(service.port, health(`Host: ${name}:${service.port}\r\n`))
    expect(statusOf(answer)).toBe(200)
  })

  it.each([
    ['another name', 'Host: evil.example:PORT\r\n'],
    ['another port', 'Host: 127.0.0.1:1\r\n'],
    ['no port', 'Host: localhost\r\n'],
    ['a name that only starts like ours', 'Host: localhost.evil.example:PORT\r\n'],
    ['no name', ''],
  ])('refuses a Host of %s', async (_what, header) => {
    const answer = await rawRequest(service.port, health(header.replace('PORT', String(service.port))))
    expect(statusOf(answer)).toBe(403)
    expect(ApiError.safeParse(JSON.parse(bodyOf(answer))).success).toBe(true)
  })

  it.each([
    ['another site', 'Origin: https://evil.example'],
    ['a page without origin', 'Origin: null'],
    ['another port of this computer', 'Origin: http://localhost:3000'],
    ['a request that the browser marks as cross-site', 'Sec-Fetch-Site: cross-site'],
  ])('refuses %s, even with the key', async (_what, header) => {
    const request = authorized(service.port, 'GET /api/jobs')
    const answer = await rawRequest(service.port, `${request}${header}\r\nConnection: close\r\n\r\n`)
    expect(statusOf(answer)).toBe(403)
  })

  it('doesn’t permit web pages to read its responses', async () => {
    const response = await service.call('/jobs', { method: 'OPTIONS' })
    expect(response.status).toBe(404)
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('section 7: every error has the Error body', () => {
  it.each([
    ['PATCH', '/jobs'],
    ['HEAD', '/health'],
    ['POST', '/health'],
    ['GET', '/upload'],
    ['GET', '/jobs/'],
    ['GET', '/jobs/%ff'],
    ['GET', `/jobs/${'x'.repeat(5_000)}`],
  ])('an unsupported route gives 404: %s %s', async (method, path) => {
    const response = await service.call(path, { method })
    expect(response.status).toBe(404)
    if (method !== 'HEAD') await errorOf(response)
  })

  it('malformed HTTP receives an Error body too', async () => {
    const answer = await rawRequest(service.port, 'HELLO\r\n\r\n')
    expect(statusOf(answer)).toBe(400)
    expect(ApiError.safeParse(JSON.parse(bodyOf(answer))).success).toBe(true)
  })

  it('headers that are too large receive an Error body', async () => {
    const answer = await rawRequest(
      service.port,
      `GET /api/health HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
    )
    expect(statusOf(answer)).toBe(431)
    expect(ApiError.safeParse(JSON.parse(bodyOf(answer))).success).toBe(true)
  })
})
