import { spawn } from 'node:child_process'

/** Shell script that runs its arguments once its input ends, which happens when the process that started it exits. */
const WHEN_ENDED = 'cat > /dev/null; exec "$@" < /dev/null'

/**
 * Starts a program once this process has exited. For Linux, where `app.relaunch` starts it with `no_new_privs`. With this flag, an
 * AppImage can't be mounted, and the next update can't ask for an administrator's password.
 */
export function startAfterExit(program: string, args: readonly string[]): void {
  const child = spawn('/bin/sh', ['-c', WHEN_ENDED, 'sh', program, ...args], {
    // An AppImage is unmounted when it exits.
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => undefined)
  child.unref()
}
