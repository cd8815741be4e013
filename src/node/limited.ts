export type Limit = {
  /** How many elements to process at the same time. A file system doesn't get much faster with more than the default. */
  readonly atOnce?: number
  /** Once this is aborted, no further element is started. */
  readonly signal?: AbortSignal | undefined
}

/** Processes all elements, a few at a time. Rejects with the first error. */
export async function forEachLimited<T>(
  elements: readonly T[],
  work: (element: T, index: number) => Promise<void>,
  { atOnce = 8, signal }: Limit = {},
): Promise<void> {
  const left = elements.entries()
  const next = async (): Promise<void> => {
    for (const [index, element] of left) {
      if (signal?.aborted === true) return
      await work(element, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, elements.length) }, next))
}

/** Does what `forEachLimited` does. @returns the results in order; undefined for elements that weren't started */
export async function mapLimited<T, R>(
  elements: readonly T[],
  work: (element: T) => Promise<R>,
  limit?: Limit,
): Promise<readonly (R | undefined)[]> {
  const results = elements.map((): R | undefined => undefined)
  await forEachLimited(
    elements,
    async (element, index) => {
      results[index] = await work(element)
    },
    limit,
  )
  return results
}

/** Returns the elements that pass a check. Checks one at a time. */
export async function filterAsync<T>(
  elements: Iterable<T>,
  check: (element: T) => Promise<boolean>,
): Promise<readonly T[]> {
  const passed: T[] = []
  for (const element of elements) if (await check(element)) passed.push(element)
  return passed
}

/** Yields the elements in groups of at most this size. */
export function* inGroups<T>(elements: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < elements.length; start += size) yield elements.slice(start, start + size)
}
