/** Waits until a condition holds; fails with the last observed value. */
export async function eventually<T>(
  look: () => T,
  holds: (seen: T) => boolean,
  patience = 60_000,
): Promise<T> {
  const end = performance.now() + patience
  for (;;) {
    const seen = look()
    if (holds(seen)) return seen
    if (performance.now() > end) throw new Error(`Condition not met; last value: ${JSON.stringify(seen)}`)
    const { promise, resolve } = Promise.withResolvers<void>()
    setTimeout(resolve, 5)
    await promise
  }
}
