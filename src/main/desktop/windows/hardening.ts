/**
 * Blocks everything that an injected script could abuse: permissions, navigation, new windows, downloads, webviews. Must run
 * before any window exists.
 */
import type { App, Session, WebContents } from 'electron'

/** Runs before `ready`. Sandboxes every renderer, even if its window's options don't. */
export function hardenApp(app: App): void {
  app.enableSandbox()
  app.on('web-contents-created', (_event, contents) => hardenContents(contents))
}

/** Runs after `ready`, on the session that all windows share. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  // Electron would download dictionaries from Google, even if no page uses them.
  session.setSpellCheckerLanguages([])
  session.on('will-download', (event) => event.preventDefault())
}

function hardenContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}
