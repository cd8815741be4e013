import { signal } from '@preact/signals'
import type { ComponentType, FunctionComponent } from 'preact'

/**
 * Returns a component that loads the actual component and renders nothing until then.
 * @param ahead whether to load the component after the first paint, even before its first use
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  ahead = true,
): FunctionComponent<Props> {
  const loaded = signal<ComponentType<Props> | null>(null)
  let asked = false
  const ask = (): void => {
    if (asked) return
    asked = true
    load().then(
      (component) => {
        loaded.value = component
      },
      () => {
        // The next render tries to load the component again.
        asked = false
      },
    )
  }
  // Load the component before its first use.
  if (ahead) afterFirstPaint(ask)
  return function Later(props: Props) {
    ask()
    const Loaded = loaded.value
    return Loaded && <Loaded {...props} />
  }
}

/** Runs a callback when the page is idle after the first paint. Before the paint, the page is idle while it waits for the main process. */
export function afterFirstPaint(run: () => void): void {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return
    observer.disconnect()
    requestIdleCallback(run)
  })
  observer.observe({ type: 'paint', buffered: true })
}
