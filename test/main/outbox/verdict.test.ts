import { describe, expect, it } from 'vitest'
import { retryDelay } from '../../../src/main/outbox/obstacle.ts'
import { verdictOf } from '../../../src/main/outbox/verdict.ts'
import type { ServiceError } from '../../../src/shared/service-error.ts'

const message = 'words'
const skipped = [{ file: 'a.txt', error: 'no photo' }]

describe('a submission that failed', () => {
  it.each<readonly [string, ServiceError]>([
    ['offline', { kind: 'notReachable', reason: 'ECONNREFUSED', message }],
    ['queueFull', { kind: 'queueFull', message }],
    ['keyRefused', { kind: 'unauthorized', reason: 'rejected', message }],
    ['interrupted', { kind: 'aborted', maybeReceived: false, message }],
  ])('before anything was created waits, because: %s', (because, error) => {
    expect(verdictOf(error)).toEqual({ kind: 'wait', because })
  })

  it.each<readonly [string, ServiceError]>([
    ['timeout', { kind: 'noAnswer', reason: 'timeout', message }],
    ['broken', { kind: 'noAnswer', reason: 'ECONNRESET', message }],
    ['broken', { kind: 'aborted', maybeReceived: true, message }],
    ['serverError', { kind: 'serverError', status: 500, message }],
    ['badResponse', { kind: 'badResponse', route: 'POST /jobs', field: 'jobId', message }],
  ])('so that it may have arrived is unknown: %s', (cause, error) => {
    expect(verdictOf(error)).toEqual({ kind: 'unknown', uncertainty: { cause, message } })
  })

  it.each<readonly [string, readonly unknown[], ServiceError]>([
    ['drive', [], { kind: 'driveNotReady', message }],
    ['tooLarge', skipped, { kind: 'refused', status: 413, skipped, message }],
    ['invalid', skipped, { kind: 'refused', status: 400, skipped, message }],
    ['inputsGone', [], { kind: 'localFile', path: '/in/a.jpg', code: 'ENOENT', message }],
    ['invalid', [], { kind: 'notFound', message }],
    ['invalid', [], { kind: 'conflict', message }],
  ])('for good is refused, and why is said: %s', (why, files, error) => {
    expect(verdictOf(error)).toEqual({ kind: 'refused', refusal: { message, why, skipped: files } })
  })
})

it('the wait between tries doubles up to a minute, with up to a quarter more by chance', () => {
  expect([0, 1, 2, 3, 4, 5, 1000].map((n) => retryDelay(n, 0))).toEqual([
    2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ])
  expect(retryDelay(1, 1)).toBe(5_000)
  expect(retryDelay(1000, 0.5)).toBe(67_500)
})
