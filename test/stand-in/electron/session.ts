/** `session.defaultSession`: schemes, permissions, and what may be fetched. */
import type * as Electron from 'electron'
import { lacking } from './lacking.ts'
import type { Schemes } from './scheme.ts'

type RequestHandler = Parameters<Electron.Session['setPermissionRequestHandler']>[0]
type CheckHandler = Parameters<Electron.Session['setPermissionCheckHandler']>[0]

export function createSession(schemes: Schemes, isReady: () => boolean) {
  let onRequest: RequestHandler = null
  let onCheck: CheckHandler = null
  const protocol = lacking('protocol', {
    registerSchemesAsPrivileged(customSchemes: Electron.CustomScheme[]) {
      if (isReady())
        throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
      schemes.register(customSchemes)
    },
    handle(scheme: string, handler: (request: Request) => Response | Promise<Response>) {
      if (!isReady()) throw new Error('protocol.handle can only be used after app is ready')
      schemes.handle(scheme, handler)
    },
    unhandle: (scheme: string) => schemes.unhandle(scheme),
    isProtocolHandled: (scheme: string) => schemes.isHandled(scheme),
  })
  const defaultSession = lacking('session.defaultSession', {
    protocol,
    setPermissionRequestHandler(handler: RequestHandler) {
      onRequest = handler
    },
    setPermissionCheckHandler(handler: CheckHandler) {
      onCheck = handler
    },
    setDevicePermissionHandler: () => {},
    setDisplayMediaRequestHandler: () => {},
    setSpellCheckerEnabled: () => {},
    setUserAgent: () => {},
    clearCache: () => Promise.resolve(),
    clearStorageData: () => Promise.resolve(),
    isPersistent: () => true,
    on: (event: string) => {
      // A download is all that an app of this kind listens for here, and the stand-in's Chromium makes none.
      if (event !== 'will-download') throw new Error(`The stand-in has no event '${event}' of session`)
    },
  })
  return {
    protocol,
    defaultSession,
    session: lacking('session', {
      defaultSession,
      /** Of no use but to be handed to `net.request`. */
      fromPartition: (name: string) => lacking(`session.fromPartition('${name}')`, {}),
    }),
    /** What the app would say to a page that asks. Without handlers Electron allows everything. */
    permission(contents: unknown, permission: string, url: string): Promise<boolean> {
      const webContents = contents as Electron.WebContents
      const asked = permission as 'media'
      const details = { isMainFrame: true, requestingUrl: url }
      if (onCheck !== null && !onCheck(webContents, asked, url, details)) return Promise.resolve(false)
      if (onRequest === null) return Promise.resolve(true)
      const handler = onRequest
      return new Promise((resolve) => handler(webContents, asked, resolve, details))
    },
  }
}
