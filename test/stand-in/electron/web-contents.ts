/** `webContents`: a page in Chromium, with the preload in an isolated world. */
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import { createCodec } from '../page/codec.ts'
import type { Argument } from '../recorded.ts'
import type { FromPreload, ToPreload } from '../page/preload-world.ts'
import type { Chromium, ChromiumPage } from './chromium.ts'
import type { IpcMain } from './ipc-main.ts'
import { lacking, onlyEvents, preventable } from './lacking.ts'
import { BINDING, PRELOAD_WORLD, windowScripts } from './preload-script.ts'
import type { Schemes } from './scheme.ts'

/** The part of Electron's type that the stand-in implements. */
export type StandInWebContents = EventEmitter &
  Pick<
    Electron.WebContents,
    'id' | 'send' | 'getURL' | 'isDestroyed' | 'isCrashed' | 'loadURL' | 'reload' | 'setWindowOpenHandler' | 'getType' | 'focus' | 'close'
  > & {
    readonly session: unknown
    readonly mainFrame: FrameView | null
    startDrag(item: { file: string; files?: string[]; icon: unknown }): void
  } // prettier-ignore

export type FrameView = Pick<
  Electron.WebFrameMain,
  'url' | 'origin' | 'routingId' | 'processId' | 'name' | 'detached' | 'frameTreeNodeId' | 'isDestroyed'
> & { readonly parent: FrameView | null; readonly top: FrameView | null }

export type WebContentsParts = {
  readonly id: number
  readonly preload: string | undefined
  readonly platform: () => string
  readonly chromium: Chromium
  readonly schemes: Schemes
  readonly ipc: IpcMain
  readonly session: unknown
  /** Called when the page's address or existence changes. */
  readonly onChange: () => void
  readonly onGone: () => void
  readonly onCrash: (contents: StandInWebContents, details: unknown) => void
}

export type WebContentsControl = ReturnType<typeof createWebContents>

const EVENTS = [
  'will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview', 'render-process-gone', 'did-finish-load', 'destroyed',
] // prettier-ignore

/** The fields of the protocol's `Fetch.requestPaused` event that the stand-in uses. */
type PausedRequest = {
  readonly requestId: string
  readonly frameId: string
  readonly resourceType: string
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers: Record<string, string>
    readonly postData?: string
  }
}

const originOf = (url: string): string => {
  const parts = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(url)
  return parts?.[1] ?? 'null'
}

