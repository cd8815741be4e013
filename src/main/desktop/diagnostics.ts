import type { App } from 'electron'
import type { Core } from '../core/index.ts'
import { diagnosticsReport } from '../diagnostics/diagnostics.ts'

/** Returns this installation's diagnostics report, with secrets, names and paths redacted. */
export const appDiagnostics = (
  app: App,
  { settings, state, history }: Core,
  logFolder: string,
  secrets: readonly string[],
): Promise<string> =>
  diagnosticsReport({
    versions: {
      mediatray: app.getVersion(),
      electron: process.versions['electron'] ?? '',
      locale: app.getLocale(),
    },
    settings: settings.view(),
    state: state.get(),
    history,
    logFolder,
    secrets,
    homeFolder: app.getPath('home'),
    at: Date.now(),
  })
