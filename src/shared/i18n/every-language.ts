import type { Failure } from '../failure/failure.ts'
import { once } from '../once.ts'
import { describeFailure } from './failures.ts'
import { createTranslation } from './i18n.ts'
import { inEnglish } from './in-english.ts'

const german = once(() => createTranslation('de'))

/** Returns a failure's text in every language, for searching. */
export const inEveryLanguage = (failure: Failure): readonly string[] => [
  inEnglish(failure),
  describeFailure(failure, german()),
]
