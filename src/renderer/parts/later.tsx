import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'

/** A part of the window whose script is read when it is first shown; until then there is nothing in its place. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | null>(null)
  let asked = false
  const ask = (): void => {
    if (asked) return
    asked = true
    void load().then((component) => {
      loaded.value = component
    })
  }
  // Once the window has nothing else to do, so that it is there when it is wanted.
  requestIdleCallback(ask)
  return function Later(props: Props) {
    ask()
    const Loaded = loaded.value
    return Loaded && <Loaded {...props} />
  }
}
