/** Whether two values of plain data, without cycles, say the same. Runs for every job at every tick, so it makes no copies. */
export function isSameData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  for (const key of keys) {
    if (!Object.hasOwn(other, key) || !isSameData(one[key], other[key])) return false
  }
  return true
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
