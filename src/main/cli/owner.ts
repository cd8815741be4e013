/** Opens what all commands share: the core that owns the data folder, with its connection ("line") to each service in use. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startWorker } from '../../media/start-worker.ts'
import type { Log } from '../../node/log.ts'
import { systemZone } from '../../node/time-zone.ts'
import { hasBuiltInFailed } from '../../shared/model/connection.ts'
import { openCore, type Core, type Line } from '../core/index.ts'
import {
  createBuiltInService,
  createConnection,
  createKeychain,
  spawnService,
  wasServiceLeft,
  withGivenKeys,
  type BuiltInService,
  type BuiltInState,
  type GivenKeys,
} from '../connection/index.ts'
import { needsUser, type Submission } from '../outbox/index.ts'
import { readLinuxPower } from '../quiet/index.ts'
import { parseBaseUrl } from '../service-api/index.ts'
import { createSettings, openSettingsFile, SETTINGS_KEY, type SettingsStore } from '../settings/settings.ts'
import { builtInServiceFolder, dataFolder, type Environment, settingsIn } from './environment.ts'
import { takingChanges } from './follow-settings.ts'
import { workerOf } from './job-worker.ts'
import { t } from './output/language.ts'
import { lendingKeys } from './lend-keys.ts'
import type { Owner, Reached, SavedSettings, Watching } from './owner-types.ts'

const SERVICE_OPTIONS = ['--disable-warning=ExperimentalWarning']

type Place = Pick<
  Environment,
  'env' | 'cwd' | 'home' | 'platform' | 'timing' | 'node' | 'builtInEntry' | 'powerSupplies'
> & {
  readonly log: Log
  /** Whether the program's files have been replaced or deleted, for example by an update. */
  readonly isReplaced?: (() => boolean) | undefined
  /** Keeps a secret out of the log. */
  readonly hide: (secret: string) => void
}

/** Name of the default output folder: in a command's working folder or, for other jobs, in the home folder. */
export const DEFAULT_OUTPUT = 'mediatray-output'

/** Reads the app's settings. Never writes them. */
export function readSettingsIn(dataDir: string): SavedSettings {
  const store = openSettingsFile(join(dataDir, 'settings.json'), { keepsDamaged: false })
  return { saved: createSettings(store), damage: store.damage }
}

/** Opens the core with the app's files, without the app. Only an import writes the app's settings. */
export function openOwner(place: Place): Owner {
  const { timing, platform, powerSupplies, home, log, hide } = place
  const dataDir = dataFolder(place)
  const file = settingsIn(place)
  const read = () => readSettingsIn(dataDir)
  const { saved } = read()
  const { connection: chosen, baseUrl } = saved.view()
  const isExternal = chosen === 'external'
  const keep = saved.keepOriginals()
  const values = {
    ...saved.view(),
    keepOriginalsDays: keep.from === 'choice' ? keep.days : undefined,
    connection: isExternal ? chosen : null,
  }
  const settings = createSettings(inMemory(values, keep.from === 'unreadable' ? 'unreadable' : null))
  const take = takingChanges(settings)
  function readSettings(): SavedSettings {
    const now = read()
    if (now.damage === null && existsSync(file)) take(now.saved)
    return now
  }
  const keyStore = withGivenKeys(createKeychain())
  const builtIn = createBuiltInService({
    spawn: spawnService(place.node, place.builtInEntry, SERVICE_OPTIONS),
    dataDir: builtInServiceFolder(place),
    timing,
    // Report a crash instead of retrying for minutes.
    limits: { crashes: 1 },
  })
  const power = () => (platform === 'linux' ? readLinuxPower(powerSupplies) : Promise.resolve(UNKNOWN_POWER))
  const connecting = { keyStore, onKey: hide, builtIn }
  let needing: readonly Pick<Submission, 'id'>[] = []
  const core = openCore({
    dataDir,
    settings,
    connection: createConnection({ settings, timing, ...connecting }),
    connecting,
    defaultOutput: join(home, DEFAULT_OUTPUT),
    home,
    startChecker: () => startWorker('trials', workerOf(place)),
    timing,
    log,
    keyStore,
    quiet: {
      computer: {
        read: async (needs) => ({ power: needs.power ? (await power()).power : 'unknown', idleMs: null }),
        abilities: async () => ({ battery: (await power()).battery, idle: false }),
      },
      zone: systemZone,
    },
    onOpen({ outbox }) {
      needing = outbox.list().filter(needsUser)
    },
  })
  const needService = () => {
    if (!isExternal) startBuiltIn(core.connection)
  }
  let failedAt = -Infinity
  builtIn.onChange(({ kind }) => {
    if (kind === 'failed') failedAt = timing.monotonic()
  })
  const sendRest = () => {
    if (core.sender.busy() && timing.monotonic() - failedAt >= RESTART_MS) needService()
  }
  // Connect to a built-in service that the previous owner left running. Its jobs would be interrupted without an owner.
  const hasJobs = () => core.history.openJobs().some(({ connection }) => connection === 'builtIn')
  if (wasServiceLeft(builtInServiceFolder(place)) && hasJobs()) needService()
  core.events.on('outboxChanged', sendRest)
  sendRest()
  const shared = sharing(core, { builtIn, keyStore, timing, needService, isReplaced: place.isReplaced })
  return {
    ...shared,
    isApp: false,
    readSettings,
    // Once the settings name another service, the next command starts another owner.
    mainService: (chosen) => ({
      useBuiltIn: async () => void chosen.update({ connection: 'builtIn' }),
      useKnown: async (service) => void chosen.update({ connection: 'external', baseUrl: service }),
    }),
    sendRest,
    give(secrets) {
      for (const [account, secret] of Object.entries(secrets)) keyStore.give(account, secret)
    },
    isOutdated() {
      const now = read().saved.view()
      return now.connection === 'external' ? !isExternal || now.baseUrl !== baseUrl : isExternal
    },
    watching: watchingByCommands(needing),
    close: (end) => core.close(end),
  }
}

