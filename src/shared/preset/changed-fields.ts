import { readJson, valueAt } from './json-text.ts'

/** The fields in which two documents differ. */
export function changedFields(before: unknown, after: unknown, at = ''): readonly string[] {
  if (!isObject(before) || !isObject(after)) {
    if (JSON.stringify(before) === JSON.stringify(after)) return []
    const inner = isObject(before) ? before : isObject(after) ? after : {}
    const fields = Object.keys(inner).flatMap((key) =>
      changedFields(
        isObject(before) ? before[key] : undefined,
        isObject(after) ? after[key] : undefined,
        join(at, key),
      ),
    )
    return fields.length > 0 ? fields : [at]
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    changedFields(before[key], after[key], join(at, key)),
  )
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** In how many fields a text differs from the one that is saved; a text that can't be read counts as one. */
export function countChanges(saved: string, text: string): number {
  const before = readJson(saved).root
  const after = readJson(text).root
  if (before === undefined || after === undefined) return saved.trim() === text.trim() ? 0 : 1
  return changedFields(valueAt(before, ''), valueAt(after, '')).length
}
