import type { KeyStorage } from './connection.ts'

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
