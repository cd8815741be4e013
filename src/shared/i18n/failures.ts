/** Converts failures and other coded data to text in the language of a translation. */
import { VALUE_KINDS, type Failure, type Reason, type ValueKind } from '../failure/failure.ts'
import type { Format } from './format.ts'
import type { Texts } from './texts.ts'
import type { Translated } from './translate.ts'

export type FailureTranslation = Translated<Texts['failures']> & Pick<Format, 'size' | 'sizeIn' | 'percent'>

/** "Couldn’t save the result in /out: the disk is full." */
export const describeFailure = (failure: Failure, t: FailureTranslation): string =>
  fill(t.failure[failure.code], failure.values, t)

export const describeReason = (reason: Reason, t: FailureTranslation): string =>
  fill(t.failureReason[reason.code], reason.values, t)

type Filled = Readonly<Record<string, string | number>>

/** Fills a message of the catalog with the values of coded data. */
export function fill(message: unknown, values: object, t: FailureTranslation): string {
  if (typeof message !== 'function') return String(message)
  const filled = Object.entries(values).map(([name, value]) => [name, shown(name, value, t)] as const)
  // The catalog and the type of the values use the same placeholder names.
  return (message as (values: Filled) => string)(Object.fromEntries(filled))
}

function shown(name: string, value: unknown, t: FailureTranslation): string | number {
  const kinds: Readonly<Record<string, ValueKind>> = VALUE_KINDS
  switch (kinds[name]) {
    case 'reason':
      return describeReason(value as Reason, t)
    case 'number':
      return Number(value)
    case 'position':
      return position(Number(value))
    case 'size':
      return t.size(Number(value))
    case 'kilobytes':
      return t.sizeIn(Number(value), 'kB')
    case 'percent':
      return t.percent(Number(value))
    default:
      return String(value)
  }
}

/** "1:05", "1:00:05" */
function position(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = String(Math.floor(seconds) % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`
}

/** The failure behind an error text from a service or from this app. */
export type Reported = { readonly failure?: Failure | undefined }

/** Describes the failure in the language of the translation. Returns the given text if there is no failure. */
export const reportedText = (text: string, { failure }: Reported, t: FailureTranslation): string =>
  failure === undefined ? text : describeFailure(failure, t)
