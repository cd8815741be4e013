/** What commands share: the owner of the data folder, with a line to each service in use. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startWorker } from '../../media/start-worker.ts'
import type { Log } from '../../node/log.ts'
import { systemZone } from '../../node/time-zone.ts'
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
import { needsUser, type ListedSubmission } from '../outbox/index.ts'
import { SIGNING_ACCOUNT } from '../hooks/index.ts'
import { readLinuxPower } from '../quiet/index.ts'
import { parseBaseUrl, type BaseUrl } from '../service-api/index.ts'
import {
  createSettings,
  openSettingsFile,
  SETTINGS_KEY,
  type Settings,
  type SettingsStore,
} from '../settings/settings.ts'
import { builtInServiceFolder, type Environment, dataFolder } from './environment.ts'
import { takingChanges } from './follow-settings.ts'
import { workerOf } from './job-worker.ts'
import type { Owner, Reached, SavedSettings, UsedLine, Watching } from './owner-types.ts'

/** Node options of the built-in service. */
const SERVICE_OPTIONS = ['--disable-warning=ExperimentalWarning']

type Place = Pick<
  Environment,
  'env' | 'cwd' | 'home' | 'platform' | 'timing' | 'node' | 'builtInEntry' | 'powerSupplies'
> & {
  readonly log: Log
  /** Keeps a secret out of the log. */
  readonly hide: (secret: string) => void
}

/** Name of the default output folder, which is inside the folder of a command. */
export const DEFAULT_OUTPUT = 'mediatray-output'

/** Opens the core with the app's files, without the app. Never writes the app's settings. */
export function openOwner(place: Place): Owner {
  const { timing, platform, powerSupplies, home, log, hide } = place
  const dataDir = dataFolder(place)
  const file = join(dataDir, 'settings.json')
  const read = (): SavedSettings => {
    const store = openSettingsFile(file, { keepsDamaged: false })
    return { saved: createSettings(store), damage: store.damage }
  }
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
  const core = openCore({
    dataDir,
    settings,
    connection: createConnection({
      settings,
      keyStore,
      timing,
      onKey: hide,
      ...(isExternal ? {} : { builtIn }),
    }),
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
  })
  const needService = () => {
    if (!isExternal && core.connection.view().kind === null) core.connection.useBuiltIn()
  }
  const sendRest = () => {
    if (core.sender.busy()) needService()
  }
  // Otherwise, its jobs would be interrupted for lack of an owner.
  const hasJobs = () => core.history.openJobs().some(({ connection }) => connection === 'builtIn')
  if (wasServiceLeft(builtInServiceFolder(place)) && hasJobs()) needService()
  const needing = core.outbox.list().filter(needsUser)
  core.events.on('outboxChanged', sendRest)
  sendRest()
  const shared = sharing(core, { builtIn, saved: () => read().saved, keyStore, timing, home, needService })
  return {
    ...shared,
    readSettings,
    signWith: (key) => keyStore.give(SIGNING_ACCOUNT, key),
    isOutdated() {
      const now = read().saved.view()
      return now.connection === 'external' ? !isExternal || now.baseUrl !== baseUrl : isExternal
    },
    watching: watchingByCommands(needing),
    async close(end) {
      await shared.close()
      await core.close(end)
    },
  }
}

/** The app, as commands see it. `close` leaves the core open. */
export const ownerInApp = (
  core: Core,
  parts: Pick<SharingOptions, 'builtIn' | 'timing' | 'home'> & { readonly keyStore: GivenKeys },
): Owner => ({
  ...sharing(core, { ...parts, saved: () => core.settings, needService: () => undefined }),
  readSettings: () => ({ saved: core.settings, damage: null }),
  signWith: () => undefined,
  isOutdated: () => false,
  watching: { isApps: true, isOn: () => true, reported: new Set(), begin: () => false, end: () => undefined },
})

type SharingOptions = {
  readonly builtIn: BuiltInService
  readonly saved: () => Settings
  readonly keyStore: GivenKeys
  readonly needService: () => void
} & Pick<Place, 'timing' | 'home'>

function sharing(
  core: Core,
  options: SharingOptions,
): Omit<Owner, 'readSettings' | 'signWith' | 'isOutdated' | 'watching'> {
  const { builtIn, needService } = options
  const lines = createLines(core, options)
  return {
    core,
    lineTo: (baseUrl, key) => lines.lineTo(baseUrl, key),
    needService,
    onReleased: reportingReleased(core),
    async builtIn() {
      needService()
      return addressOf(await ready(builtIn))
    },
    busy: createBusyCheck(() => [core, ...lines.all()], options.timing),
    close: () => lines.close(),
  }
}

