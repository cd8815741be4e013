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
