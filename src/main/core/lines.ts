/**
 * The lines of an owner: the main one to the service that the settings select, and lines to the other services in the settings and to
 * services that commands name. Each service has only one line, to prevent sending anything twice.
 */
import { isLoopback, serviceIdOf, type ConnectionTest } from '../../shared/model/connection.ts'
import type { Settings as SettingsValue } from '../../shared/model/settings.ts'
import type { BuiltInEnd, KeyChoice } from '../connection/index.ts'
import { parseBaseUrl } from '../service-api/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { CoreEvents, Events } from './events.ts'
import type { Line } from './line.ts'

export type Lines = ReturnType<typeof createLines>

type LinesOptions = {
  readonly main: Line
  /** The lines other than the main one, by service. */
  readonly others: Map<string, Line>
  readonly settings: Settings
  readonly events: Events<CoreEvents>
  readonly open: (service: string, settings: Settings) => Line
}

/** Events after which another line may be needed, or an open line may no longer be needed. */
const CHANGES = ['settingsChanged', 'connectionChanged', 'outboxChanged'] as const

export function createLines({ main, others, settings, events, open }: LinesOptions) {
  const users = new Map<string, number>()
  const closing = new Set<Promise<void>>()
  /** Services whose keys are deleted when their lines close. */
  const removed = new Set<string>()
  const changed = events.tell('linesChanged')
  const mainService = () => mainServiceOf(main)
  const { listed, isListed, list } = otherServicesIn(settings)

  function opened(service: string): Line {
    const known = others.get(service)
    if (known !== undefined) return known
    const line = open(service, settingsOf(settings, service))
    others.set(service, line)
    line.state.onChange(() => changed())
    changed()
    return line
  }

  async function shut(service: string, builtIn?: BuiltInEnd): Promise<void> {
    const line = others.get(service)
    // Another call may still be closing the line.
    if (line === undefined) return void (await Promise.all(closing))
    others.delete(service)
    changed()
    const closed = closeLine(line, removed.delete(service), builtIn)
    closing.add(closed)
    await closed.finally(() => closing.delete(closed))
  }

  function isNeeded(service: string, line: Line): boolean {
    if (service === mainService()) return (users.get(service) ?? 0) > 0
    return isListed(service) || (users.get(service) ?? 0) > 0 || hasJobs(line)
  }

  const startBuiltIn = () => startIfNeeded(others.get(BUILT_IN)?.connection, main)

  function closeUnneeded(): void {
    for (const [service, line] of others) if (!isNeeded(service, line)) void shut(service)
  }

  function update(): void {
    for (const { service } of listed()) if (service !== mainService()) opened(service)
    closeUnneeded()
    main.drafts.store.serviceChanged()
    startBuiltIn()
  }

  const stops = [
    ...CHANGES.map((change) => main.events.on(change, update)),
    main.events.on('draftChanged', startBuiltIn),
    events.on('linesChanged', closeUnneeded),
  ]
  update()

  /** Opens the line to a service, and keeps it open until the caller calls `release`. */
  function use(service: string) {
    // Count the user first, because an open line without users may be closed.
    users.set(service, (users.get(service) ?? 0) + 1)
    return {
      line: opened(service),
      release: (): void => {
        users.set(service, (users.get(service) ?? 1) - 1)
        closeUnneeded()
      },
    }
  }

  /**
   * Makes one of the other services the main one. The former main service becomes one of the others. Accepted jobs stay at their service.
   */
  async function makeMain(service: string): Promise<void> {
    if (!isListed(service)) return
    await shut(service)
    const chosen = listed().find((one) => one.service === service)
    // Another call has made this the main service in the meantime.
    if (chosen === undefined) return
    const former = { service: mainService(), seesFiles: settings.view().seesFiles }
    settings.update({
      otherServices: [...listed().filter((one) => one.service !== service), former],
      seesFiles: chosen.seesFiles,
    })
    if (service === BUILT_IN) main.connection.useBuiltIn()
    else main.connection.useKnown(service)
  }

  return {
    /** Returns all lines, the main line first. */
    all: (): readonly Line[] => [main, ...others.values()],
    to: (service: string) => (service === mainService() ? main : others.get(service)),
    other: (service: string) => others.get(service),
    use,
    /** Adds an external service that accepts the key, or replaces its key. */
    async add(choice: { readonly baseUrl: string } & KeyChoice): Promise<ConnectionTest> {
      const parsed = parseBaseUrl(choice.baseUrl)
      if (!parsed.ok) return { ok: false, why: 'badAddress' }
      const { href: service, origin } = parsed.value
      if (service === mainService()) return main.connection.replaceKey(choice)
      const { line, release } = use(service)
      try {
        const tested = await line.connection.useExternal(choice)
        if (tested.ok) {
          removed.delete(service)
          list(service, isLoopback(new URL(origin).hostname))
        }
        return tested
      } finally {
        release()
      }
    },
    addBuiltIn(): void {
      removed.delete(BUILT_IN)
      list(BUILT_IN, true)
    },
    /**
     * Removes a service and, when its line closes, its key. Submissions that wait for it go to the main one. Jobs that it has accepted are
     * followed until they end.
     */
    remove(service: string): void {
      removed.add(service)
      settings.update({ otherServices: listed().filter((one) => one.service !== service) })
      main.outbox.readdress(service)
    },
    makeMain,
    /** Makes the built-in service the main one, whether or not it is among the other services. */
    async useBuiltIn(): Promise<void> {
      if (isListed(BUILT_IN)) return makeMain(BUILT_IN)
      if (others.has(BUILT_IN)) await shut(BUILT_IN)
      main.connection.useBuiltIn()
    },
    /** Makes an external service the main one, with its stored key, whether or not it is among the other services. */
    async useKnown(service: string): Promise<void> {
      if (isListed(service)) return makeMain(service)
      if (others.has(service)) await shut(service)
      main.connection.useKnown(service)
    },
    /** @param builtIn whether to stop the built-in service or leave it to the next owner */
    async close(builtIn?: BuiltInEnd): Promise<void> {
      for (const stop of stops) stop()
      await Promise.all([...[...others.keys()].map((service) => shut(service, builtIn)), ...closing])
    },
  }
}

