/** Scripts that run in a separate process, which kills itself with SIGKILL at one of their steps, or which a test kills. */
import { spawn } from 'node:child_process'

/** Counts the steps of this process, and kills it at the given one. */
export function stepsUntil(fatal: string | undefined) {
  let steps = 0
  return {
    step: (): void => {
      steps += 1
      if (steps === Number(fatal)) process.kill(process.pid, 'SIGKILL')
    },
    steps: () => steps,
  }
}

/** How a script ended. */
type Ended = { readonly killed: boolean; readonly said: string; readonly lines: readonly string[] }

/**
 * Starts a script with text arguments.
 * @param script its path, which a test resolves against its own folder
 */
export function startDoomed(script: string, ...args: readonly (string | number)[]) {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, ...args.map(String)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let said = ''
  let complained = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const { promise: ended, resolve, reject } = Promise.withResolvers<Ended>()
  child.once('error', reject).once('close', (code, signal) => {
    const killed = signal === 'SIGKILL'
    if (!killed && (code !== 0 || complained !== '')) reject(new Error(`It failed: ${complained}`))
    else resolve({ killed, said, lines: said.split('\n').filter((line) => line !== '') })
  })
  return {
    ended,
    /** Resolves when the script has printed this, or has ended. */
    printed: (text: string): Promise<unknown> =>
      Promise.race([
        ended,
        new Promise<void>((heard) => {
          const hear = () => (said.includes(text) ? heard() : undefined)
          child.stdout.on('data', hear)
          hear()
        }),
      ]),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Runs a script to its end. */
export const runDoomed = (script: string, ...args: readonly (string | number)[]): Promise<Ended> =>
  startDoomed(script, ...args).ended
