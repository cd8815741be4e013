import { describe, expect, test } from 'vitest'
import { parseBaseUrl } from '../../../src/main/service-api/index.ts'

describe('a typed address', () => {
  test.each([
    ['http://127.0.0.1:3847/api', 'http://127.0.0.1:3847/api'],
    ['  http://127.0.0.1:3847/api/  ', 'http://127.0.0.1:3847/api'],
    ['http://localhost:80/', 'http://localhost'],
    ['https://media.example:8443/some/prefix//', 'https://media.example:8443/some/prefix'],
    ['HTTP://[::1]:5000/api', 'http://[::1]:5000/api'],
    ['http://127.9.8.7/api', 'http://127.9.8.7/api'],
  ])('%j is read as %s', (text, href) => {
    expect(parseBaseUrl(text)).toMatchObject({ ok: true, value: { href } })
  })

  test.each([
    ['', 'empty'],
    ['127.0.0.1:3847/api', 'http://'],
    ['ftp://127.0.0.1/api', 'http://'],
    ['http://', 'complete'],
    ['http://127.0.0.1:99999/', 'complete'],
    ['http://192.168.1.20:3847/api', 'https'],
    ['http://nas.local/api', 'https'],
    ['http://127.0.0.1.evil.example/api', 'https'],
    ['http://localhost.evil.example/api', 'https'],
    ['http://user:secret@127.0.0.1/api', 'user name'],
    ['http://127.0.0.1/api?key=secret', 'query'],
    ['http://127.0.0.1/api#there', 'fragment'],
  ])('%j is refused, and the reason mentions %j', (text, word) => {
    const parsed = parseBaseUrl(text)
    expect(parsed.ok).toBe(false)
    expect(parsed).toHaveProperty('why', expect.stringContaining(word))
    expect(JSON.stringify(parsed)).not.toContain('secret')
  })
})
