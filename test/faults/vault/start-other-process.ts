/** Starts other-process.ts when it is first needed, and again after it has died. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answer, Request } from './other-process.ts'

export type OtherProcess = {
  /** Acts after all earlier requests. @returns null if the process was killed */
  act(request: Request): Promise<Answer | null>
  isRunning(): boolean
  end(): Promise<void>
}

export function createOtherProcess(): OtherProcess {
  let child: ChildProcess | undefined
  let last: Promise<unknown> = Promise.resolve()

  function start(): ChildProcess {
    const started = fork(join(import.meta.dirname, 'other-process.ts'), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    started.once('exit', () => {
      if (child === started) child = undefined
    })
    return started
  }

  async function ask(request: Request): Promise<Answer | null> {
    const asked = (child ??= start())
    const { promise, resolve } = Promise.withResolvers<Answer | null>()
    const answered = (message: unknown): void => resolve(message as Answer)
    const died = (): void => resolve(null)
    asked.once('message', answered).once('exit', died)
    asked.send(request)
    const answer = await promise
    asked.off('message', answered).off('exit', died)
    return answer
  }

  return {
    act(request) {
      // One at a time: an answer doesn't name its request.
      const answer = last.then(() => ask(request))
      last = answer
      return answer
    },
    isRunning: () => child !== undefined,
    async end() {
      if (child === undefined) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
      child = undefined
    },
  }
}
