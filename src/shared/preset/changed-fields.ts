import { isRecord } from '../is-record.ts'
import { readJson, valueAt } from './json-text.ts'

/** Returns the paths of fields that differ between two documents. */
export function changedFields(before: unknown, after: unknown, at = ''): readonly string[] {
  const fields = [...new Set([...keysOf(before), ...keysOf(after)])].flatMap((key) =>
    changedFields(memberOf(before, key), memberOf(after, key), at === '' ? key : `${at}.${key}`),
  )
  if (fields.length > 0 || (isRecord(before) && isRecord(after))) return fields
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [at]
}

const keysOf = (value: unknown): readonly string[] => (isRecord(value) ? Object.keys(value) : [])
const memberOf = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined)

/** Returns the number of fields that differ from the saved text. If either text can't be parsed, any difference counts as one change. */
export function countChanges(saved: string, text: string): number {
  const before = readJson(saved).root
  const after = readJson(text).root
  if (before === undefined || after === undefined) return saved.trim() === text.trim() ? 0 : 1
  return changedFields(valueAt(before, ''), valueAt(after, '')).length
}
