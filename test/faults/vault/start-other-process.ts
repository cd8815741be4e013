/** Starts other-process.ts when it is first needed, and again after it has died. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answer, Request } from './other-process.ts'

export type OtherProcess = {
  /** @returns null if the process was killed */
  act(request: Request): Promise<Answer | null>
  isRunning(): boolean
  end(): Promise<void>
}

export function createOtherProcess(): OtherProcess {
  let child: ChildProcess | undefined
  return {
    async act(request) {
      child ??= fork(join(import.meta.dirname, 'other-process.ts'), {
        execArgv: ['--disable-warning=ExperimentalWarning'],
      })
      const { promise, resolve } = Promise.withResolvers<Answer | null>()
      const answered = (message: unknown): void => resolve(message as Answer)
      const died = (): void => {
        child = undefined
        resolve(null)
      }
      const asked = child.once('message', answered).once('exit', died)
      child.send(request)
      const answer = await promise
      asked.off('message', answered).off('exit', died)
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
