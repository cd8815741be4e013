/** Opens everything below the desktop shell: settings, connection, core. Has no UI. */
import type { WorkerProcess } from '../../media/start-worker.ts'
import type { Log } from '../../node/log.ts'
import type { Options } from 'electron-store'
import { join } from 'node:path'
import {
  createBuiltInService,
  createConnection,
  createKeychain,
  discover,
  spawnService,
  withGivenKeys,
  type BuiltInService,
  type GivenKeys,
} from '../connection/index.ts'
import { openCore, type Core } from '../core/index.ts'
import { type Timing } from '../../node/timing.ts'
import { createSettings, openSettingsFile, type Put, type SettingsStore } from '../settings/settings.ts'
import { systemZone } from '../../node/time-zone.ts'
import type { ComputerWatch } from '../quiet/index.ts'
import { parseJson } from '../../shared/parse-json.ts'
import { once } from '../../shared/once.ts'
import type { AppPaths } from './paths.ts'

export type OpenedCore = {
  readonly core: Core
  readonly store: SettingsStore
  readonly builtIn: BuiltInService
  readonly keyStore: GivenKeys
}

export function openAppCore(options: {
  readonly paths: AppPaths
  readonly timing: Timing
  readonly log: Log
  /** Receives every key before it is used, so that the log can redact it. */
  readonly hide: (secret: string) => void
  readonly startChecker: () => WorkerProcess
  readonly computer: ComputerWatch
}): OpenedCore {
  const { paths, timing, log, hide, startChecker, computer } = options
  const store = openStore(paths.data)
  const settings = createSettings(store)
  const keyStore = withGivenKeys(createKeychain())
  const builtIn = createBuiltInService({
    spawn: spawnService(paths.node, paths.service),
    dataDir: paths.serviceData,
    timing,
  })
  const connecting = { keyStore, builtIn, onKey: hide }
  const connection = createConnection({
    ...connecting,
    settings,
    timing,
    // Damaged settings may have named another service. Discovery must not replace that service without asking.
    ...(store.damage === null ? { discover } : {}),
  })
  const core = openCore({
    dataDir: paths.data,
    settings,
    connection,
    connecting,
    defaultOutput: paths.output,
    timing,
    startChecker,
    keyStore,
    quiet: { computer, zone: systemZone },
    log,
  })
  return { core, store, builtIn, keyStore }
}

/**
 * Opens the settings file, which electron-store writes. electron-store empties a file that it can't read and doesn't notice a full disk.
 * settings.ts therefore reads the file first, backs up a damaged one and verifies every write. electron-store and its schema code would be
 * a quarter of the startup code, so they are loaded after the tray is shown.
 */
function openStore(folder: string): SettingsStore {
  let put: Put | undefined
  setImmediate(() => {
    import('electron-store').then(
      ({ default: ElectronStore }) => {
        // Created on the first write, because its constructor would empty a damaged file.
        const store = once(() => new ElectronStore(optionsFor(folder)))
        put = (key, value) => store().set(key, value)
      },
      () => undefined, // settings.ts then keeps writing the values itself.
    )
  })
  return openSettingsFile(join(folder, 'settings.json'), { writer: () => put })
}

const optionsFor = (folder: string): Options<Record<string, unknown>> => ({
  cwd: folder,
  name: 'settings',
  clearInvalidConfig: true,
  accessPropertiesByDotNotation: false,
  configFileMode: 0o600,
  deserialize: (text) => ({ ...Object(parseJson(text)) }),
})
