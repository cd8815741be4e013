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
  // So that it is there when it is wanted.
  afterFirstPaint(() => requestIdleCallback(ask))
  return function Later(props: Props) {
    ask()
    const Loaded = loaded.value
    return Loaded && <Loaded {...props} />
  }
}

/** Waiting for the first answers of the main process the window is idle too, and has better things to load. */
function afterFirstPaint(run: () => void): void {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return
    observer.disconnect()
    run()
  })
  observer.observe({ type: 'paint', buffered: true })
}
