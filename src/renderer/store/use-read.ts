import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useApp } from './app.ts'

/**
 * Reads a value when the component is first rendered, and again when one of the inputs changes. A failure is shown as a toast and keeps the
 * previous value.
 * @returns the value, which is undefined until it has been read, and a function that reads it again
 */
export function useRead<Value>(
  call: () => Promise<Value>,
  inputs: readonly unknown[],
): readonly [value: Signal<Value | undefined>, read: () => Promise<void>] {
  const app = useApp()
  const known = useSignal<Value | undefined>(undefined)
  const read = async (): Promise<void> => {
    const answer = await app.attempt(call())
    if (answer !== undefined) known.value = answer
  }
  useEffect(() => void read(), inputs)
  return [known, read]
}
