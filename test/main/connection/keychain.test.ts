import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createKeychain, type Keytar } from '../../../src/main/connection/index.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const SCRIPT = new URL('keychain-script.ts', import.meta.url).pathname
const ACCOUNT = 'http://127.0.0.1:3847/api'
const UNLOCKED = 'printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1'
const LOCKED = 'gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1'

let home: string

beforeEach(async () => {
  home = temporaryFolder()
  await mkdir(join(home, 'run'), { mode: 0o700 })
})

const environment = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  XDG_RUNTIME_DIR: join(home, 'run'),
  XDG_DATA_HOME: join(home, 'data'),
  XDG_CONFIG_HOME: join(home, 'config'),
})

function run(command: string, args: readonly string[]): Promise<unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
  execFile(command, args, { env: environment() }, (error, stdout) => {
    if (error) reject(error)
    else
      resolve(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      )
  })
  return promise
}

/** Runs the steps in a private D-Bus session with a keyring daemon that ends with the session. */
const inSession = (keyring: string, ...steps: readonly string[]) =>
  run('dbus-run-session', [
    '--',
    'sh',
    '-c',
    `${keyring}; exec "$0" --disable-warning=ExperimentalWarning "$@"`,
    process.execPath,
    SCRIPT,
    ACCOUNT,
    ...steps,
  ])

const fine = (value?: unknown) => (value === undefined ? { ok: true } : { ok: true, value })

describe.runIf(process.platform === 'linux')('the system’s keychain', () => {
  it('stores, replaces and removes a key', async () => {
    expect(
      await inSession(UNLOCKED, 'read', 'write=first', 'write=second', 'read', 'remove', 'read'),
    ).toEqual([fine(null), fine(), fine(), fine('second'), fine(), fine(null)])
  })

  itInLongSuite('still has the key in the next session', async () => {
    await inSession(UNLOCKED, 'write=kept')
    expect(await readdir(join(home, 'data', 'keyrings'))).toContain('login.keyring')
    expect(await inSession(UNLOCKED, 'read')).toEqual([fine('kept')])
  })

  itInLongSuite('reports that it is locked if it is read or written before it is unlocked', async () => {
    await inSession(UNLOCKED, 'write=kept')
    const locked = { ok: false, trouble: 'locked' }
    expect(await inSession(LOCKED, 'read', 'write=other')).toEqual([locked, locked])
    expect(await inSession(UNLOCKED, 'read')).toEqual([fine('kept')])
  })

  itInLongSuite('is reported as missing without a session bus', async () => {
    const missing = { ok: false, trouble: 'missing' }
    const answers = await run(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      SCRIPT,
      ACCOUNT,
      'read',
      'write=key',
      'remove',
    ])
    expect(answers).toEqual([missing, missing, missing])
  })
})

/** Imitates the keychains of other systems: what they store and the errors they report. */
function otherSystem(refusal?: unknown) {
  const kept = new Map<string, string>()
  const keytar: Keytar = {
    getPassword: async (service, account) => kept.get(`${service} ${account}`) ?? null,
    async setPassword(service, account, password) {
      if (refusal !== undefined) throw refusal
      kept.set(`${service} ${account}`, password)
    },
    deletePassword: async (service, account) => kept.delete(`${service} ${account}`),
  }
  return { kept, keychain: createKeychain({ load: async () => keytar }) }
}

describe('a keychain', () => {
  it('stores each key under the app’s name, and doesn’t store anything else', async () => {
    const { kept, keychain } = otherSystem()
    expect(await keychain.read('a')).toEqual(fine(null))
    expect(await keychain.write('a', 'key')).toEqual({ ok: true, value: undefined })
    expect([...kept]).toEqual([['Mediatray a', 'key']])
    expect(await keychain.remove('a')).toEqual({ ok: true, value: undefined })
    expect([...kept]).toEqual([])
  })

  it.each([
    ['locked', new Error('The user name or passphrase you entered is not correct.')],
    ['locked', new Error('Cannot create an item in a locked collection')],
    ['locked', new Error('User canceled the operation.')],
    ['locked', new Error('Prompt was dismissed')],
    ['locked', new Error('Access is denied.')],
    ['locked', new Error('User interaction is not allowed.')],
    ['missing', new Error('The name org.freedesktop.secrets was not provided by any .service files')],
    ['missing', 'no error at all, and nothing about a lock'],
  ] as const)('that can’t store a key reports that it is %s: %s', async (trouble, refusal) => {
    const { keychain } = otherSystem(refusal)
    expect(await keychain.write('a', 'key')).toEqual({ ok: false, trouble })
    // A locked keychain may report an existing entry as missing.
    expect(await keychain.read('a')).toEqual({ ok: false, trouble })
  })

  it('that can’t store a new key still returns the existing one', async () => {
    const { kept, keychain } = otherSystem(new Error('locked'))
    kept.set('Mediatray a', 'earlier')
    expect(await keychain.read('a')).toEqual(fine('earlier'))
  })

  it('that never responds counts as locked', async () => {
    const { promise: never } = Promise.withResolvers<never>()
    const keychain = createKeychain({
      load: () =>
        Promise.resolve({ getPassword: () => never, setPassword: () => never, deletePassword: () => never }),
      patience: 20,
    })
    expect(await keychain.read('a')).toEqual({ ok: false, trouble: 'locked' })
    expect(await keychain.write('a', 'key')).toEqual({ ok: false, trouble: 'locked' })
  })

  it('whose native module does not load is reported as missing', async () => {
    const keychain = createKeychain({
      load: () => Promise.reject(new Error('libsecret-1.so.0: cannot open')),
    })
    expect(await keychain.read('a')).toEqual({ ok: false, trouble: 'missing' })
  })

  it('is not loaded before it is needed', async () => {
    let loads = 0
    const keychain = createKeychain({
      load: () => {
        loads++
        return Promise.reject(new Error('none'))
      },
    })
    expect(loads).toBe(0)
    await keychain.read('a')
    await keychain.read('a')
    expect(loads).toBe(1)
  })
})
