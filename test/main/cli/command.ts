/** The command line in this process, with surroundings that a test holds; and as a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { runCli, type ExitCode, type Surroundings } from '../../../src/main/cli/index.ts'

const ROOT = resolve(import.meta.dirname, '..', '..', '..')
export const ENTRY = resolve(ROOT, 'src/main/cli/mediatray.ts')

export type Ran = {
  readonly code: ExitCode
  readonly stdout: string
  readonly stderr: string
  readonly sleeps: readonly number[]
  /** Stdout as JSON lines. */
  readonly events: readonly Record<string, unknown>[]
}

type Held = Partial<Pick<Surroundings, 'env' | 'cwd' | 'readKey' | 'interrupted' | 'builtInEntry'>> & {
  readonly columns?: number
  /** Called for every pause; time passes by itself. */
  readonly onSleep?: () => void
}

export async function run(argv: readonly string[], held: Held = {}): Promise<Ran> {
  let stdout = ''
  let stderr = ''
  let now = 0
  const sleeps: number[] = []
  const code = await runCli({
    argv,
    env: held.env ?? {},
    cwd: held.cwd ?? '/tmp',
    home: '/home/somebody',
    platform: 'linux',
    stdout: { write: (text) => void (stdout += text), columns: held.columns },
    stderr: { write: (text) => void (stderr += text), columns: held.columns },
    readKey: held.readKey ?? (() => Promise.resolve(undefined)),
    clock: {
      now: () => now,
      sleep: async (ms) => {
        sleeps.push(ms)
        now += ms
        held.onSleep?.()
        await new Promise((done) => setImmediate(done))
      },
    },
    interrupted: held.interrupted ?? new AbortController().signal,
    builtInEntry: held.builtInEntry ?? '/nowhere/main.ts',
  })
  return {
    code,
    stdout,
    stderr,
    sleeps,
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
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ENTRY, ...argv], {
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
