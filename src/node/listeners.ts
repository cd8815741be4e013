/** Listeners of one event. They are called synchronously, in the order in which they were added. */
import { callEach } from './call-each.ts'

export function createListeners<Arguments extends readonly unknown[] = []>() {
  const listeners = new Set<(...args: Arguments) => void>()
  return {
    /** @returns a function that removes the listener */
    add(this: void, listener: (...args: Arguments) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** @throws the error of the first listener that threw, once all were called */
    call(this: void, ...args: Arguments) {
      const errors: unknown[] = []
      const calls = Iterator.from(listeners).map((listener) => () => listener(...args))
      callEach(calls, (error) => errors.push(error))
      if (errors.length > 0) throw errors[0]
    },
  }
}
