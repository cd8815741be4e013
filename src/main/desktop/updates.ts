/** Updates the app through electron-updater, if the package names an update feed. */
import type { Log } from '../../node/log.ts'
import type { App } from 'electron'
import { existsSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Handlers } from '../../shared/ipc/contract.ts'
import type { Core } from '../core/index.ts'
import type { Timing } from '../../node/timing.ts'
import {
  checkFeed,
  createSquirrelFetch,
  createUpdates,
  lastCheckIn,
  readUpdateTrust,
  requireRoom,
  UPDATE_TRUST_FILE,
  type Squirrel,
  type Updater,
  type Updates,
} from '../updates/index.ts'

type SelfUpdateOptions = Pick<Core, 'state' | 'settings' | 'busy' | 'hooks'> & {
  readonly app: Pick<App, 'isPackaged' | 'releaseSingleInstanceLock' | 'requestSingleInstanceLock'>
  /** A portable edition can't update itself, because the update would install the regular edition instead. */
  readonly isPortable: boolean
  /** Absolute path of the running AppImage; undefined for other packages. */
  readonly appImage: string | undefined
  /** Electron's own updater, which is used on macOS. */
  readonly squirrel: Squirrel
  readonly resources: string
  readonly platform: NodeJS.Platform
  readonly arch: string
  /** @throws if the request fails or returns a non-success status */
  readonly fetchBytes: (url: string) => Promise<Uint8Array>
  readonly dataFolder: string
  readonly timing: Timing
  /** Loads electron-updater on demand because of its size. */
  readonly loadUpdater: () => Promise<Updater>
  /** Called with the AppImage's new path if an update changed its file name. */
  readonly onMoved: (path: string) => void
  readonly quitForInstaller: () => void
  readonly log: Log
}

/**
 * Whether electron-updater starts the new version. It doesn't for a deb or rpm package, because it would repeat the arguments of this
 * launch and thus submit files again.
 */
export const updaterStartsApp = (resources: string): boolean => !existsSync(join(resources, PACKAGE_TYPE))

/** Name of the file that electron-builder adds to deb and rpm packages. */
const PACKAGE_TYPE = 'package-type'

const NEVER: Handlers['updates'] = { check: () => false, install: () => false }

export function startSelfUpdates(options: SelfUpdateOptions): Handlers['updates'] {
  const trust = trustOf(options)
  if (typeof trust === 'string') {
    options.state.set({ update: { status: trust } })
    return NEVER
  }
  let updates: Updates | undefined
  options.loadUpdater().then(
    (updater) => {
      updates = follow(updater, trust.feedKey, options)
    },
    (error: unknown) => options.log('could not load the updater', { error: String(error) }),
  )
  return { check: () => updates?.checkNow() ?? false, install: async () => updates?.install() ?? false }
}

/** Returns the path of the file that electron-builder adds to packages with a feed. */
const feedFileIn = (resources: string): string => join(resources, 'app-update.yml')

/** Returns how updates are verified, or why this package can't update. */
function trustOf(
  options: SelfUpdateOptions,
): { readonly feedKey: string | null } | 'noSource' | 'portable' | 'unsigned' {
  const { app, isPortable, resources, platform } = options
  if (!app.isPackaged || !existsSync(feedFileIn(resources))) return 'noSource'
  if (isPortable) return 'portable'
  const { signed, key } = readUpdateTrust(join(resources, UPDATE_TRUST_FILE))
  if (!signed) return 'unsigned'
  // macOS and Windows verify the signature of the program itself.
  if (platform !== 'linux') return { feedKey: null }
  return key === null ? 'unsigned' : { feedKey: key }
}

function preparationOf(options: SelfUpdateOptions): ((file: string) => Promise<void>) | undefined {
  const { platform, resources, appImage, squirrel, timing } = options
  if (platform === 'darwin') return createSquirrelFetch(squirrel, timing)
  // electron-updater doesn't report a missing installer, which a virus scanner may have removed.
  if (platform === 'win32') return access
  if (platform !== 'linux' || appImage === undefined || !updaterStartsApp(resources)) return undefined
  return (file) => requireRoom(appImage, file)
}

/** @param key public key of the feed; null if the system itself verifies an update's signature */
function follow(updater: Updater, key: string | null, options: SelfUpdateOptions): Updates {
  const { state, settings, dataFolder, timing, log, arch, fetchBytes, resources } = options
  updater.on('appimage-filename-updated', options.onMoved)
  const updates = createUpdates({
    updater,
    verify:
      key === null
        ? undefined
        : async (found) => {
            const appUpdateYml = await readFile(feedFileIn(resources), 'utf8')
            return checkFeed(found, { appUpdateYml, key, arch, fetchBytes })
          },
    startsItself: updaterStartsApp(resources),
    lastCheck: lastCheckIn(join(dataFolder, 'last-update-check')),
    isEnabled: () => settings.view().checkForUpdates,
    isBusy: () =>
      state.get().jobs.length + state.get().outbox.length > 0 || options.busy() || options.hooks.busy(),
    onChange: (update) => state.set({ update }),
    quitForInstaller: options.quitForInstaller,
    prepare: preparationOf(options),
    onInstalling(isInstalling) {
      // For deb and rpm packages, electron-updater blocks this process until the user has entered a password and the system has installed
      // the package. A second launch kills a process that has the lock and doesn't respond for 20 seconds. Without the lock, it waits for
      // the data folder.
      if (updaterStartsApp(resources)) return
      if (isInstalling) options.app.releaseSingleInstanceLock()
      else options.app.requestSingleInstanceLock()
    },
    timing,
    log,
  })
  state.onChange((now, before) => {
    if (now.jobs !== before.jobs || now.outbox !== before.outbox || now.settings !== before.settings)
      updates.refresh()
  })
  return updates
}
