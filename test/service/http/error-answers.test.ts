import { reported } from '../../../src/shared/api/reported.ts'
import { failure } from '../../../src/shared/failure/failure.ts'
import { expect, it } from 'vitest'
import { answerTo, answerToDenial } from '../../../src/service/http/error-answers.ts'
import { HttpError } from '../../../src/service/queue/index.ts'

const thrown = (code: string, statusCode?: number) =>
  Object.assign(new Error('internal message'), { code, ...(statusCode === undefined ? {} : { statusCode }) })

it('passes on the message of a refusal, with the skipped files', () => {
  expect(answerTo(new HttpError(429, failure('queueFull', { count: 10 })))).toEqual({
    status: 429,
    body: {
      error: '10 jobs are already waiting. Submit again when one has finished.',
      failure: { code: 'queueFull', values: { count: 10 } },
    },
  })
  const skipped = [{ file: 'a', error: 'no' }]
  expect(answerTo(new HttpError(400, failure('nothingToProcess'), skipped))).toEqual({
    status: 400,
    body: { ...reported(failure('nothingToProcess')), skipped },
  })
})

it.each([
  [thrown('FST_ERR_CTP_BODY_TOO_LARGE', 413), 400, 'bodyTooLarge'],
  [thrown('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 400, 'bodyTypeWrong'],
  [thrown('FST_ERR_BAD_URL', 400), 404, 'routeUnknown'],
  [thrown('FST_ERR_MAX_PARAM_LENGTH', 414), 404, 'routeUnknown'],
  [thrown('OTHER', 400), 400, 'requestMalformed'],
  [thrown('OTHER', 499), 400, 'requestMalformed'],
  [thrown('OTHER', 399), 500, 'requestInternal'],
  [thrown('OTHER', 500), 500, 'requestInternal'],
  [thrown('OTHER'), 500, 'requestInternal'],
  ['a text', 500, 'requestInternal'],
] as const)('reports %o without its internal message', (error, status, code) => {
  expect(answerTo(error)).toEqual({ status, body: reported(failure(code)) })
})

it('reports a denial', () => {
  expect(answerToDenial({ status: 403, code: 'pageForeign' })).toEqual({
    status: 403,
    body: reported(failure('pageForeign')),
  })
})
