/** `ipcMain`: handlers and listeners for calls from a page. */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'

type Handler = (event: Electron.IpcMainInvokeEvent, ...args: unknown[]) => unknown

export type IpcMain = ReturnType<typeof createIpcMain>

export function createIpcMain() {
  const handlers = new Map<string, Handler>()
  const ipcMain = Object.assign(new EventEmitter(), {
    handle(channel: string, handler: Handler) {
      if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
      handlers.set(channel, handler)
    },
  })
  return {
    ipcMain,
    /** Responds as Electron does: only an error's text is passed on. */
    async invoke(event: Electron.IpcMainInvokeEvent, channel: string, args: readonly unknown[]) {
      const remote = (error: unknown) => ({
        error: `Error invoking remote method '${channel}': ${String(error)}`,
      })
      const handler = handlers.get(channel)
      if (handler === undefined) return remote(new Error(`No handler registered for '${channel}'`))
      try {
        return { value: await handler(event, ...args) }
      } catch (error) {
        console.error(`Error occurred in handler for '${channel}':`, error)
        return remote(error)
      }
    },
  }
}
