import { describe, expect, it } from 'vitest'
import { createGuard } from '../../../src/service/http/guard.ts'

const KEY = 'the-key'
const guard = createGuard(KEY)

describe('the key', () => {
  it.each([`Bearer ${KEY}`, `bearer   ${KEY}  `, `BEARER ${KEY}`])('is taken from %j', (authorization) => {
    expect(guard.checkKey({ authorization })).toBeUndefined()
  })

  it.each([
    undefined,
    '',
    KEY,
    'Bearer',
    'Bearer ',
    `Bearer ${KEY}x`,
    `Bearer x${KEY}`,
    `Basic ${KEY}`,
    `Bearer ${KEY} ${KEY}`,
    `xBearer ${KEY}`,
  ])('is missing or wrong in %j', (authorization) => {
    expect(guard.checkKey(authorization === undefined ? {} : { authorization })).toEqual({
      status: 401,
      message: 'The API key is missing or not valid',
    })
  })

  it('that is empty opens nothing', () => {
    expect(createGuard('').checkKey({ authorization: 'Bearer ' })?.status).toBe(401)
    expect(createGuard('').checkKey({})?.status).toBe(401)
  })
})

const check = (headers: Parameters<typeof guard.checkOrigin>[0], port = 3847) =>
  guard.checkOrigin(headers, port)

describe('where a request comes from', () => {
  const NAMED = { status: 403, message: 'This service answers only under the name of this computer itself' }
  const WEB = { status: 403, message: 'Web pages may not use this service' }

  it.each(['127.0.0.1:3847', 'localhost:3847', 'LocalHost:3847', '[::1]:3847'])('may call us %s', (host) => {
    expect(check({ host })).toBeUndefined()
  })

  it.each([
    undefined,
    '',
    'localhost',
    '127.0.0.1',
    'evil.example:3847',
    '127.0.0.1:3848',
    '127.0.0.1.evil:3847',
  ])('may not call us %j', (host) => {
    expect(check(host === undefined ? {} : { host })).toEqual(NAMED)
  })

  it('may leave out the port that the protocol has, and follows the port of the connection', () => {
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

  it('may not be another site, whatever it says of its origin', () => {
    expect(check({ host, 'sec-fetch-site': 'cross-site' })).toEqual(WEB)
    expect(check({ host, 'sec-fetch-site': 'same-site' })).toEqual(WEB)
    expect(check({ host, 'sec-fetch-site': 'same-origin' })).toBeUndefined()
    expect(check({ host, 'sec-fetch-site': 'none' })).toBeUndefined()
  })
})
