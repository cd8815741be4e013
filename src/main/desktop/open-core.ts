/** Opens everything below the desktop: settings, connection, the core. Nothing here draws. */
import type { Options } from 'electron-store'
import { join } from 'node:path'
import { createBuiltInService, createConnection, createKeychain, spawnService } from '../connection/index.ts'
import { APP_ROLE, openCore, type Core } from '../core/index.ts'
import { type Timing } from '../../node/timing.ts'
import { createSettings, openSettingsFile, type Put, type SettingsStore } from '../settings/settings.ts'
import { once } from '../../shared/once.ts'
import type { AppPaths } from './paths.ts'

export type OpenedCore = { readonly core: Core; readonly store: SettingsStore }

export type OpenCoreOptions = {
  readonly paths: AppPaths
  readonly timing: Timing
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
  /** Told of every key before it is used. */
  readonly hide: (secret: string) => void
}

export function openAppCore({ paths, timing, log, hide }: OpenCoreOptions): OpenedCore {
  const store = openStore(paths.data)
  const settings = createSettings(store)
  const keyStore = createKeychain()
  const builtIn = createBuiltInService({
    spawn: spawnService(paths.node, paths.service),
    dataDir: paths.serviceData,
    keyStore,
    timing,
  })
  const connection = createConnection({
    settings,
    keyStore,
    builtIn,
    timing,
    onKey: hide,
  })
  const core = openCore({
    dataDir: paths.data,
    settings,
    connection,
    defaultOutput: paths.output,
    role: APP_ROLE,
    timing,
    log,
  })
  return { core, store }
}

/**
 * electron-store puts the values into the file. It empties a file that it can't read and does not notice a disk that fills up,
 * so settings.ts reads first what is there, keeps a copy of what is damaged, and looks at what was written. A
 * quarter of the code that the app starts with would be its own and that of schemas which are not used here, so it comes after the tray.
 */
function openStore(folder: string): SettingsStore {
  let put: Put | undefined
  setImmediate(() => {
    import('electron-store').then(
      ({ default: ElectronStore }) => {
        // Opened with the first value that is put there: opening alone would empty a damaged file.
        const store = once(() => new ElectronStore(optionsFor(folder)))
        put = (key, value) => store().set(key, value)
      },
      () => undefined, // Then settings.ts writes the values itself, as it does until it is there.
    )
  })
  return openSettingsFile(join(folder, 'settings.json'), { putter: () => put })
}

const optionsFor = (folder: string): Options<Record<string, unknown>> => ({
  cwd: folder,
  name: 'settings',
  clearInvalidConfig: true,
  accessPropertiesByDotNotation: false,
  configFileMode: 0o600,
})
