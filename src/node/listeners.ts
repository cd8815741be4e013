/** Listeners of one event. They are called synchronously, in the order in which they were added. */
export function createListeners<Arguments extends readonly unknown[] = []>() {
  const listeners = new Set<(...args: Arguments) => void>()
  return {
    /** @returns a function that removes the listener */
    add(this: void, listener: (...args: Arguments) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    call(this: void, ...args: Arguments) {
      for (const listener of listeners) listener(...args)
    },
  }
}
