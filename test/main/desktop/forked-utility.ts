/** Electron's `utilityProcess.fork` as far as it is used, on a child process of Node's with the same message port inside. */
import { fork, type ChildProcess } from 'node:child_process'
import type { ForkUtility } from '../../../src/main/desktop/utility-service.ts'

const REGISTER = new URL('../../stand-in/register.ts', import.meta.url).href

/** @param onFork is told of every process that is started */
export const forkUtilityOnNode =
  (onFork: (child: ChildProcess, path: string) => void): ForkUtility =>
  (path, args, { env, stdio }) => {
    const [, out, err] = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio]
    const child = fork(path, args, {
      execArgv: ['--disable-warning=ExperimentalWarning', '--import', REGISTER],
      env: { ...((env ?? process.env) as NodeJS.ProcessEnv), MEDIATRAY_STAND_IN_ROLE: 'utility' },
      serialization: 'advanced',
      stdio: ['ignore', out === 'pipe' ? 'pipe' : 'ignore', err === 'pipe' ? 'pipe' : 'ignore', 'ipc'],
    })
    onFork(child, path)
    return {
      get pid() {
        return child.exitCode === null && child.signalCode === null ? child.pid : undefined
      },
      stdout: child.stdout,
      stderr: child.stderr,
      postMessage: (message) => void (child.connected && child.send(message, () => {})),
      on: (_event, listener) => child.on('message', listener),
      once: (_event, listener) => child.once('exit', (code) => listener(code ?? 128)),
    }
  }
