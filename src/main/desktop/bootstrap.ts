/**
 * What has to be said before Electron is ready: the sandbox, the scheme, the one instance. Files and links may arrive before
 * `ready` too (macOS sends them first); they are kept until somebody can take them.
 */
import { app, protocol } from 'electron'
import { resolve } from 'node:path'
import { wasOpenedAtLogin } from './integration/login-item.ts'
import { programFile } from './integration/program-file.ts'
import { APP_SCHEME } from './windows/app-protocol.ts'
import { keepUntilTaken } from './launch/launch-queue.ts'
import { hardenApp } from './windows/hardening.ts'
import {
  argumentsOfApp,
  asHidden,
  decodeLaunch,
  encodeLaunch,
  LINK_SCHEME,
  opensLinks,
  type Launch,
} from './launch/launch-arguments.ts'

export type LaunchRequest =
  | { readonly kind: 'launch'; readonly launch: Launch }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'link'; readonly url: string }
  /** The dock icon was clicked, or the program was started again without anything. */
  | { readonly kind: 'activate' }

export type Launches = {
  readonly launch: Launch
  /** From now on requests go to `take`, this launch and those that came before first. */
  deliverTo(take: (request: LaunchRequest) => void, platform: NodeJS.Platform): void
}

/** Windows groups windows, pins and notifications by it; it is the Start-menu shortcut's too. */
export const APP_USER_MODEL_ID = 'app.mediatray.Mediatray'

/** By which Windows starts the app for a click on a notification. Electron would make up one that no uninstaller knows. */
export const TOAST_ACTIVATOR = '{A482FC3A-DFBF-44C7-8C9C-1B0BC835AE14}'

/** @returns undefined where another instance runs already; it has been told, and this one has to end */
export function bootstrap(): Launches | undefined {
  hardenApp(app)
  const dataFolder = process.env['MEDIATRAY_DATA_DIR'] ?? ''
  if (dataFolder !== '') app.setPath('userData', resolve(dataFolder))
  protocol.registerSchemesAsPrivileged([APP_SCHEME])
  app.setAppUserModelId(APP_USER_MODEL_ID)
  if (process.platform === 'win32') app.setToastActivatorCLSID(TOAST_ACTIVATOR)

  const launch = { args: [...argumentsOfApp(process.argv, app.isPackaged)], cwd: process.cwd() }
  if (!app.requestSingleInstanceLock(encodeLaunch(launch))) return undefined
  if (opensLinks(process.platform, programFile(process.env, process.execPath))) {
    app.setAsDefaultProtocolClient(LINK_SCHEME)
  }

  const { take, handTo } = keepUntilTaken<LaunchRequest>()
  app.on('open-file', (event, path) => {
    event.preventDefault()
    take({ kind: 'file', path })
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    take({ kind: 'link', url })
  })
  app.on('activate', () => take({ kind: 'activate' }))
  app.on('second-instance', (_event, _argv, _cwd, additionalData) => {
    const second = decodeLaunch(additionalData)
    take(second === undefined ? { kind: 'activate' } : { kind: 'launch', launch: second })
  })

  return {
    launch,
    deliverTo(deliver, platform) {
      handTo(deliver)
      deliver({ kind: 'launch', launch: wasOpenedAtLogin(app, platform) ? asHidden(launch) : launch })
    },
  }
}
