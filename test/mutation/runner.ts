import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Files that were changed since the last request, and the tests to run, relative to the project. */
export type RunRequest = { readonly changed: readonly string[]; readonly tests: readonly string[] }

/** With the milliseconds that each file took. */
export type RunAnswer = { readonly durations: Readonly<Record<string, number>> } & (
  | { readonly passed: true }
  | { readonly passed: false; readonly test: string; readonly failure: string }
)

export type RunOutcome = RunAnswer | 'timed out'

/** After so many runs the process is replaced, with whatever a mutant left running. */
const RUNS = 30

/** Starts the runner's process when it is needed, and again after it had to be killed. */
export function createRunner(root: string, temporary: string) {
  let current: { readonly child: ChildProcess; runs: number } | undefined

  async function start(): Promise<ChildProcess> {
    const child = fork(join(import.meta.dirname, 'runner-process.ts'), {
      cwd: root,
      env: { ...process.env, TMPDIR: temporary, NODE_ENV: 'test' },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // A process group of its own can be killed as a whole.
      detached: true,
    })
    await answerOf(child)
    current = { child, runs: 0 }
    return child
  }

  async function stop(): Promise<void> {
    const child = current?.child
    current = undefined
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    process.kill(-child.pid, 'SIGKILL')
    await gone
  }

  return {
    stop,

    /** @param limitMs after which the run counts as one that never ends */
    async run(request: RunRequest, limitMs: number): Promise<RunOutcome> {
      if (current !== undefined && current.runs >= RUNS) await stop()
      const child = current?.child ?? (await start())
      if (current !== undefined) current.runs += 1
      const limit = AbortSignal.timeout(Math.ceil(limitMs))
      try {
        const answer = answerOf(child, limit)
        child.send(request)
        return (await answer) as RunAnswer
      } catch (error) {
        if (!limit.aborted) throw error
        await stop()
        return 'timed out'
      }
    },
  }
}

export type Runner = ReturnType<typeof createRunner>

/** The next message of a process, or an error when it ends without one. */
async function answerOf(child: ChildProcess, limit?: AbortSignal): Promise<unknown> {
  const settled = new AbortController()
  const signal = limit === undefined ? settled.signal : AbortSignal.any([limit, settled.signal])
  const ended = once(child, 'exit', { signal }).then(([code, name]) => {
    throw new Error(`The runner ended: ${String(name ?? code)}`)
  })
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal }), ended])
    return answer
  } finally {
    // Otherwise each request would leave a listener behind.
    settled.abort()
  }
}