/** How long the owner waits for a service or a disk, in ms, after which its work waits on disk for the next owner. */
const STUCK_MS = 60_000

/** @returns a function that returns whether work goes on without the user */
function createBusyCheck(lines: () => readonly Line[], { monotonic }: Place['timing']): () => boolean {
  let stuckSince: number | undefined
  return () => {
    const working = lines().filter(
      (line) => line.busy() || line.hooks.busy() || line.state.get().jobs.length > 0,
    )
    if (working.some(hasLostData)) return false
    const areStuck = working.length > 0 && working.every(isStuck)
    stuckSince = areStuck ? (stuckSince ?? monotonic()) : undefined
    return working.length > 0 && (stuckSince === undefined || monotonic() - stuckSince < STUCK_MS)
  }
}

const hasLostData = ({ state }: Line): boolean => state.get().notices.some(({ kind }) => kind === 'dataGone')

/** Whether nothing moves until a service or a disk is there again. */
function isStuck({ connection, hooks, state }: Line): boolean {
  const { status } = connection.view().state
  const isAway = status !== 'online' && status !== 'connecting'
  const isFull = state.get().notices.some(({ kind }) => kind === 'diskFull' || kind === 'dataNotWritten')
  return !hooks.busy() && (isAway || isFull)
}

/** Keeps what no command has reported for the next one. */
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
  if (state.kind === 'failed')
    return { ok: false, message: `Couldn’t start the built-in service: ${state.reason}` }
  const baseUrl = parseBaseUrl(state.baseUrl)
  return baseUrl.ok
    ? { ok: true, baseUrl: baseUrl.value, key: state.key }
    : { ok: false, message: `The built-in service reported an invalid address: ${baseUrl.why}` }
}

function watchingByCommands(needing: readonly ListedSubmission[]): Watching {
  let isOn = false
  return {
    isApps: false,
    isOn: () => isOn,
    reported: new Set(needing.map(({ id }) => id)),
    begin() {
      if (isOn) return false
      isOn = true
      return true
    },
    end() {
      isOn = false
    },
  }
}

/** A pause applies only to automatic sending, but the user has named this service. */
const UNPAUSED = { outboxPaused: false, pausedUntil: null } as const

type Used = { readonly line: Line; users: number }

/** Opens one line per service, so that no two send the same submission. */
function createLines(
  core: Core,
  {
    saved,
    keyStore,
    timing,
    home,
  }: { readonly saved: () => Settings; readonly keyStore: GivenKeys } & Pick<Place, 'timing' | 'home'>,
) {
  const lines = new Map<string, Used>()

  function open(baseUrl: BaseUrl): Used {
    const settings = createSettings(
      inMemory({
        ...saved().view(),
        ...UNPAUSED,
        connection: 'external',
        baseUrl: baseUrl.href,
        // The app's setting for file access applies only to the app's own service.
        seesFiles: true,
      }),
    )
    const take = takingChanges(settings, UNPAUSED)
    const stop = core.settings.onChange(() => take(core.settings))
    const opened = core.openLine({
      settings,
      connection: createConnection({ settings, keyStore, timing }),
      defaultOutput: join(home, DEFAULT_OUTPUT),
    })
    const line: Line = {
      ...opened,
      close() {
        stop()
        return opened.close()
      },
    }
    const used = { line, users: 0 }
    lines.set(baseUrl.href, used)
    return used
  }

  return {
    lineTo(baseUrl: BaseUrl, key: string | undefined): UsedLine {
      const keyOf = async () => {
        const kept = await keyStore.read(baseUrl.href)
        return kept.ok ? (kept.value ?? undefined) : undefined
      }
      if (key !== undefined) keyStore.give(baseUrl.href, key)
      const view = core.connection.view()
      if (view.kind === 'external' && view.baseUrl === baseUrl.href) {
        if (key !== undefined) core.connection.retry()
        return { line: core, key: keyOf, release: () => undefined }
      }
      const used = lines.get(baseUrl.href) ?? open(baseUrl)
      if (key !== undefined && used.users > 0) used.line.connection.retry()
      used.users++
      return {
        line: used.line,
        key: keyOf,
        release() {
          used.users--
          if (used.users > 0 || used.line.busy()) return
          lines.delete(baseUrl.href)
          void used.line.close()
        },
      }
    },
    all: () => [...lines.values()].map(({ line }) => line),
    async close() {
      await Promise.all([...lines.values()].map(({ line }) => line.close()))
    },
  }
}

/** @param damage whether a value is missing because it can't be read */
function inMemory(initial: object, damage: SettingsStore['damage'] = null): SettingsStore {
  const values = new Map<string, unknown>([[SETTINGS_KEY, initial]])
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    damage,
    keptAs: null,
  }
}
