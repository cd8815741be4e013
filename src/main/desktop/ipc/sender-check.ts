import type { BrowserWindow, IpcMainInvokeEvent } from 'electron'
import { APP_ORIGIN } from '../../../shared/thumbnail-url.ts'

/** Whether a call comes from our own page, in the main frame of our own window. */
export function isOurPage(event: IpcMainInvokeEvent, window: BrowserWindow | undefined): boolean {
  const frame = event.senderFrame
  return (
    window !== undefined &&
    frame !== null &&
    event.sender === window.webContents &&
    frame === window.webContents.mainFrame &&
    frame.url.startsWith(`${APP_ORIGIN}/`)
  )
}
