/** Failures and losses in English, for other programs and logs. The window doesn't import this file, because it loads only one language. */
import type { Loss } from '../loss/loss.ts'
import type { Failure } from '../failure/failure.ts'
import { once } from '../once.ts'
import { common } from './en/common.ts'
import { failures } from './en/failures.ts'
import { losses } from './en/losses.ts'
import { describeFailure } from './failures.ts'
import { createFormat } from './format.ts'
import { describeLoss, type LossTranslation } from './losses.ts'
import { translate } from './translate.ts'

// Creating the first number formatter takes 15 ms, so create it on first use.
const english = once((): LossTranslation => {
  const { time } = translate<typeof common>(common, 'en')
  const texts = translate<typeof failures & typeof losses>({ ...failures, ...losses }, 'en')
  return Object.assign(texts, createFormat(time, 'en'))
})

/** Returns the failure's text for the API, logs and terminals. */
export const inEnglish = (failure: Failure): string => describeFailure(failure, english())

/** Returns what was lost and why, for hooks and assistants. */
export const lossInEnglish = (loss: Loss): string => describeLoss(loss, english())
