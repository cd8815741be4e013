import { join } from 'node:path'
import { createConnection } from '../connection/index.ts'
import { openCore, type Core } from '../core/index.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { SendingClaim } from '../outbox/index.ts'
import { createSettings, SETTINGS_KEY, type SettingsStore } from '../settings/settings.ts'
import { type Environment, dataFolder } from './environment.ts'
import { startTrialWorker } from '../../media/start-worker.ts'
import { workerOf } from './job-worker.ts'
import type { ChosenService } from './service-choice.ts'

export type CoreUse = {
  /** Whether to connect to the service. If false, the core reads only local data. */
  readonly connected: boolean
  /** Whether to send waiting submissions and download results. */
  readonly sends: boolean
  /** The only submissions to send; absent for all. */
  readonly only?: Set<RecordId>
  /** The right to send, if the caller already holds it. */
  readonly sendingClaim?: SendingClaim
}

export type OpenCore = (use: CoreUse) => Promise<Core>

/** Name of the default output folder, which is inside the current folder. */
export const DEFAULT_OUTPUT = 'mediatray-output'

/** Opens the app's core with the app's own files and a connection for this command only. Never writes the app's settings. */
export function openCoreFor(service: ChosenService, environment: Environment, use: CoreUse): Core {
  const { timing, cwd } = environment
  const settings = createSettings(
    storeInMemory({
      ...service.saved.view(),
      ...connectionOf(service),
      ...(use.connected ? {} : { connection: null }),
      // A pause applies only to automatic sending, but the user ran this command explicitly.
      outboxPaused: false,
    }),
  )
  const connection = createConnection({
    settings,
    keyStore: service.keyStore,
    ...(service.kind === 'builtIn' ? { builtIn: service.builtIn } : {}),
    timing,
  })
  return openCore({
    dataDir: dataFolder(environment),
    settings,
    connection,
    defaultOutput: join(cwd, DEFAULT_OUTPUT),
    home: environment.home,
    startChecker: () => startTrialWorker({ ...workerOf(environment), folders: [] }),
    timing,
    log: () => undefined,
    sendingClaim: use.sendingClaim,
    role: {
      sends: use.sends,
      keepsForeign: false,
      takesUnaddressed: service.isApps,
      ...(use.only === undefined ? {} : { only: use.only }),
    },
  })
}

/** Lets a command close its core early. Closing it again when the command ends has no effect. */
export function closingOnce(core: Core): Core {
  let closing: Promise<void> | undefined
  return { ...core, close: () => (closing ??= core.close()) }
}

const connectionOf = (service: ChosenService) =>
  service.kind === 'builtIn'
    ? { connection: 'builtIn' }
    : {
        connection: 'external',
        baseUrl: service.baseUrl.href,
        // The app's setting for file access applies only to the app's own service.
        ...(service.isApps ? {} : { seesFiles: true }),
      }

function storeInMemory(initial: object): SettingsStore {
  const values = new Map<string, unknown>([[SETTINGS_KEY, initial]])
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    damage: null,
    keptAs: null,
  }
}