/** The app, as commands see it. `close` leaves the core open. */
export const ownerInApp = (core: Core, parts: Pick<Shared, 'builtIn' | 'timing' | 'keyStore'>): Owner => ({
  ...sharing(core, { ...parts, needService: () => undefined }),
  isApp: true,
  readSettings: () => ({ saved: core.settings, damage: null }),
  mainService: () => core.lines,
  sendRest: () => undefined,
  give: () => undefined,
  isOutdated: () => false,
  close: () => Promise.resolve(),
  watching: {
    isOn: () => true,
    reported: new Set(),
    begin: () => false,
    // Commands in the app end together with the app.
    ended: () => new Promise(() => undefined),
    end: () => undefined,
  },
})

type Shared = {
  readonly builtIn: BuiltInService
  readonly keyStore: GivenKeys
  readonly needService: () => void
} & Pick<Place, 'timing' | 'isReplaced'>

function sharing(core: Core, options: Shared) {
  const { builtIn, needService, keyStore } = options
  return {
    core,
    lineTo: lendingKeys(core, keyStore),
    needService,
    onReleased: reportingReleased(core),
    async builtIn(): Promise<Reached> {
      needService()
      const other = core.lines.other('builtIn')
      if (other !== undefined) startBuiltIn(other.connection)
      return addressOf(await ready(builtIn))
    },
    busy: createBusyCheck(core.lines.all, options),
  }
}

/**
 * How long to wait after a failure of the built-in service, in ms, before new work may restart it. Otherwise, a job that crashes the
 * service would restart it as soon as the job is back in the outbox. A command that needs the service doesn't wait.
 */
const RESTART_MS = 2_000

function startBuiltIn(connection: Line['connection']): void {
  if (connection.view().kind === null) connection.useBuiltIn()
  else if (hasBuiltInFailed(connection.view())) connection.retry()
}

/** How long the owner waits for a service or a disk, in ms. After that, it may end, and the next owner finds the work on disk. */
const STUCK_MS = 60_000

/** Creates a function that checks whether any work can continue without the user. Work that has been stuck for STUCK_MS doesn't count. */
function createBusyCheck(
  lines: () => readonly Line[],
  { timing: { monotonic }, isReplaced = () => false }: Pick<Place, 'timing' | 'isReplaced'>,
): () => boolean {
  let stuckSince: number | undefined
  return () => {
    const working = lines().filter(
      (line) => line.busy() || line.hooks.busy() || line.tracker.jobs().length > 0,
    )
    if (working.some(hasLostData)) return false
    const areStuck = working.length > 0 && working.every(isStuck)
    stuckSince = areStuck ? (stuckSince ?? monotonic()) : undefined
    if (stuckSince === undefined) return working.length > 0
    // Don't wait if the program's files have been replaced: only the next owner can start a service.
    return monotonic() - stuckSince < STUCK_MS && !isReplaced()
  }
}

const hasLostData = ({ state }: Line): boolean => state.get().notices.some(({ kind }) => kind === 'dataGone')

/** Whether the line's work is waiting for a service or a disk to become available again. */
function isStuck({ connection, hooks, state }: Line): boolean {
  const { status } = connection.view().state
  const isAway = status !== 'online' && status !== 'connecting'
  const isFull = state.get().notices.some(({ kind }) => kind === 'diskFull' || kind === 'dataNotWritten')
  return !hooks.busy() && (isAway || isFull)
}

/** Remembers released originals that no command has reported, and reports them to the next command. */
function reportingReleased({ events }: Core): Owner['onReleased'] {
  const unsaid: string[] = []
  let commands = 0
  events.on('originalsReleased', (places) => {
    if (commands === 0) unsaid.push(...places)
  })
  return (say) => {
    commands++
    say(unsaid.splice(0))
    const stop = events.on('originalsReleased', say)
    return () => {
      commands--
      stop()
    }
  }
}

const UNKNOWN_POWER = { power: 'unknown', battery: 'unknown' } as const

type Ended = Extract<BuiltInState, { kind: 'running' | 'failed' }>

function ready(builtIn: BuiltInService): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const look = (state: BuiltInState) => {
    if (state.kind === 'running' || state.kind === 'failed') resolve(state)
  }
  const stop = builtIn.onChange(look)
  look(builtIn.state())
  return promise.finally(stop)
}

function addressOf(state: Ended): Reached {
  if (state.kind === 'failed') return { ok: false, message: t().stops.notStarted({ detail: state.reason }) }
  const baseUrl = parseBaseUrl(state.baseUrl)
  return baseUrl.ok
    ? { ok: true, baseUrl: baseUrl.value, key: state.key }
    : { ok: false, message: t().stops.badAddress({ detail: baseUrl.why }) }
}

function watchingByCommands(needing: readonly Pick<Submission, 'id'>[]): Watching {
  let now: PromiseWithResolvers<void> | undefined
  return {
    isOn: () => now !== undefined,
    reported: new Set(needing.map(({ id }) => id)),
    begin() {
      if (now !== undefined) return false
      now = Promise.withResolvers()
      return true
    },
    ended: () => now?.promise ?? Promise.resolve(),
    end() {
      now?.resolve()
      now = undefined
    },
  }
}

/** @param damage not null if a value is missing because it can't be read */
function inMemory(initial: object, damage: SettingsStore['damage'] = null): SettingsStore {
  const values = new Map<string, unknown>([[SETTINGS_KEY, initial]])
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    damage,
    keptAs: null,
  }
}
