/**
 * The isolated world of the preload, with what a sandboxed preload may `require('electron')`.
 * It uses a single binding that the page's world doesn't have. The stand-in injects this file as source text.
 */
import { createBridgeEnd } from './bridge-end.ts'
import { createCodec } from './codec.ts'

/** Messages from the preload world to the app. */
export type FromPreload =
  | { readonly type: 'invoke'; readonly id: number; readonly channel: string; readonly args: string }
  | { readonly type: 'send'; readonly channel: string; readonly args: string }
  /** Requests the paths of the files in this batch. */
  | { readonly type: 'paths'; readonly batch: number; readonly count: number }
  /** Files were dropped and the page didn't prevent the default, so a browser would navigate there. */
  | { readonly type: 'dropNavigates'; readonly path: string }
  | {
      readonly type: 'windowOpen'
      readonly url: string
      readonly frameName: string
      readonly features: string
    }
  | { readonly type: 'preloadFailed'; readonly message: string }

/** Messages from the app. */
export type ToPreload =
  | { readonly type: 'answer'; readonly id: number; readonly result: string }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  | { readonly type: 'event'; readonly channel: string; readonly args: string }
  | { readonly type: 'paths'; readonly batch: number; readonly paths: readonly string[] }

export type PreloadParts = {
  readonly secret: string
  readonly tellApp: (text: string) => void
  readonly process: { readonly platform: string; readonly versions: Readonly<Record<string, string>> }
}

type Preload = (
  require: (name: string) => unknown,
  module: { exports: unknown },
  exports: unknown,
  process: unknown,
) => void

const lackingInPage = <T extends object>(name: string, object: T): T =>
  new Proxy(object, {
    get(target, key, receiver) {
      if (key in target || typeof key === 'symbol') return Reflect.get(target, key, receiver)
      throw new Error(`The stand-in has no ${name}.${key}`)
    },
  })

