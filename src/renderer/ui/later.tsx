import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'

/** Loads a component when it is first rendered. Renders nothing until then. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  ahead = true,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | null>(null)
  let asked = false
  const ask = (): void => {
    if (asked) return
    asked = true
    void load().then((component) => {
      loaded.value = component
    })
  }
  // Load the component before its first use.
  if (ahead) afterFirstPaint(() => requestIdleCallback(ask))
  return function Later(props: Props) {
    ask()
    const Loaded = loaded.value
    return Loaded && <Loaded {...props} />
  }
}

/** Runs a callback after the first paint. The page is also idle before the first paint, while it waits for the main process. */
function afterFirstPaint(run: () => void): void {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return
    observer.disconnect()
    run()
  })
  observer.observe({ type: 'paint', buffered: true })
}
