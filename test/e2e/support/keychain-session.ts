/** A private session bus with a real, unlocked keychain, as a login session provides. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type KeychainSession = {
  /** Environment variables for the app. */
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

export async function startKeychainSession(): Promise<KeychainSession> {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-session-'))
  mkdirSync(join(folder, 'run'), { mode: 0o700 })
  const own = {
    HOME: folder,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
  }
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], {
    env: { ...process.env, ...own },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const address = await firstLine(bus)
  const env = { ...process.env, ...own, DBUS_SESSION_BUS_ADDRESS: address }
  // The daemon detaches once it accepts requests, and exits with the bus.
  execFileSync('gnome-keyring-daemon', ['--unlock', '--components=secrets'], {
    env,
    input: 'password',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: address },
    async stop() {
      await end(bus)
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The process has no stdout')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error(`${child.spawnfile} ended at once`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
