/**
 * What no page of ours may do, whatever is injected into it: ask for a permission, go elsewhere, open a window, download
 * a file, host a webview. Called before any window exists.
 */
import type { App, Session, WebContents } from 'electron'

/** Before `ready`: every renderer runs in the sandbox, also one that a mistake would have left out. */
export function hardenApp(app: App): void {
  app.enableSandbox()
  app.on('web-contents-created', (_event, contents) => hardenContents(contents))
}

/** After `ready`: the session that all windows share. */
export function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event) => event.preventDefault())
}

function hardenContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}
