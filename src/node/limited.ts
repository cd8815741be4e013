export type Limit = {
  /** A file system doesn't get much faster with higher concurrency. */
  readonly atOnce?: number
  /** Once it is aborted, no further element is processed. */
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
