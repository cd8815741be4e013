import { describe, expect, it } from 'vitest'
import { createGuard } from '../../../src/service/http/guard.ts'

const KEY = 'the-key'
const guard = createGuard(KEY)

describe('the key', () => {
  it.each([`Bearer ${KEY}`, `bearer   ${KEY}  `, `BEARER ${KEY}`])('is read from %j', (authorization) => {
    expect(guard.checkKey({ authorization })).toBeUndefined()
  })

  it.each([
    undefined,
    '',
    KEY,
    'Bearer',
    'Bearer ',
    `Bearer ${KEY}x`,
    `Bearer ${KEY.slice(0, -1)}`,
    `Bearer x${KEY}`,
    `Basic ${KEY}`,
    `Bearer ${KEY} ${KEY}`,
    `xBearer ${KEY}`,
  ])('is missing or wrong in %j', (authorization) => {
    expect(guard.checkKey(authorization === undefined ? {} : { authorization })).toEqual({
      status: 401,
      code: 'keyInvalid',
    })
  })

  it('never matches if it is empty', () => {
    expect(createGuard('').checkKey({ authorization: 'Bearer ' })?.status).toBe(401)
    expect(createGuard('').checkKey({})?.status).toBe(401)
  })
})

const check = (headers: Parameters<typeof guard.checkOrigin>[0], port = 3847) =>
  guard.checkOrigin(headers, port)

describe('the origin of a request', () => {
  const NAMED = { status: 403, code: 'hostForeign' }
  const WEB = { status: 403, code: 'pageForeign' }

  it.each(['127.0.0.1:3847', 'localhost:3847', 'LocalHost:3847', '[::1]:3847'])(
    'may use the Host %s',
    (host) => {
      expect(check({ host })).toBeUndefined()
    },
  )

  it.each([
    undefined,
    '',
    'localhost',
    '127.0.0.1',
    'evil.example:3847',
    '127.0.0.1:3848',
    '127.0.0.1.evil:3847',
    'localhost.evil.example:3847',
  ])('may not use the Host %j', (host) => {
    expect(check(host === undefined ? {} : { host })).toEqual(NAMED)
  })

  it('may omit the protocol’s default port, and otherwise must match the port of the connection', () => {
    const bare = { host: 'localhost' }
    expect(check(bare, 80)).toBeUndefined()
    expect(check({ host: 'localhost:80' }, 80)).toBeUndefined()
    expect(check(bare)).toEqual(NAMED)
    expect(check({ host: 'localhost:3847' })).toBeUndefined()
  })

  const host = 'localhost:3847'
  it.each(['http://localhost:3847', 'http://LOCALHOST:3847'])('may be our own origin %s', (origin) => {
    expect(check({ host, origin })).toBeUndefined()
  })

  it.each(['https://evil.example', 'null', 'https://localhost:3847', 'http://localhost:80', ''])(
    'may not be the page %j',
    (origin) => {
      expect(check({ host, origin })).toEqual(WEB)
    },
  )

  it('may not be another site, regardless of its Origin header', () => {
    expect(check({ host, 'sec-fetch-site': 'cross-site' })).toEqual(WEB)
    expect(check({ host, 'sec-fetch-site': 'same-site' })).toEqual(WEB)
    expect(check({ host, 'sec-fetch-site': 'same-origin' })).toBeUndefined()
    expect(check({ host, 'sec-fetch-site': 'none' })).toBeUndefined()
  })
})
