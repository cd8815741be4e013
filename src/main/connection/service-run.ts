import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/** The built-in service as a process of its own; a utility process of Electron can stand behind it too. */
export type ServiceProcess = {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Called once. `how` is for a person, such as "exit code 1". */
  onExit(listener: (how: string) => void): void
  /** Asks it to end in order. */
  terminate(): void
  /** Ends it at once. */
  kill(): void
}

export type SpawnService = (options: {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}) => ServiceProcess

/**
 * Starts the service with Node.
 *
 * @param execPath a Node executable
 * @param entryPath the service's entry, absolute
 */
export function spawnService(
  execPath: string,
  entryPath: string,
  nodeOptions: readonly string[] = [],
): SpawnService {
  return ({ args, env }) => {
    const child = spawn(execPath, [...nodeOptions, entryPath, ...args], {
      // stdin stays open as long as we live: that is how the service notices that its parent is gone.
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      windowsHide: true,
    })
    child.stdin.on('error', () => {})
    return {
      stdout: child.stdout,
      stderr: child.stderr,
      onExit(listener) {
        let told = false
        const tell = (how: string) => {
          if (!told) listener(how)
          told = true
        }
        child.once('error', (error) => tell(error.message))
        child.once('exit', (code, signal) => tell(signal === null ? `exit code ${code}` : `signal ${signal}`))
      },
      terminate: () => void child.kill('SIGTERM'),
      kill: () => void child.kill('SIGKILL'),
    }
  }
}
