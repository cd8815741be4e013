/** Recognizes coded data from other processes, from services, and from files that other versions wrote. Doesn't load a schema library. */
import { isRecord } from '../is-record.ts'
import { messagesOf, placeholdersOf, type Message } from '../i18n/catalog.ts'
import { english } from '../i18n/english.ts'
import { once } from '../once.ts'
import { VALUE_KINDS, type Failure, type Reason } from './failure.ts'

/** Maximum length of a text value, in UTF-16 code units. Longer than any path on Linux and macOS. */
const LONGEST_VALUE = 8_192

/** Returns whether the value has a code of these messages, and exactly the values that its message names. */
export function isCoded(value: unknown, messages: Readonly<Record<string, Message>>): value is object {
  if (!isRecord(value) || typeof value['code'] !== 'string') return false
  const { code, values } = value
  const message = Object.hasOwn(messages, code) ? messages[code] : undefined
  if (message === undefined || !isRecord(values)) return false
  const expected = placeholdersOf(message)
  const given = Object.entries(values)
  return (
    given.length === expected.size && given.every(([name, one]) => expected.has(name) && isValue(name, one))
  )
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

const failures = once(() => messagesOf(english.failures.failure))
const reasons = once(() => messagesOf(english.failures.failureReason))

export const isFailure = (value: unknown): value is Failure => isCoded(value, failures())
const isReason = (value: unknown): value is Reason => isCoded(value, reasons())
