import type { KeyStore } from '../../../src/main/connection/index.ts'

/** Keeps keys in memory instead of the keychain. */
export function createSessionKeyStore(keys: Iterable<readonly [string, string]> = []): KeyStore {
  const kept = new Map(keys)
  return {
    storage: 'session',
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
