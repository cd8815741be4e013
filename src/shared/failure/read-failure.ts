/** Validates failures from other processes, from services, and from files that other versions wrote. */
import * as z from 'zod'
import { failures } from '../i18n/en/failures.ts'
import { VALUE_KINDS, type Failure, type Reason } from './failure.ts'

/** Maximum length of a value. Longer than any path. */
const LONGEST_VALUE = 8_192

function isCoded(value: unknown, messages: object): boolean {
  if (!isRecord(value) || typeof value['code'] !== 'string') return false
  const { code, values } = value
  if (!Object.hasOwn(messages, code) || !isRecord(values)) return false
  const expected = placeholdersOf(Reflect.get(messages, code))
  const given = Object.entries(values)
  return (
    given.length === expected.size && given.every(([name, one]) => expected.has(name) && isValue(name, one))
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the names of a message's placeholders. All plural forms have the same ones, apart from the count. */
function placeholdersOf(message: unknown): ReadonlySet<string> {
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  return new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = '']) => name))
}

function isValue(name: string, value: unknown): boolean {
  switch (VALUE_KINDS[name as keyof typeof VALUE_KINDS]) {
    case 'reason':
      return isReason(value)
    case 'text':
      return typeof value === 'string' && value.length <= LONGEST_VALUE
    default:
      return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
  }
}

export const isFailure = (value: unknown): value is Failure => isCoded(value, failures.failure)
const isReason = (value: unknown): value is Reason => isCoded(value, failures.failureReason)

/** Accepts a failure with a known code and values of the right types. For any other failure, readers use the accompanying text. */
export const FailureSchema = z.custom<Failure>(isFailure)
