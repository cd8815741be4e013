import type { DriveStatus, Presets } from '../api/resources.ts'

export type ConnectionKind = 'external' | 'builtIn'

export type OfflineReason =
  /** Nothing listens there. */
  | 'refused'
  /** Something is there and does not answer in time. */
  | 'silent'
  /** Something answers that is not a Local Media Job service. */
  | 'notTheService'
  /** The built-in service ended and could not be brought back. */
  | 'builtInFailed'

export type ConnectionState =
  | { readonly status: 'unconfigured' }
  | { readonly status: 'connecting' }
  | { readonly status: 'online'; readonly version: string }
  | { readonly status: 'keyRefused' }
  | { readonly status: 'offline'; readonly reason: OfflineReason; readonly detail?: string }
  /** Only where the settings ask for the exact version. */
  | { readonly status: 'wrongVersion'; readonly version: string }

/** Where the key is: never the key. */
export type KeyStorage = 'none' | 'keychain' | 'session'

export type ConnectionView = {
  readonly kind: ConnectionKind | null
  readonly baseUrl: string
  /** Host and port, as people see it. */
  readonly address: string
  readonly state: ConnectionState
  readonly key: KeyStorage
  /** Why the keychain can't be used; null when it can. */
  readonly keychainTrouble: 'missing' | 'locked' | null
  /** False where the service runs in a container or behind a tunnel: inputs are uploaded, results downloaded. */
  readonly seesFiles: boolean
  /** The last lists read; null before the first reading. */
  readonly presets: Presets | null
  readonly drive: DriveStatus | null
}

/**
 * What a service is called in stored data: its address, or `builtIn` for the one of ours, which is the same service on
 * whatever port it comes back. Work that was sent to one service is never looked for at another.
 */
export const serviceIdOf = ({ kind, baseUrl }: Pick<ConnectionView, 'kind' | 'baseUrl'>): string =>
  kind === 'external' ? baseUrl : (kind ?? 'none')

/** What was found at the default address at first run. */
export type FoundService =
  | { readonly kind: 'service'; readonly baseUrl: string; readonly version: string }
  | { readonly kind: 'nothing'; readonly baseUrl: string }
  | { readonly kind: 'somethingElse'; readonly baseUrl: string }

/** What came of trying an address and a key. */
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
      readonly detail?: string
    }
