/** Why the keychain can't be used: there is none, or it is locked and was not opened. */
export type KeychainTrouble = 'missing' | 'locked'

export type Kept<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly trouble: KeychainTrouble }

/** Where keys are kept, each under the base URL of its service. Nothing throws, and nothing waits for ever. */
export interface KeyStore {
  readonly storage: 'keychain' | 'session'
  /** null: none is kept. */
  read(account: string): Promise<Kept<string | null>>
  write(account: string, key: string): Promise<Kept<void>>
  /** Also fine where none was kept. */
  remove(account: string): Promise<Kept<void>>
}

/** The part of `keytar` that is used here. */
export type Keytar = {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

export type KeychainOptions = {
  /** Loads the native module; by default `keytar` itself, when it is first needed. */
  readonly load?: () => Promise<Keytar>
  /** ms until a keychain that does not answer counts as locked; a person may be typing its password. */
  readonly patience?: number
}

/** The name under which all keys of this app stand in the keychain. */
const SERVICE_NAME = 'Mediatray'

/** Kept for a moment to learn whether the keychain can be used at all. */
const PROBE_ACCOUNT = 'probe'

const PATIENCE_MS = 30_000

/**
 * The keychain of the operating system. Where there is none, or it is locked, each call says so instead of failing: without
 * a D-Bus or a Secret Service on Linux keytar throws, and with a keychain that asks for its password it may wait for ever.
 */
export function createKeychain({
  load = loadKeytar,
  patience = PATIENCE_MS,
}: KeychainOptions = {}): KeyStore {
  let loading: Promise<Keytar> | undefined

  async function attempt<T>(action: (keytar: Keytar) => Promise<T>): Promise<Kept<T>> {
    loading ??= load()
    const patienceLost = Promise.withResolvers<'waited'>()
    const timer = setTimeout(() => patienceLost.resolve('waited'), patience)
    try {
      const outcome = await Promise.race([
        loading.then(action).then((value) => ({ value })),
        patienceLost.promise,
      ])
      return outcome === 'waited' ? { ok: false, trouble: 'locked' } : { ok: true, value: outcome.value }
    } catch (error) {
      return { ok: false, trouble: troubleOf(error) }
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    storage: 'keychain',

    async read(account) {
      const kept = await attempt((keytar) => keytar.getPassword(SERVICE_NAME, account))
      if (!kept.ok || kept.value !== null) return kept
      // A locked Secret Service says "nothing there" for what it doesn't open; only writing tells the two apart.
      const usable = await attempt(async (keytar) => {
        await keytar.setPassword(SERVICE_NAME, PROBE_ACCOUNT, 'probe')
        await keytar.deletePassword(SERVICE_NAME, PROBE_ACCOUNT)
      })
      return usable.ok ? kept : usable
    },

    write: (account, key) => attempt((keytar) => keytar.setPassword(SERVICE_NAME, account, key)),

    remove: (account) =>
      attempt(async (keytar) => {
        await keytar.deletePassword(SERVICE_NAME, account)
      }),
  }
}

/** Keys in memory only, for a command that was given its key, or for a session without a keychain. */
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

async function loadKeytar(): Promise<Keytar> {
  const keytar = await import('keytar')
  // A bundler or Node's CommonJS bridge may leave the functions on `default` only.
  return 'default' in keytar && isKeytar(keytar.default) ? keytar.default : keytar
}

const isKeytar = (value: unknown): value is Keytar =>
  typeof value === 'object' && value !== null && 'getPassword' in value

/** The messages are those of libsecret, the macOS keychain and the Windows credential store. */
function troubleOf(error: unknown): KeychainTrouble {
  const message = error instanceof Error ? error.message : ''
  return /lock|dismiss|cancel|denied|not allowed|passphrase/i.test(message) ? 'locked' : 'missing'
}
