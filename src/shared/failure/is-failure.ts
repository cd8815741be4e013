/** Recognizes coded data from other processes, from services, and from files that other versions wrote. Loads no schema library. */
import { isRecord } from '../is-record.ts'
import { failures } from '../i18n/en/failures.ts'
import { VALUE_KINDS, type Failure, type Reason } from './failure.ts'

/** Maximum length of a value. Longer than any path. */
const LONGEST_VALUE = 8_192

/** Returns whether the value has a code of these messages, and exactly the values that its message names. */
export function isCoded(value: unknown, messages: object): value is object {
  if (!isRecord(value) || typeof value['code'] !== 'string') return false
  const { code, values } = value
  if (!Object.hasOwn(messages, code) || !isRecord(values)) return false
  const expected = placeholdersOf(Reflect.get(messages, code))
  const given = Object.entries(values)
  return (
    given.length === expected.size && given.every(([name, one]) => expected.has(name) && isValue(name, one))
  )
}

/** Returns the names of a message's placeholders. The count selects a plural form, so it needs a value even if no form names it. */
function placeholdersOf(message: unknown): ReadonlySet<string> {
  const isPlural = typeof message !== 'string'
  const text = isPlural ? JSON.stringify(message) : message
  const named = Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  return new Set(isPlural ? [...named, 'count'] : named)
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
