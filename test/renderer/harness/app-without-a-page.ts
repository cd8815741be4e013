import { vi } from 'vitest'
import { createApp, type App } from '../../../src/renderer/store/app.ts'
import { installBridge, type Script, type Strings } from './fake-bridge.ts'

/** The window's app with nothing drawn: what it decides can be asked without a browser. */
export async function appWithoutAPage(script: Script): Promise<App & { readonly strings: Strings }> {
  const page = { mediatray: undefined, strings: undefined }
  const systemNow = Date.now
  vi.stubGlobal('window', page)
  // All that the app itself touches of a page: its language and theme, and how wide it is.
  vi.stubGlobal('document', { documentElement: { lang: '', dataset: {} } })
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
  installBridge(script)
  Date.now = systemNow
  const { mediatray: bridge, strings } = window
  return { ...(await createApp(bridge, () => strings.now)), strings }
}
