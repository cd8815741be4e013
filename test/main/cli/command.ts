/** The command line in this process, in an environment that a test holds; and as a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { runCli, type ExitCode, type Environment } from '../../../src/main/cli/index.ts'
import { COMMAND } from '../../entries.ts'

const ROOT = resolve(import.meta.dirname, '..', '..', '..')

export type Ran = {
  readonly code: ExitCode
  readonly stdout: string
  readonly stderr: string
  /** Stdout as JSON lines. */
  readonly events: readonly Record<string, unknown>[]
}

type Held = Partial<
  Pick<Environment, 'env' | 'cwd' | 'readKey' | 'interrupted' | 'builtInEntry' | 'timing'>
> & {
  readonly columns?: number
  /** Told of everything that is written. */
  readonly onWrite?: (text: string) => void
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const FASTER = 50

/** The system's time, going fifty times as fast, so that nobody waits for the polls. */
export function fastTiming(): Environment['timing'] {
  const began = Date.now()
  return {
    clock: () => began + (Date.now() - began) * FASTER,
    monotonic: () => performance.now() * FASTER,
    after(ms, run) {
      const timer = setTimeout(run, ms / FASTER)
      return () => clearTimeout(timer)
    },
    random: () => 0.5,
  }
}

export const realTiming: Environment['timing'] = {
  clock: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: () => 0.5,
}

/** Without a data folder of the test's own, what the command remembers is gone with it. */
export async function run(argv: readonly string[], held: Held = {}): Promise<Ran> {
  let stdout = ''
  let stderr = ''
  const write = (text: string) => held.onWrite?.(text)
  const env = held.env ?? {}
  const code = await runCli({
    argv,
    env: env['MEDIATRAY_DATA_DIR'] === undefined ? { ...env, MEDIATRAY_DATA_DIR: temporaryFolder() } : env,
    cwd: held.cwd ?? '/tmp',
    home: '/home/somebody',
    platform: 'linux',
    stdout: {
      write(text) {
        stdout += text
        write(text)
      },
      columns: held.columns,
    },
    stderr: {
      write(text) {
        stderr += text
        write(text)
      },
      columns: held.columns,
    },
    readKey: held.readKey ?? (() => Promise.resolve(undefined)),
    timing: held.timing ?? fastTiming(),
    interrupted: held.interrupted ?? new AbortController().signal,
    builtInEntry: held.builtInEntry ?? '/nowhere/main.ts',
    noticesFile: join(ROOT, 'THIRD-PARTY-NOTICES.txt'),
  })
  return {
    code,
    stdout,
    stderr,
    get events() {
      return jsonLines(stdout)
    },
  }
}

export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line))

/** The real command, in a real process. */
export async function runProcess(
  argv: readonly string[],
  options: { readonly env: Record<string, string>; readonly cwd: string; readonly stdin?: string },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...argv], {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'], HOME: options.cwd, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.end(options.stdin ?? '')
  await once(child, 'close')
  return { code: child.exitCode, stdout, stderr }
}
