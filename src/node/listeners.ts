export interface Listeners<Arguments extends readonly unknown[]> {
  /** @returns a function that removes the listener */
  readonly add: (listener: (...args: Arguments) => void) => () => void
  readonly call: (...args: Arguments) => void
}

/** Listeners of one event. They are called synchronously, in the order in which they were added. */
export function createListeners<Arguments extends readonly unknown[] = []>(): Listeners<Arguments> {
  const listeners = new Set<(...args: Arguments) => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    call(...args) {
      for (const listener of listeners) listener(...args)
    },
  }
}
