import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A test file, and a file that was changed since the last request; both relative to the project. */
export type RunRequest = { readonly test: string; readonly changed?: string }

/** The first test that failed, or why the file could not be run; nothing if all is well. */
export type RunAnswer = { readonly failure?: string }

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
    async run(request: RunRequest, limitMs: number): Promise<RunAnswer | 'timed out'> {
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
