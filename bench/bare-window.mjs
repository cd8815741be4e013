// A minimal app with a window that shows one HTML file. The benchmark takes the same measurements of it as of the real app.
import { app, BrowserWindow, protocol } from 'electron'
import { readFile } from 'node:fs/promises'

protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }])

void app.whenReady().then(() => {
  protocol.handle(
    'app',
    async () =>
      new Response(await readFile(process.argv.at(-1)), {
        headers: { 'Content-Type': 'text/html; charset=utf-8' },
      }),
  )
  const window = new BrowserWindow({ show: false, width: 880, height: 640 })
  window.once('ready-to-show', () => window.show())
  return window.loadURL('app://bare/')
})
