/** Two ways to start the process that makes small pictures: as a child of Node's, and as a utility process of Electron's. */
import { isThumbnailAnswer } from '../../media/protocol.ts'
import { startWorker } from '../../node/child-process.ts'
import type { PictureWorker } from './thumbnails.ts'

/**
 * As a child process, on the same Node.
 *
 * @param path of the worker's entry
 */
export function startPictureWorker(path: string, nodeOptions: readonly string[] = []): PictureWorker {
  const { send, onMessage, ended, kill } = startWorker(path, { nodeOptions })
  return {
    send,
    onAnswer: (listener) =>
      onMessage((message) => {
        if (isThumbnailAnswer(message)) listener(message)
      }),
    onExit: (listener) => void ended.then(listener),
    kill,
  }
}

/** What is used of Electron's UtilityProcess. */
export type PictureUtility = {
  readonly pid?: number | undefined
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  once(event: 'exit', listener: (code: number) => void): unknown
}

export type ForkPictureUtility = (
  path: string,
  args: string[],
  options: { readonly serviceName: string; readonly stdio: 'ignore' },
) => PictureUtility

/**
 * As a utility process.
 *
 * @param forkUtility Electron's `utilityProcess.fork`
 * @param path of the worker's bundle
 */
export function startUtilityPictureWorker(forkUtility: ForkPictureUtility, path: string): PictureWorker {
  const child = forkUtility(path, [], { serviceName: 'Mediatray pictures', stdio: 'ignore' })
  return {
    send: (request) => child.postMessage(request),
    onAnswer: (listener) =>
      void child.on('message', (message) => {
        if (isThumbnailAnswer(message)) listener(message)
      }),
    onExit: (listener) => void child.once('exit', () => listener()),
    kill: () => killAtOnce(child.pid),
  }
}

/** Electron's own `kill()` asks; a process that hangs in a decoder does not hear. */
function killAtOnce(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself in the meantime.
  }
}
