/** Why the keychain can't be used: there is none, or it is locked and was not opened. */
export type KeychainTrouble = 'missing' | 'locked'

export type Kept<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly trouble: KeychainTrouble }

/** Where keys are kept, each under the base URL of its service. Nothing throws, and nothing waits for ever. */
export interface KeyStore {
  readonly place: 'keychain' | 'session'
  /** null: none is kept. */
  read(account: string): Promise<Kept<string | null>>
  write(account: string, key: string): Promise<Kept<void>>
  /** Also fine where none was kept. */
  remove(account: string): Promise<Kept<void>>
}

/** Keys in memory only, for a command that was given its key, or for a session without a keychain. */
export function createSessionKeyStore(keys: Iterable<readonly [string, string]> = []): KeyStore {
  const kept = new Map(keys)
  return {
    place: 'session',
    read: (account) => Promise.resolve({ ok: true, value: kept.get(account) ?? null }),
    write(account, key) {
      kept.set(account, key)
      return Promise.resolve({ ok: true, value: undefined })
    },
    remove(account) {
      kept.delete(account)
      return Promise.resolve({ ok: true, value: undefined })
    },
  }
}
