import { readJson, valueAt } from './json-text.ts'

/** Returns the paths of fields that differ between two documents. */
export function changedFields(before: unknown, after: unknown, at = ''): readonly string[] {
  const fields = [...new Set([...keysOf(before), ...keysOf(after)])].flatMap((key) =>
    changedFields(memberOf(before, key), memberOf(after, key), at === '' ? key : `${at}.${key}`),
  )
  if (fields.length > 0 || (isObject(before) && isObject(after))) return fields
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [at]
}

const keysOf = (value: unknown): readonly string[] => (isObject(value) ? Object.keys(value) : [])
const memberOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the number of fields that differ from the saved text. Text that can't be parsed counts as one change. */
export function countChanges(saved: string, text: string): number {
  const before = readJson(saved).root
  const after = readJson(text).root
  if (before === undefined || after === undefined) return saved.trim() === text.trim() ? 0 : 1
  return changedFields(valueAt(before, ''), valueAt(after, '')).length
}
