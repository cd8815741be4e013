import { vi } from 'vitest'
import { catalogOf } from '../../../src/node/translation.ts'
import { createApp, type App } from '../../../src/renderer/store/app.ts'
import type { LoadTexts } from '../../../src/renderer/store/load-texts.ts'
import { contractNames } from '../../../src/shared/ipc/contract.ts'
import { installBridge, type Script, type Strings } from './fake-bridge.ts'

/** The window's app without rendering, to test its decisions without a browser. Its texts are loaded unless that fails. */
export async function appWithoutAPage(
  script: Script,
  loadTexts: LoadTexts = async (_name, language) => catalogOf(language),
): Promise<App & { readonly strings: Strings }> {
  const page = { mediatray: undefined, strings: undefined }
  const systemNow = Date.now
  vi.stubGlobal('window', page)
  // Stub everything that the app itself reads or sets on a page: its language, theme and width.
  vi.stubGlobal('document', { documentElement: { lang: '', dataset: {} } })
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
  installBridge(script, contractNames)
  Date.now = systemNow
  const { mediatray: bridge, strings } = window
  const app = await createApp(bridge, () => strings.now, loadTexts)
  await app.loadViewWords().catch(() => undefined)
  return { ...app, strings }
}
