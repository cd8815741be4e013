/** Failures in English, for the API and the terminal. The window doesn't import this file, because it loads only one language. */
import type { Failure } from '../failure/failure.ts'
import { once } from '../once.ts'
import { common } from './en/common.ts'
import { failures } from './en/failures.ts'
import { describeFailure, type FailureTranslation } from './failures.ts'
import { createFormat } from './format.ts'
import { translate } from './translate.ts'

// Creating the first number formatter takes 15 ms, so create it on first use.
const english = once((): FailureTranslation => {
  const { time } = translate<typeof common>(common, 'en')
  return Object.assign(translate<typeof failures>(failures, 'en'), createFormat(time, 'en'))
})

/** Returns the failure's text for the API, logs and terminals. */
export const inEnglish = (failure: Failure): string => describeFailure(failure, english())
