/** Failures and losses in English, for other programs and logs. The window doesn't import this file, because it loads only one language. */
import type { Loss } from '../loss/loss.ts'
import type { Failure } from '../failure/failure.ts'
import { once } from '../once.ts'
import { english } from './english.ts'
import { describeFailure } from './failures.ts'
import { createAppTranslation } from './i18n.ts'
import { describeLoss } from './losses.ts'

// Creating the first number formatter takes 15 ms, so create it on first use.
const t = once(() => createAppTranslation(english, { language: 'en', locale: 'en' }))

/** Returns the failure's text for the API, logs and terminals. */
export const inEnglish = (failure: Failure): string => describeFailure(failure, t())

/** Returns what was lost and why, for hooks and assistants. */
export const lossInEnglish = (loss: Loss): string => describeLoss(loss, t())
