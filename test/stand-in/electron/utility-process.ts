/** `utilityProcess`: a real process of Node's with a message port to its parent. */
import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import type * as Electron from 'electron'
import { lacking, onlyEvents } from './lacking.ts'

const REGISTER = new URL('../register.ts', import.meta.url).href

export function createUtilityProcesses(onChange: (pids: readonly number[]) => void) {
  const running = new Set<ChildProcess>()
  const changed = () => onChange([...running].flatMap((child) => child.pid ?? []))

  const start = (path: string, args: readonly string[] = [], options: Electron.ForkOptions = {}) => {
    const stdio = options.stdio ?? 'inherit'
    const [, out, err] = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio]
    // Standard input is always shut, as in Electron.
    const child = fork(path.startsWith('file:') ? fileURLToPath(path) : path, [...args], {
      execArgv: ['--disable-warning=ExperimentalWarning', ...(options.execArgv ?? []), '--import', REGISTER],
      env: { ...(options.env ?? process.env), MEDIATRAY_STAND_IN_ROLE: 'utility' },
      ...(options.cwd !== undefined && { cwd: options.cwd }),
      stdio: ['ignore', asStdio(out), asStdio(err), 'ipc'],
      serialization: 'advanced',
    })
    running.add(child)
    const emitter = new EventEmitter()
    onlyEvents('UtilityProcess', emitter, ['spawn', 'exit', 'message', 'error'])
    child.on('spawn', () => {
      changed()
      emitter.emit('spawn')
    })
    child.on('message', (message) => emitter.emit('message', message))
    let ended = false
    const end = (code: number) => {
      if (ended) return
      ended = true
      running.delete(child)
      changed()
      emitter.emit('exit', code)
    }
    child.on('exit', (code, signal) => end(code ?? (signal === null ? 1 : 128)))
    child.on('error', () => {
      if (child.pid === undefined) end(1)
    })
    const members = {
      get pid() {
        return ended ? undefined : child.pid
      },
      stdout: child.stdout,
      stderr: child.stderr,
      kill: () => child.kill(),
      postMessage(message: unknown, transfer: readonly unknown[] = []) {
        if (transfer.length > 0) throw new Error('The stand-in has no UtilityProcess.postMessage with ports')
        if (child.connected) child.send(message as object, () => {})
      },
    } satisfies Pick<Electron.UtilityProcess, 'pid' | 'stdout' | 'stderr' | 'kill' | 'postMessage'>
    return lacking(
      'UtilityProcess',
      Object.defineProperties(emitter, Object.getOwnPropertyDescriptors(members)),
    )
  }
  return {
    utilityProcess: lacking('utilityProcess', { fork: start }),
    end() {
      for (const child of running) child.kill('SIGKILL')
    },
  }
}

const asStdio = (wanted: unknown): 'pipe' | 'ignore' | 'inherit' =>
  wanted === 'pipe' || wanted === 'ignore' ? wanted : 'inherit'
