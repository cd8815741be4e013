/** A file system doesn't get faster with higher concurrency. */
const AT_ONCE = 8

/** Processes all elements, a few at a time. Rejects with the first error. */
export async function forEachLimited<T>(
  elements: readonly T[],
  work: (element: T) => Promise<void>,
): Promise<void> {
  const left = elements.values()
  const next = async (): Promise<void> => {
    for (const element of left) await work(element)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, elements.length) }, next))
}