const copyOf = (from: DataTransfer): DataTransfer => {
  const copy = new DataTransfer()
  for (const item of from.items) {
    const file = item.kind === 'file' ? item.getAsFile() : null
    if (file !== null) copy.items.add(file)
    else if (item.kind === 'string') copy.items.add(from.getData(item.type), item.type)
  }
  copy.effectAllowed = from.effectAllowed
  return copy
}
const again = (event: DragEvent | ClipboardEvent, transfer: DataTransfer): Event => {
  const flags = { bubbles: event.bubbles, cancelable: event.cancelable, composed: event.composed }
  if (event instanceof DragEvent) {
    const { clientX, clientY, screenX, screenY, ctrlKey, shiftKey, altKey, metaKey } = event
    const place = { clientX, clientY, screenX, screenY, ctrlKey, shiftKey, altKey, metaKey }
    return new DragEvent(event.type, { ...flags, ...place, dataTransfer: transfer })
  }
  return new ClipboardEvent(event.type, { ...flags, clipboardData: transfer })
}
export function startPreloadWorld(parts: PreloadParts, preload: Preload): void {
  if (window !== window.top) return
  const codec = createCodec()
  const tell = (message: FromPreload) => parts.tellApp(JSON.stringify(message))

  // ── IPC ───────────────────────────────────────────────────────────────────────────────────────────────────────────
  type Listener = (event: unknown, ...args: unknown[]) => void
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const listeners = new Map<string, { readonly listener: Listener; readonly once: boolean }[]>()
  let nextCall = 1

  const listen = (channel: string, listener: Listener, once: boolean) => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), { listener, once }])
    return ipcRenderer
  }
  const removeListener = (channel: string, listener: Listener) => {
    const left = (listeners.get(channel) ?? []).filter((entry) => entry.listener !== listener)
    listeners.set(channel, left)
    return ipcRenderer
  }
  const ipcRenderer: object = lackingInPage('ipcRenderer', {
    async invoke(channel: string, ...args: unknown[]): Promise<unknown> {
      const encoded = codec.encode(args)
      const id = nextCall++
      const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }))
      tell({ type: 'invoke', id, channel, args: encoded })
      return answer
    },
    send: (channel: string, ...args: unknown[]) => tell({ type: 'send', channel, args: codec.encode(args) }),
    on: (channel: string, listener: Listener) => listen(channel, listener, false),
    addListener: (channel: string, listener: Listener) => listen(channel, listener, false),
    once: (channel: string, listener: Listener) => listen(channel, listener, true),
    off: removeListener,
    removeListener,
    removeAllListeners(channel: string) {
      listeners.delete(channel)
      return ipcRenderer
    },
  })
  const emit = (channel: string, args: unknown) => {
    for (const entry of listeners.get(channel) ?? []) {
      if (entry.once) removeListener(channel, entry.listener)
      entry.listener({ sender: ipcRenderer, ports: [] }, ...(Array.isArray(args) ? args : []))
    }
  }

  // ── The paths of files ────────────────────────────────────────────────────────────────────────────────────────────
  // Electron returns a file's path synchronously; the debugging protocol doesn't. So an event with files is held until their
  // paths are known, and is then dispatched to the page again.
  const paths = new Map<File, string>()
  const batches = new Map<number, { readonly files: readonly File[]; go(): void }>()
  const givenAgain = new WeakSet<Event>()
  let nextBatch = 1

  const hold = (event: DragEvent | ClipboardEvent) => {
    const from = event instanceof DragEvent ? event.dataTransfer : event.clipboardData
    if (from === null || from.files.length === 0) return
    const transfer = copyOf(from)
    const files = [...transfer.files]
    const target = event.target
    if (target === null || givenAgain.has(event) || files.every((file) => paths.has(file))) return
    event.stopImmediatePropagation()
    if (event.cancelable) event.preventDefault()
    const batch = nextBatch++
    const copy = again(event, transfer)
    givenAgain.add(copy)
    const go = () => {
      // The original target may have been re-rendered since the event arrived.
      const gone = target instanceof Node && !target.isConnected
      const untouched = (gone ? document.body : target).dispatchEvent(copy)
      const first = files[0]
      if (untouched && event.type === 'drop' && first !== undefined)
        tell({ type: 'dropNavigates', path: paths.get(first) ?? '' })
    }
    batches.set(batch, { files, go })
    tell({ type: 'paths', batch, count: files.length })
  }
  window.addEventListener('drop', hold, true)
  window.addEventListener('paste', hold, true)

  const webUtils = lackingInPage('webUtils', {
    getPathForFile(file: unknown): string {
      if (!(file instanceof File)) throw new TypeError("Failed to execute 'getPathForFile': not a File")
      return paths.get(file) ?? ''
    },
  })

  // ── The bridge ────────────────────────────────────────────────────────────────────────────────────────────────────
  const port = document.createElement('span')
  const end = createBridgeEnd(port, 'preload', 'page')
  document.dispatchEvent(new MouseEvent(parts.secret, { relatedTarget: port }))
  const openWindow = (address: string, frameName: string, features: string) =>
    tell({ type: 'windowOpen', url: new URL(address, document.baseURI).href, frameName, features })
  port.addEventListener('windowOpen', (event) => {
    if (!(event instanceof CustomEvent)) return
    const asked = event.detail as { url: string; frameName: string; features: string }
    openWindow(asked.url === '' ? 'about:blank' : asked.url, asked.frameName, asked.features)
  })
  // Runs after the page's own listeners, for links that they haven't handled.
  window.addEventListener('click', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href][target]') : null
    if (link === null || event.defaultPrevented || /^_(self|top|parent)$/i.test(link.target)) return
    openWindow(link.href, link.target, '')
  })
  const exposed = new Set<string>()
  const contextBridge = lackingInPage('contextBridge', {
    exposeInMainWorld(key: string, api: unknown) {
      if (exposed.has(key))
        throw new Error('Cannot bind an API on top of an existing property on the window object')
      exposed.add(key)
      end.expose(key, api)
    },
  })

  const receive = (message: ToPreload) => {
    switch (message.type) {
      case 'answer':
        waiting.get(message.id)?.resolve(codec.decode(message.result))
        waiting.delete(message.id)
        break
      case 'failed':
        waiting.get(message.id)?.reject(new Error(message.message))
        waiting.delete(message.id)
        break
      case 'event':
        emit(message.channel, codec.decode(message.args))
        break
      case 'paths': {
        const batch = batches.get(message.batch)
        batches.delete(message.batch)
        batch?.files.forEach((file, index) => paths.set(file, message.paths[index] ?? ''))
        batch?.go()
        break
      }
    }
  }
  // Visible in the global scope of this world only; the page has its own.
  Object.assign(globalThis, {
    standInReceive: receive,
    standInFile: (batch: number, index: number) => batches.get(batch)?.files[index],
  })

  const electron = lackingInPage('preload electron', { ipcRenderer, contextBridge, webUtils })
  const require = (name: string) => {
    if (name === 'electron' || name === 'electron/renderer' || name === 'electron/common') return electron
    throw new Error(`module not found: ${name}`)
  }
  const sandboxedProcess = {
    type: 'renderer',
    sandboxed: true,
    contextIsolated: true,
    env: {},
    ...parts.process,
  }
  try {
    const module = { exports: {} }
    preload(require, module, module.exports, sandboxedProcess)
  } catch (error) {
    tell({
      type: 'preloadFailed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}
