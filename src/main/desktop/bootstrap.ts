/**
 * Sets up what Electron requires before `ready`: sandbox, scheme, single-instance lock. Files and links can also arrive before `ready`; on
 * macOS, they always do at launch. They are queued until the app can handle them.
 */
import { app, protocol } from 'electron'
import { resolve } from 'node:path'
import { wasOpenedAtLogin } from './integration/login-item.ts'
import { dropForeignAppImage, isInstalled, programFile } from './integration/program-file.ts'
import { APP_SCHEME } from './windows/app-protocol.ts'
import { queueUntilHandled } from './launch/incoming.ts'
import { keepStarts, takeKeptStarts } from './launch/kept-starts.ts'
import { becomeOnlyInstance } from './launch/single-instance.ts'
import { startAfterExit } from './launch/start-after-exit.ts'
import { hardenApp } from './windows/hardening.ts'
import {
  argumentsOfApp,
  asHidden,
  decodeLaunch,
  encodeLaunch,
  LINK_SCHEME,
  nextStarts,
  opensLinks,
  type Launch,
  type LaunchRequest,
} from './launch/launch-arguments.ts'

export type Launches = {
  readonly launch: Launch
  /** Delivers this launch, the requests that were queued or kept by an earlier run, and all later ones to `take`. */
  deliverTo(take: (request: LaunchRequest) => void, platform: NodeJS.Platform): void
  /** Queues requests while the app quits, until the caller knows whether the app or an installer starts the next run. */
  keepForNextStart(): NextStart
}

/** What to do with requests that arrived while the app was quitting. */
export type NextStart = {
  /** Starts the app again with these requests. If there are none, starts it only if `isWanted`. */
  begin(isWanted: boolean): void
  /** Keeps the requests for the next start, which the installer triggers. */
  leave(): void
}

/** Windows groups windows, pins and notifications by this ID. The Start-menu shortcut must use the same ID. */
export const APP_USER_MODEL_ID = 'app.mediatray.Mediatray'

/**
 * COM class that Windows activates when a notification is clicked. Set explicitly, because an uninstaller couldn't remove an ID
 * that Electron generates.
 */
export const TOAST_ACTIVATOR = '{A482FC3A-DFBF-44C7-8C9C-1B0BC835AE14}'

/**
 * @returns undefined if another instance is already running; that instance has received this launch, and this process must exit
 * @throws if Electron can't create its lock
 */
export function bootstrap(): Launches | undefined {
  hardenApp(app)
  dropForeignAppImage(process.env, process.execPath)
  const dataFolder = process.env['MEDIATRAY_DATA_DIR'] ?? ''
  if (dataFolder !== '') app.setPath('userData', resolve(dataFolder))
  protocol.registerSchemesAsPrivileged([APP_SCHEME])
  const program = programFile(process.env, process.execPath)
  if (isInstalled(app, program)) {
    app.setAppUserModelId(APP_USER_MODEL_ID)
    if (process.platform === 'win32') app.setToastActivatorCLSID(TOAST_ACTIVATOR)
  } else app.setAppUserModelId(`${APP_USER_MODEL_ID}.NotInstalled`)

  const args = argumentsOfApp(process.argv, app.isPackaged)
  const launch = { args: [...args], cwd: process.cwd(), program: program.path }
  if (!becomeOnlyInstance(app, encodeLaunch(launch), process.platform)) return undefined
  if (opensLinks(process.platform, app, program)) {
    app.setAsDefaultProtocolClient(LINK_SCHEME)
  }

  const { take, handTo } = queueUntilHandled<LaunchRequest>()
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
      for (const kept of takeKeptStarts(app.getPath('userData')))
        deliver({ kind: 'launch', launch: { ...launch, args: [...kept] } })
    },
    keepForNextStart() {
      const kept: LaunchRequest[] = []
      handTo((request) => void kept.push(request))
      // An update may have moved the program since it started.
      const starts = () => nextStarts(kept, programFile(process.env, process.execPath).path)
      return {
        begin(isWanted) {
          const next = starts()
          // Don't repeat the arguments of this launch, which may name files.
          if (next.length === 0 && isWanted) startNext(programFile(process.env, process.execPath).path, [])
          for (const { program: path, args: given } of next) {
            // When running from source, Electron's own options and the app folder come first.
            const own =
              path === process.execPath ? process.argv.slice(1, process.argv.length - args.length) : []
            startNext(path, [...own, ...given])
          }
        },
        leave() {
          const next = starts()
          if (next.length > 0)
            keepStarts(
              app.getPath('userData'),
              next.map((start) => start.args),
            )
        },
      }
    },
  }
}

/** Starts a program once this one has exited. */
function startNext(program: string, args: readonly string[]): void {
  const isPackage = app.isPackaged || program !== process.execPath
  if (process.platform === 'linux' && isPackage) startAfterExit(program, args)
  else app.relaunch({ execPath: program, args: [...args] })
}
