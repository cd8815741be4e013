import { describe, expect, it } from 'vitest'
import { effectOfFailure, passingTrouble } from '../../../src/main/outbox/failure-effect.ts'
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import type { ServiceError } from '../../../src/shared/service-error.ts'

const message = 'words'
const skipped = [{ file: 'a.txt', error: 'no photo' }]

describe('a submission that failed', () => {
  it.each<readonly [string, ServiceError]>([
    ['offline', { kind: 'notReachable', reason: 'ECONNREFUSED', message }],
    ['queueFull', { kind: 'queueFull', message }],
    ['keyRefused', { kind: 'unauthorized', reason: 'rejected', message }],
    ['interrupted', { kind: 'aborted', maybeReceived: false, message }],
  ])('before a job was created is retried, because: %s', (because, error) => {
    expect(effectOfFailure(error)).toEqual({ kind: 'wait', because })
  })

  it.each<readonly [string, ServiceError]>([
    ['timeout', { kind: 'noAnswer', reason: 'timeout', message }],
    ['broken', { kind: 'noAnswer', reason: 'ECONNRESET', message }],
    ['broken', { kind: 'aborted', maybeReceived: true, message }],
    ['serverError', { kind: 'serverError', status: 500, message }],
    ['badResponse', { kind: 'badResponse', route: 'POST /jobs', field: 'jobId', message }],
  ])('but may have arrived is uncertain: %s', (cause, error) => {
    expect(effectOfFailure(error)).toEqual({ kind: 'unknown', uncertainty: { cause, message } })
  })

  it.each<readonly [string, readonly unknown[], ServiceError]>([
    ['drive', [], { kind: 'driveNotReady', message }],
    ['tooLarge', skipped, { kind: 'refused', status: 413, skipped, message }],
    ['invalid', skipped, { kind: 'refused', status: 400, skipped, message }],
    ['inputsGone', [], { kind: 'localFile', path: '/in/a.jpg', code: 'ENOENT', message }],
    ['service', [], { kind: 'notFound', message }],
    ['service', [], { kind: 'conflict', message }],
    ['service', [], { kind: 'refused', status: 403, skipped: [], message }],
  ])('permanently is refused, with the reason: %s', (why, files, error) => {
    expect(effectOfFailure(error)).toEqual({ kind: 'refused', refusal: { message, why, skipped: files } })
  })
})

const unusable = (
  code: 'full' | 'denied' | 'readOnly' | 'cantBeCreated' | 'exists' | 'nameTooLong' | 'foreignLink',
) => failure('outputUnusable', { reason: reason(code), folder: '/out' })

it.each([
  [true, unusable('full')],
  [true, unusable('denied')],
  [true, unusable('readOnly')],
  [true, unusable('cantBeCreated')],
  [true, unusable('exists')],
  [true, failure('diskRemoved', { folder: '/out' })],
  [true, failure('cloudDriveSilent', { remote: 'drive:' })],
  [true, failure('presetUnknown', { preset: 'Gone' })],
  [false, unusable('nameTooLong')],
  [false, unusable('foreignLink')],
  [false, failure('outputNotAbsolute')],
  [false, undefined],
])('whether a submission may succeed later is %s after %j', (isPassing, why) => {
  expect(passingTrouble({ why: 'invalid', message, skipped: [], failure: why })).toEqual(
    isPassing ? why : undefined,
  )
})

it.each(['service', 'drive'] as const)(
  'a submission may succeed later after a refusal because of: %s',
  (why) => {
    const known = failure('serviceInternal', { status: 500 })
    expect(passingTrouble({ why, message, skipped: [], failure: known })).toEqual(known)
    expect(passingTrouble({ why, message, skipped: [] })).toEqual(
      failure('serviceReported', { detail: message }),
    )
  },
)
