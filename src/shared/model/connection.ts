import type { DriveStatus, Presets } from '../api/resources.ts'

export type ConnectionKind = 'external' | 'builtIn'

export type OfflineReason =
  /** The address can't be reached: for example, nothing listens there, or the name can't be resolved. */
  | 'refused'
  /** Connecting timed out, or the server accepted the connection but didn't respond, or responded with a server error. */
  | 'silent'
  /** The server isn't a Local Media Job service. */
  | 'notTheService'
  /** The built-in service couldn't be started or has crashed too often. */
  | 'builtInFailed'

export type ConnectionState =
  | { readonly status: 'unconfigured' }
  | { readonly status: 'connecting' }
  | { readonly status: 'online'; readonly version: string }
  | { readonly status: 'keyRefused' }
  | { readonly status: 'offline'; readonly reason: OfflineReason; readonly detail?: string }
  /** Only possible if the settings require the exact version. */
  | { readonly status: 'wrongVersion'; readonly version: string }

/** Returns the address as shown to the user, without scheme and path. */
export const addressOf = (baseUrl: string): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl

/**
 * Whether the built-in service couldn't be started or has crashed too often. It is then restarted only if the user or a command requests
 * it.
 */
export const hasBuiltInFailed = ({ state }: Pick<ConnectionView, 'state'>): boolean =>
  state.status === 'offline' && state.reason === 'builtInFailed'

/** Where the key is stored; never the key itself. */
export type KeyStorage = 'none' | 'keychain' | 'session'

export type ConnectionView = {
  readonly kind: ConnectionKind | null
  readonly baseUrl: string
  /** Host and port, as displayed. */
  readonly address: string
  readonly state: ConnectionState
  readonly key: KeyStorage
  /** Why the keychain can't be used; null if it can. */
  readonly keychainTrouble: 'missing' | 'locked' | null
  /**
   * Whether the service can read and write this computer's files. If not, for example because it runs in a container or behind a
   * tunnel, the app uploads inputs and downloads results.
   */
  readonly seesFiles: boolean
  /** The service's presets as last read; null until the first read. */
  readonly presets: Presets | null
  readonly drive: DriveStatus | null
}

/**
 * Returns the ID of a service for stored data: its address; `builtIn` for the built-in service, whose port varies; or `none` if no service
 * is selected. The app never looks for one service's jobs at another.
 */
export const serviceIdOf = ({ kind, baseUrl }: Pick<ConnectionView, 'kind' | 'baseUrl'>): string =>
  kind === 'external' ? baseUrl : (kind ?? 'none')

/** Returns the connection to a service. @param id the ID of one of the other services; any other value selects the main one */
export const connectionTo = (
  {
    connection,
    services,
  }: { readonly connection: ConnectionView; readonly services: readonly ConnectionView[] },
  id: string | null | undefined,
): ConnectionView => services.find((one) => serviceIdOf(one) === id) ?? connection

/** Whether a host, as formatted by `URL`, is this computer. Similar names don't match. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** Whether the service is on this computer and can read its files. */
export const isOnThisComputer = ({
  baseUrl,
  seesFiles,
}: Pick<ConnectionView, 'baseUrl' | 'seesFiles'>): boolean =>
  seesFiles && (!URL.canParse(baseUrl) || isLoopback(new URL(baseUrl).hostname))

/** The result of looking for a service at the default address on first run. */
export type FoundService =
  | { readonly kind: 'service'; readonly baseUrl: string; readonly version: string }
  | { readonly kind: 'nothing'; readonly baseUrl: string }
  | { readonly kind: 'somethingElse'; readonly baseUrl: string }

/**
 * The outcome of testing an address and a key. Doesn't contain any part of the response, because the page must not read other
 * programs' data.
 */
export type ConnectionTest =
  | { readonly ok: true; readonly version: string; readonly storage: KeyStorage }
  | {
      readonly ok: false
      readonly why:
        | 'badAddress'
        | 'notConfirmed'
        | 'notReachable'
        | 'notTheService'
        | 'keyRefused'
        | 'badKey'
        | 'noKeychain'
    }
