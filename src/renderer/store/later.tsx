import { signal } from '@preact/signals'
import type { ComponentType, FunctionComponent } from 'preact'
import { useApp, type App } from './app.ts'

type Options = {
  /** Whether to load the component after the first paint, even before its first use. True by default. */
  readonly ahead?: boolean
  /** Whether it needs the texts of later views. True by default. */
  readonly texts?: boolean
}

/** Creates a component that loads the actual component and its texts. Until then, it is a hidden placeholder, which `isLoading` finds. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { ahead = true, texts = true }: Options = {},
): FunctionComponent<Props> {
  const component = onDemand(load)
  if (ahead) afterFirstPaint(() => void component())
  return function Later(props: Props) {
    const app = useApp()
    const hasTexts = !texts || app.viewWords() !== null
    const Loaded = component()
    return Loaded && hasTexts ? <Loaded {...props} /> : <span hidden data-loading="" />
  }
}

/** Whether a part of the window contains a component that is still loading or couldn't be loaded. */
export const isLoading = (selector: string): boolean =>
  document.querySelector(`${selector} [data-loading]`) !== null

/**
 * Loads something when it is first needed.
 * @returns a function that returns it, or null while it is loading
 */
export function onDemand<Value>(load: () => Promise<Value>): () => Value | null {
  const loaded = signal<{ readonly value: Value } | null>(null)
  let asked = false
  return () => {
    if (!asked) {
      asked = true
      load().then(
        (value) => (loaded.value = { value }),
        () => {
          // The next render tries to load it again.
          asked = false
        },
      )
    }
    return loaded.value && loaded.value.value
  }
}

/**
 * Waits for a script and for the texts of later views, which its functions need.
 * @returns undefined after a failure, which is shown as a toast
 */
export async function withViewWords<Script>(app: App, script: Promise<Script>): Promise<Script | undefined> {
  const loaded = await app.attempt(Promise.all([script, app.loadViewWords()]))
  return loaded?.[0]
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
