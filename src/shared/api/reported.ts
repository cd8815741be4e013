/** Failures as sent over the API: the English text, and the failure in an additional field that other clients ignore. */
import type { Failure } from '../failure/failure.ts'
import { inEnglish } from '../i18n/in-english.ts'
import type { FileError } from './resources.ts'

export const reported = (failure: Failure) => ({ error: inEnglish(failure), failure })

export const fileError = (file: string, failure: Failure): FileError => ({ file, ...reported(failure) })
