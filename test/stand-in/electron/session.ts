/** `session.defaultSession`: schemes and permissions. */
import type * as Electron from 'electron'
import { lacking } from './lacking.ts'
import type { Record } from './record.ts'
import type { Schemes } from './scheme.ts'

type RequestHandler = Parameters<Electron.Session['setPermissionRequestHandler']>[0]
type CheckHandler = Parameters<Electron.Session['setPermissionCheckHandler']>[0]

export function createSession(schemes: Schemes, isReady: () => boolean, record: Record) {
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
    setSpellCheckerLanguages: (languages: string[]) => record.change({ dictionaries: languages }),
    on: (event: string) => {
      // The app listens only for downloads, and the stand-in's Chromium starts none.
      if (event !== 'will-download') throw new Error(`The stand-in has no event '${event}' of session`)
    },
  })
  return {
    protocol,
    defaultSession,
    session: lacking('session', {
      defaultSession,
      /** The result can only be passed to `net.request`. */
      fromPartition: (name: string) => lacking(`session.fromPartition('${name}')`, {}),
    }),
    /** Returns how the app answers a permission request from a page. Without handlers, Electron allows everything. */
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
