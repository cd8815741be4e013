import { expect, it } from 'vitest'
import { answerTo, answerToDenial } from '../../../src/service/http/error-answers.ts'
import { HttpError } from '../../../src/service/queue/index.ts'

const failure = (code: string, statusCode?: number) =>
  Object.assign(new Error('inner words'), { code, ...(statusCode === undefined ? {} : { statusCode }) })

it('says a refusal in its own words, with what was skipped', () => {
  expect(answerTo(new HttpError(429, 'Later.'))).toEqual({ status: 429, body: { error: 'Later.' } })
  const skipped = [{ file: 'a', error: 'no' }]
  expect(answerTo(new HttpError(400, 'None.', skipped))).toEqual({
    status: 400,
    body: { error: 'None.', skipped },
  })
})

it.each([
  [failure('FST_ERR_CTP_BODY_TOO_LARGE', 413), 400, 'The body is larger than 64 KiB'],
  [failure('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 400, 'The content type is not the one of this route'],
  [failure('FST_ERR_BAD_URL', 400), 404, 'There is no such route'],
  [failure('FST_ERR_MAX_PARAM_LENGTH', 414), 404, 'There is no such route'],
  [failure('OTHER', 400), 400, 'The request is not valid'],
  [failure('OTHER', 499), 400, 'The request is not valid'],
  [failure('OTHER', 399), 500, 'The service failed on this request because of an internal error'],
  [failure('OTHER', 500), 500, 'The service failed on this request because of an internal error'],
  [failure('OTHER'), 500, 'The service failed on this request because of an internal error'],
  ['a text', 500, 'The service failed on this request because of an internal error'],
])('says %o without its inner words', (error, status, message) => {
  expect(answerTo(error)).toEqual({ status, body: { error: message } })
})

it('says a denial', () => {
  expect(answerToDenial({ status: 403, message: 'No.' })).toEqual({ status: 403, body: { error: 'No.' } })
})