export function createWebContents(parts: WebContentsParts) {
  const { schemes, ipc } = parts
  const codec = createCodec()
  const emitter = new EventEmitter()
  onlyEvents('webContents', emitter, EVENTS)
  const secret = `_${randomUUID()}`
  const scripts = windowScripts({ secret, preload: parts.preload, platform: parts.platform() })

  let url = ''
  let destroyed = false
  let crashed = false
  let loaded = false
  let page: ChromiumPage | null = null
  let mainFrameId: string | null = null
  let preloadContext: string | null = null
  /** Address of a navigation that the main process itself started, which needs no approval. */
  let ownNavigation: string | null = null
  let windowOpenHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | null = null

  const frameView = (address: string, parent: FrameView | null): FrameView => {
    const view: FrameView = {
      url: address,
      origin: originOf(address),
      routingId: parent === null ? 1 : 2,
      processId: parts.id,
      frameTreeNodeId: parent === null ? 1 : 2,
      name: '',
      detached: false,
      isDestroyed: () => destroyed,
      parent,
      get top() {
        return parent?.top ?? view
      },
    }
    return view
  }
  // Remains the same object until the page navigates, because apps compare frames.
  let currentFrame: FrameView | null = null
  const mainFrame = () => {
    if (destroyed || crashed) return null
    if (currentFrame?.url !== url) currentFrame = lacking('WebFrameMain', frameView(url, null))
    return currentFrame
  }

  const eventFrom = (frame: FrameView | null) =>
    preventable({
      type: 'frame',
      frameId: frame?.routingId ?? 1,
      processId: parts.id,
      sender: webContents,
      senderFrame: frame,
      returnValue: undefined,
      reply: (channel: string, ...args: unknown[]) => webContents.send(channel, ...args),
    }) as unknown as Electron.IpcMainInvokeEvent

  const toPreload = (message: ToPreload) => {
    if (page === null || preloadContext === null) return
    const expression = `standInReceive(${JSON.stringify(message)})`
    // As in Electron, a page that has just gone away receives nothing.
    page.cdp.send('Runtime.evaluate', { expression, uniqueContextId: preloadContext }).catch(() => {})
  }

  const receive = async (message: FromPreload) => {
    switch (message.type) {
      case 'invoke': {
        const args = codec.decode(message.args)
        const given = Array.isArray(args) ? args : []
        const answer = await ipc.invoke(eventFrom(mainFrame()), message.channel, given)
        toPreload(answerTo(message.id, message.channel, answer))
        break
      }
      case 'send': {
        const args = codec.decode(message.args)
        ipc.ipcMain.emit(message.channel, eventFrom(mainFrame()), ...(Array.isArray(args) ? args : []))
        break
      }
      case 'paths':
        toPreload({ type: 'paths', batch: message.batch, paths: await pathsOf(message.batch, message.count) })
        break
      case 'dropNavigates':
        askToNavigate(`file://${message.path}`, true)
        break
      case 'windowOpen':
        askToOpen(message)
        break
      case 'preloadFailed':
        console.error(`Unable to load preload script: ${parts.preload ?? ''}\n${message.message}`)
        break
    }
  }
  const answerTo = (
    id: number,
    channel: string,
    answer: Awaited<ReturnType<IpcMain['invoke']>>,
  ): ToPreload => {
    if ('error' in answer) return { type: 'failed', id, message: answer.error }
    try {
      return { type: 'answer', id, result: codec.encode(answer.value) }
    } catch (error) {
      return { type: 'failed', id, message: `Error invoking remote method '${channel}': ${String(error)}` }
    }
  }

  /** Returns Chromium's own paths for the files of a held event; '' for a file without a path. */
  const pathsOf = async (batch: number, count: number): Promise<readonly string[]> => {
    const context = preloadContext
    const { cdp } = await ready
    if (context === null) return []
    const pathOf = async (index: number) => {
      const { result } = await cdp.send('Runtime.evaluate', {
        expression: `standInFile(${batch}, ${index})`,
        uniqueContextId: context,
        objectGroup: 'files',
      })
      if (result.objectId === undefined) return ''
      const { path } = await cdp.send('DOM.getFileInfo', { objectId: result.objectId })
      return path
    }
    const paths = await Promise.all(Array.from({ length: count }, (_, index) => pathOf(index)))
    await cdp.send('Runtime.releaseObjectGroup', { objectGroup: 'files' })
    return paths
  }

  const askToOpen = (asked: {
    readonly url: string
    readonly frameName: string
    readonly features: string
  }) => {
    const answer = windowOpenHandler?.({
      url: schemes.fromBrowser(asked.url),
      frameName: asked.frameName,
      features: asked.features,
      disposition: 'foreground-tab',
      referrer: { url, policy: 'strict-origin-when-cross-origin' },
    })
    if (answer?.action !== 'deny')
      console.error("The stand-in can't open windows from a page. Refused even though the handler allowed it")
  }

  /** @returns whether the page may navigate there */
  const askToNavigate = (to: string, isMainFrame: boolean): boolean => {
    const frame = isMainFrame ? mainFrame() : frameView(to, mainFrame())
    const details = { url: to, isMainFrame, isSameDocument: false, frame, initiator: mainFrame() }
    const general = preventable(details)
    emitter.emit('will-frame-navigate', general)
    if (!isMainFrame) return !general.defaultPrevented
    const event = preventable(details)
    emitter.emit('will-navigate', event, to)
    return !general.defaultPrevented && !event.defaultPrevented
  }

  const open = async (): Promise<ChromiumPage> => {
    const opened = await parts.chromium.openPage()
    const { cdp } = opened
    page = opened
    opened.onGone(() => {
      page = null
      preloadContext = null
      if (!destroyed) parts.onGone()
    })
    listen(opened)
    await Promise.all([cdp.send('Page.enable'), cdp.send('Runtime.enable'), cdp.send('Inspector.enable')])
    const { frameTree } = await cdp.send('Page.getFrameTree')
    mainFrameId = frameTree.frame.id
    await cdp.send('Runtime.addBinding', { name: BINDING, executionContextName: PRELOAD_WORLD })
    // The order matters: the page's end must listen before the preload's end calls it.
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.pageWorld })
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
      source: scripts.preloadWorld,
      worldName: PRELOAD_WORLD,
    })
    await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] })
    parts.onChange()
    return opened
  }

  const listen = ({ cdp }: ChromiumPage) => {
    cdp.on('Runtime.executionContextCreated', ({ context }) => {
      const auxiliary: { frameId?: string } = context.auxData ?? {}
      if (context.name === PRELOAD_WORLD && auxiliary.frameId === mainFrameId)
        preloadContext = context.uniqueId
    })
    cdp.on('Runtime.bindingCalled', ({ name, payload }) => {
      // Only the preload world has the binding, and only the stand-in's own code there calls it.
      if (name === BINDING) receive(JSON.parse(payload) as FromPreload).catch((error) => console.error(error))
    })
    cdp.on('Fetch.requestPaused', (paused) => {
      handleRequest(cdp, paused).catch(() => {
        cdp.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Failed' }).catch(() => {})
      })
    })
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined) return
      url = schemes.fromBrowser(frame.url)
      loaded = false
      parts.onChange()
    })
    cdp.on('Page.navigatedWithinDocument', ({ frameId, url: address }) => {
      if (frameId !== mainFrameId) return
      url = schemes.fromBrowser(address)
      parts.onChange()
    })
    cdp.on('Page.frameRequestedNavigation', ({ frameId, url: address }) => {
      // HTTP navigations are approved when they are fetched, because they can still be stopped at that point.
      if (!/^https?:/.test(address)) askToNavigate(address, frameId === mainFrameId)
    })
    cdp.on('Page.loadEventFired', () => {
      // The page that every new tab of Chromium shows may load late.
      if (url !== '' && url !== 'about:blank') finishLoad()
    })
    cdp.on('Inspector.targetCrashed', () => {
      crashed = true
      loaded = false
      preloadContext = null
      const details = { reason: 'crashed', exitCode: 139 }
      emitter.emit('render-process-gone', preventable({}), details)
      parts.onCrash(webContents, details)
      parts.onChange()
    })
  }

  const finishLoad = () => {
    loaded = true
    emitter.emit('did-finish-load', preventable({}))
    parts.onChange()
  }

  const handleRequest = async (cdp: ChromiumPage['cdp'], paused: PausedRequest) => {
    const { requestId, request } = paused
    const address = schemes.fromBrowser(request.url)
    if (paused.resourceType === 'Document') {
      const own = ownNavigation === address && paused.frameId === mainFrameId
      if (own) ownNavigation = null
      else if (!askToNavigate(address, paused.frameId === mainFrameId)) {
        await cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        return
      }
    }
    const answer = await schemes.answer({
      url: request.url,
      method: request.method,
      headers: request.headers,
      body: request.postData,
    })
    if (answer === null) await cdp.send('Fetch.continueRequest', { requestId })
    else
      await cdp.send('Fetch.fulfillRequest', {
        requestId,
        responseCode: answer.status,
        responseHeaders: answer.headers,
        body: answer.body.toString('base64'),
      })
  }

  const ready = open()
  ready.catch((error) => console.error(error))

  const loadURL = async (address: string) => {
    const { cdp } = await ready
    ownNavigation = address
    const finished = new Promise<void>((resolve) => emitter.once('did-finish-load', () => resolve()))
    const result = await cdp.send('Page.navigate', { url: schemes.toBrowser(address) })
    if (result.errorText !== undefined) throw new Error(`${result.errorText} loading '${address}'`)
    await finished
  }

  const members: Omit<StandInWebContents, keyof EventEmitter> = {
    id: parts.id,
    session: parts.session,
    get mainFrame() {
      return mainFrame()
    },
    send(channel, ...args: unknown[]) {
      if (destroyed) throw new TypeError('Object has been destroyed')
      toPreload({ type: 'event', channel, args: codec.encode(args) })
    },
    getURL: () => url,
    getType: () => 'window',
    isDestroyed: () => destroyed,
    isCrashed: () => crashed,
    loadURL,
    reload() {
      crashed = false
      ownNavigation = url
      void ready.then(({ cdp }) => cdp.send('Page.reload')).catch(() => {})
    },
    setWindowOpenHandler(handler) {
      windowOpenHandler = handler
    },
    focus: () => {},
    close: () => parts.onGone(),
    startDrag({ icon }) {
      if (icon === undefined) throw new TypeError("'icon' parameter is required")
    },
  }
  const target = Object.defineProperties(emitter, Object.getOwnPropertyDescriptors(members))
  const webContents = lacking('webContents', target) as StandInWebContents

  return {
    webContents,
    /** Resolves when the page exists in Chromium. */
    page: ready,
    targetId: () => page?.targetId ?? null,
    loaded: () => loaded,
    invokeAs(frame: Argument<'forgeInvoke'>['frame'], channel: string, args: readonly unknown[]) {
      const view = frame && frameView(frame.url, frame.subframe ? mainFrame() : null)
      return ipc.invoke(eventFrom(view), channel, args)
    },
    async end(): Promise<void> {
      if (destroyed) return
      destroyed = true
      emitter.emit('destroyed')
      const opened = await ready.catch(() => null)
      await opened?.close().catch(() => {})
    },
  }
}
