/** Why the keychain can't be used: it doesn't exist, or it is locked. */
export type KeychainTrouble = 'missing' | 'locked'

export type Kept<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly trouble: KeychainTrouble }

/** Stores secrets by account, for example the key of a service by its base URL. Calls never throw and always finish within a time limit. */
export interface KeyStore {
  readonly storage: 'keychain' | 'session'
  /** The value is null if no key is stored. */
  read(account: string): Promise<Kept<string | null>>
  write(account: string, key: string): Promise<Kept<void>>
  /** Also succeeds if no key is stored. */
  remove(account: string): Promise<Kept<void>>
  /** Keeps a key in memory until it is replaced or removed, or the process ends. */
  give?(account: string, key: string): void
}

export type Keytar = {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

export type KeychainOptions = {
  /** Loads the native module on first use; by default `keytar`. */
  readonly load?: () => Promise<Keytar>
  /** How long a keychain may take to respond before it counts as locked, in ms. The user may be typing a password. */
  readonly patience?: number
}

/** The service name under which the keychain stores the keys of this app. */
const SERVICE_NAME = 'Mediatray'

/** A temporary entry for testing whether the keychain is usable. */
const PROBE_ACCOUNT = 'probe'

const PATIENCE_MS = 30_000

/**
 * Creates a store in the operating system's keychain. Calls return an error if the keychain is missing or locked. On Linux, keytar throws
 * without D-Bus or a Secret Service, and it may wait forever for a keychain that prompts for a password.
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
      // A locked Secret Service reports locked entries as missing. Only a write reveals the difference.
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

export type GivenKeys = KeyStore &
  Required<Pick<KeyStore, 'give'>> & {
    /** Sets the key that came with a command; undefined removes it. It takes precedence over all other keys. */
    lend(account: string, key: string | undefined): void
    /** Like `read`, but ignores the keys of commands. */
    kept: KeyStore['read']
  }

/** Adds keys kept in memory to a keychain. They take precedence over the keychain's. */
export function withGivenKeys(keychain: KeyStore): GivenKeys {
  const given = new Map<string, string>()
  const lent = new Map<string, string>()
  const readIn = (keys: ReadonlyMap<string, string>, otherwise: KeyStore['read']): KeyStore['read'] =>
    async function read(account) {
      const key = keys.get(account)
      return key === undefined ? otherwise(account) : { ok: true, value: key }
    }
  const kept = readIn(given, (account) => keychain.read(account))
  function forget(account: string): void {
    given.delete(account)
    lent.delete(account)
  }
  return {
    ...keychain,
    read: readIn(lent, kept),
    kept,
    write(account, key) {
      forget(account)
      return keychain.write(account, key)
    },
    remove(account) {
      forget(account)
      return keychain.remove(account)
    },
    give: (account, key) => void given.set(account, key),
    lend: (account, key) => void (key === undefined ? lent.delete(account) : lent.set(account, key)),
  }
}

async function loadKeytar(): Promise<Keytar> {
  const keytar = await import('keytar')
  // A bundler or Node's CommonJS interop may expose the functions only on `default`.
  return 'default' in keytar && isKeytar(keytar.default) ? keytar.default : keytar
}

const isKeytar = (value: unknown): value is Keytar =>
  typeof value === 'object' && value !== null && 'getPassword' in value

/** Determines the cause from the messages of libsecret, the macOS keychain and the Windows credential store. */
function troubleOf(error: unknown): KeychainTrouble {
  const message = error instanceof Error ? error.message : ''
  return /lock|dismiss|cancel|denied|not allowed|passphrase/i.test(message) ? 'locked' : 'missing'
}