const BUILT_IN = 'builtIn'

/** Returns the ID of the main service, which is the built-in one until the user has chosen another. */
function mainServiceOf({ connection }: Line): string {
  const view = connection.view()
  return view.kind === 'external' ? serviceIdOf(view) : BUILT_IN
}

const hasJobs = (line: Line): boolean =>
  line.busy() || line.state.get().jobs.some(({ origin }) => origin === 'ours')

function otherServicesIn(settings: Settings) {
  const listed = () => settings.view().otherServices
  const isListed = (service: string) => listed().some((one) => one.service === service)
  return {
    listed,
    isListed,
    list: (service: string, seesFiles: boolean): void => {
      if (!isListed(service)) settings.update({ otherServices: [...listed(), { service, seesFiles }] })
    },
  }
}

/** @param isRemoved whether the user has removed the service. If so, its key is deleted */
async function closeLine(line: Line, isRemoved: boolean, builtIn: BuiltInEnd | undefined): Promise<void> {
  try {
    if (isRemoved) await line.connection.forgetKey()
  } finally {
    await line.close(builtIn)
  }
}

/** Starts the built-in service once the draft or a submission is addressed to it. */
function startIfNeeded(connection: Line['connection'] | undefined, { drafts, outbox }: Line): void {
  const isNeeded = () =>
    drafts.store.view().service === BUILT_IN ||
    outbox.listSoFar().submissions.some(({ title }) => title.service === BUILT_IN)
  if (connection?.view().kind === null && isNeeded()) connection.useBuiltIn()
}

/** Services that aren't in the settings ignore the pause, because a command has named them. */
const UNPAUSED = { outboxPaused: false, pausedUntil: null } as const

/** Derives the settings for a service other than the main one. */
function settingsOf(settings: Settings, service: string): Settings {
  let all: SettingsValue | undefined
  let shown = settings.view()
  function view(): SettingsValue {
    const now = settings.view()
    if (now === all) return shown
    all = now
    const listed = now.otherServices.find((one) => one.service === service)
    shown = {
      ...now,
      ...(listed === undefined ? UNPAUSED : {}),
      // The built-in service starts when it is needed.
      connection: service === BUILT_IN ? null : 'external',
      baseUrl: service === BUILT_IN ? '' : service,
      seesFiles: listed?.seesFiles ?? true,
    }
    return shown
  }
  return {
    ...settings,
    view,
    update({ connection: _connection, baseUrl: _baseUrl, ...patch }) {
      if (Object.keys(patch).length > 0) settings.update(patch)
      return view()
    },
    onChange: (listener) => settings.onChange(() => listener(view())),
  }
}
