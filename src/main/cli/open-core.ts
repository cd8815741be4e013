import { join } from 'node:path'
import { systemZone } from '../../node/time-zone.ts'
import { createConnection, createKeychain, createSessionKeyStore } from '../connection/index.ts'
import { openCore, type Core, type CoreOptions } from '../core/index.ts'
import { SIGNING_ACCOUNT } from '../hooks/index.ts'
import { readLinuxPower } from '../quiet/index.ts'
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
  /** Whether the command runs like the app: it sends everything, runs what follows jobs, and obeys quiet mode. */
  readonly stays?: boolean
  /** The right to send, if the caller already holds it. */
  readonly sendingClaim?: SendingClaim
  /** Whether the command must work even if the disk with the data is full. */
  readonly usesReserve?: boolean
}

/** Lists and changes only what is on this computer, even if the disk with the data is full. */
export const LOCALLY: CoreUse = { connected: false, sends: false, usesReserve: true }

export type OpenCore = (use: CoreUse) => Promise<Core>

/** Name of the default output folder, which is inside the current folder. */
export const DEFAULT_OUTPUT = 'mediatray-output'

/** Opens the app's core with the app's own files and a connection for this command only. Never writes the app's settings. */
export function openCoreFor(service: ChosenService, environment: Environment, use: CoreUse): Core {
  const { timing, cwd } = environment
  const keep = service.saved.keepOriginals()
  const values = {
    ...service.saved.view(),
    keepOriginalsDays: keep.from === 'choice' ? keep.days : undefined,
    ...connectionOf(service),
    ...(use.connected ? {} : { connection: null }),
    // A pause applies only to automatic sending, but the user ran this command explicitly.
    ...(use.stays === true ? {} : { outboxPaused: false }),
  }
  const settings = createSettings(storeInMemory(values, keep.from === 'unreadable' ? 'unreadable' : null))
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
    ...(use.stays === true ? staying(environment) : {}),
    role: {
      sends: use.sends,
      keepsForeign: use.stays === true,
      takesUnaddressed: use.stays === true || service.isApps,
      usesReserve: use.usesReserve === true,
      ...(use.only === undefined ? {} : { only: use.only }),
    },
  })
}

/** What a command needs that runs like the app. It knows the power supply only on Linux, and never whether the user is idle. */
function staying({ env, platform, powerSupplies }: Environment): Pick<CoreOptions, 'keyStore' | 'quiet'> {
  const given = env['MEDIATRAY_SIGNING_KEY']
  const power = () => (platform === 'linux' ? readLinuxPower(powerSupplies) : Promise.resolve(UNKNOWN_POWER))
  return {
    keyStore: given ? createSessionKeyStore([[SIGNING_ACCOUNT, given]]) : createKeychain(),
    quiet: {
      computer: {
        read: async (needs) => ({ power: needs.power ? (await power()).power : 'unknown', idleMs: null }),
        abilities: async () => ({ battery: (await power()).battery, idle: false }),
      },
      zone: systemZone,
    },
  }
}

const UNKNOWN_POWER = { power: 'unknown', battery: 'unknown' } as const

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

/** @param damage whether a value is missing because it can't be read */
function storeInMemory(initial: object, damage: SettingsStore['damage']): SettingsStore {
  const values = new Map<string, unknown>([[SETTINGS_KEY, initial]])
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    damage,
    keptAs: null,
  }
}
