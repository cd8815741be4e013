/** Failures as data: a code from the catalog with its values. A failure can be stored, sent, and shown in any language. */
import type { Texts } from '../i18n/texts.ts'

/**
 * The kind of each placeholder in the catalogs of failures and losses. Other placeholders aren't allowed. A `size` is in bytes,
 * `kilobytes` are units of 1000 bytes, a `percent` is a fraction (0..1), a `position` in a video is in seconds, and `digits` are written
 * without separators.
 */
export const VALUE_KINDS = {
  bits: 'digits',
  code: 'text',
  codec: 'text',
  compression: 'digits',
  container: 'text',
  count: 'number',
  detail: 'text',
  extension: 'text',
  extensions: 'text',
  field: 'text',
  first: 'digits',
  folder: 'text',
  format: 'text',
  frames: 'number',
  freeBytes: 'size',
  from: 'position',
  height: 'digits',
  id: 'text',
  index: 'digits',
  kilobytes: 'kilobytes',
  last: 'digits',
  limit: 'number',
  made: 'number',
  maxKilobytes: 'kilobytes',
  megapixels: 'number',
  name: 'text',
  neededBytes: 'size',
  path: 'text',
  preset: 'text',
  promised: 'number',
  reason: 'reason',
  remote: 'text',
  route: 'text',
  seconds: 'number',
  share: 'percent',
  status: 'digits',
  track: 'digits',
  width: 'digits',
} as const

type ValueKinds = typeof VALUE_KINDS
export type ValueKind = ValueKinds[keyof ValueKinds]
type ValueOf<Name> = Name extends keyof ValueKinds
  ? {
      text: string
      reason: Reason
      kilobytes: number
      number: number
      digits: number
      size: number
      percent: number
      position: number
    }[ValueKinds[Name]]
  : never

type ValuesOf<Names extends string> = { readonly [Name in Names]: ValueOf<Name> }
/** A union member for each message of an area, with the values that its text names. */
export type Coded<Messages extends Readonly<Record<keyof Messages, string>>> = {
  [Code in keyof Messages]: { readonly code: Code; readonly values: ValuesOf<Messages[Code]> }
}

export type Failures = Coded<Texts['failures']['failure']>
type Reasons = Coded<Texts['failures']['failureReason']>
export type FailureCode = keyof Failures
export type ReasonCode = keyof Reasons
export type Failure = Failures[FailureCode]
/** The reason for a failure, worded as the end of a sentence. */
export type Reason = Reasons[ReasonCode]

/** Codes of reasons without values. */
export type PlainReasonCode = {
  [Code in ReasonCode]: keyof Reasons[Code]['values'] extends never ? Code : never
}[ReasonCode]

export type Arguments<Values> = keyof Values extends never ? [] : [values: Values]

/** Creates a failure: `failure('fileEmpty')`, `failure('diskRemoved', { folder })`. */
export const failure = <Code extends FailureCode>(
  code: Code,
  ...[values]: Arguments<Failures[Code]['values']>
): Failure =>
  // The code determines the type of the arguments, but the compiler can't infer that for a union.
  ({ code, values: values ?? {} }) as unknown as Failure

/** Creates a reason: `reason('full')`, `reason('systemError', { code: 'EIO' })`. */
export const reason = <Code extends ReasonCode>(
  code: Code,
  ...[values]: Arguments<Reasons[Code]['values']>
): Reason =>
  // As in `failure`, the compiler can't infer the type for a union.
  ({ code, values: values ?? {} }) as unknown as Reason
