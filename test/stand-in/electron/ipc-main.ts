/** `ipcMain`: handlers and listeners, called with what came from a page. */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'

type Handler = (event: Electron.IpcMainInvokeEvent, ...args: unknown[]) => unknown

export type InvokeAnswer = { readonly value: unknown } | { readonly error: string }

export type IpcMain = {
  readonly ipcMain: Pick<Electron.IpcMain, 'handle' | 'handleOnce' | 'removeHandler'> & EventEmitter
  /** Answers as Electron does: an error crosses as text only. */
  invoke(event: Electron.IpcMainInvokeEvent, channel: string, args: readonly unknown[]): Promise<InvokeAnswer>
}

export function createIpcMain(): IpcMain {
  const handlers = new Map<string, Handler>()
  const handle = (channel: string, handler: Handler) => {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    handlers.set(channel, handler)
  }
  const ipcMain = Object.assign(new EventEmitter(), {
    handle,
    handleOnce(channel: string, handler: Handler) {
      handle(channel, (event, ...args) => {
        handlers.delete(channel)
        return handler(event, ...args)
      })
    },
    removeHandler: (channel: string) => void handlers.delete(channel),
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
