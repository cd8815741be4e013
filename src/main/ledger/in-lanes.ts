/** Runs `work` for each item, with at most `lanes` calls at a time. Stops early if the signal aborts. */
export async function inLanes<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T, index: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const entries = items.entries()
  async function lane(): Promise<void> {
    for (const [index, item] of entries) {
      if (signal?.aborted === true) return
      await work(item, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane))
}
