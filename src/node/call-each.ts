/**
 * Calls functions in order, even if one of them throws.
 * @param onError receives each error
 */
export function callEach(calls: Iterable<() => void>, onError: (error: unknown) => void): void {
  for (const call of calls) {
    try {
      call()
    } catch (error) {
      onError(error)
    }
  }
}
