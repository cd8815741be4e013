/** `ipcMain`: handlers and listeners for calls from a page. */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'

type Handler = (event: Electron.IpcMainInvokeEvent, ...args: unknown[]) => unknown

export type InvokeAnswer = { readonly value: unknown } | { readonly error: string }

export type IpcMain = {
  readonly ipcMain: Pick<Electron.IpcMain, 'handle'> & EventEmitter
  /** Responds as Electron does: only an error's text is passed on. */
  invoke(event: Electron.IpcMainInvokeEvent, channel: string, args: readonly unknown[]): Promise<InvokeAnswer>
}

export function createIpcMain(): IpcMain {
  const handlers = new Map<string, Handler>()
  const ipcMain = Object.assign(new EventEmitter(), {
    handle(channel: string, handler: Handler) {
      if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
      handlers.set(channel, handler)
    },
  })
  return {
    ipcMain,
    async invoke(event, channel, args) {
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
