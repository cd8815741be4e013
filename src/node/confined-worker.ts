/** Starts sandboxed workers. They can write only to given folders, and the parent accepts only messages that it recognizes. */
import { scheduleAsBatch } from './batch-scheduling.ts'
import { type ChildEnd, startWorker, type WorkerChild } from './child-process.ts'
import type { Confinement } from './confinement.ts'
import { messageOf } from './errors.ts'
import { lowPriorityWrapper } from './low-priority.ts'
import { MEMORY_OPTIONS, memoryLimitArgument, memoryLimitWrapper, WORKER_MEMORY } from './memory-limit.ts'

export type ConfinedWorker<Sent, Heard> = {
  send(message: Sent): void
  onMessage(listener: (message: Heard) => void): void
  /** Called once, even if the process couldn't be started. */
  onExit(listener: (ending: WorkerEnding) => void): void
  /** Kills the process immediately. */
  kill(): void
}

/**
 * How a worker ended. If it couldn't be started or was killed for an invalid message, `code` and `signal` are null and `stderrTail`
 * contains the reason.
 */
export type WorkerEnding = Pick<ChildEnd, 'code' | 'signal' | 'stderrTail'>

export type ConfinedWorkerStart = {
  /** The worker's entry script. */
  readonly path: string
  /** The Node executable. Defaults to the current one. */
  readonly node?: string
  /** Absolute paths of the only folders that the worker may write to. */
  readonly folders: readonly string[]
  /** Whether the worker may use the GPU. */
  readonly gpu?: boolean
  /** Memory limit in bytes. Defaults to the limit for videos. */
  readonly memory?: number
  readonly args?: readonly string[]
  /** Whether to schedule the process as batch work. For workers whose answers may take seconds. */
  readonly isBatch?: boolean
  /** Whether the process starts at low disk priority. */
  readonly isLow?: boolean
  /** How to confine the process. If this is a promise, the process starts once it resolves. Messages sent earlier are queued. */
  readonly confinement: Confinement | Promise<Confinement>
}

/**
 * Starts a worker.
 * @param isUnderstood recognizes the worker's messages; a worker that sends any other message is killed
 */
export function startConfinedWorker<Sent extends object, Heard>(
  { confinement, ...start }: ConfinedWorkerStart,
  isUnderstood: (message: unknown) => message is Heard,
): ConfinedWorker<Sent, Heard> {
  const starting = Promise.resolve(confinement).then((known) => startHeld(known, start))
  const withChild = (use: (child: WorkerChild) => void) => void starting.then(use)
  return {
    send: (message) => withChild((child) => child.send(message)),
    onMessage: (listener) =>
      withChild((child) =>
        child.onMessage((message) => {
          if (isUnderstood(message)) listener(message)
          else child.giveUp('It sent a message that no worker of ours sends.')
        }),
      ),
    onExit: (listener) =>
      withChild(
        (child) =>
          void child.ended.then(({ code, signal, stderrTail, startError }) =>
            listener({ code, signal, stderrTail: startError?.message ?? stderrTail }),
          ),
      ),
    kill: () => withChild((child) => child.kill()),
  }
}

type Held = Omit<ConfinedWorkerStart, 'confinement'>

function startHeld(confinement: Confinement, held: Held): WorkerChild {
  const { path, node, folders, gpu, args = [], isBatch, isLow, memory = WORKER_MEMORY.any } = held
  try {
    const { wrapper, nodeOptions, env, filter } = confinement.startFor({ writable: folders, gpu })
    return startWorker(path, {
      wrapper: [
        ...(isLow ? lowPriorityWrapper() : []),
        ...memoryLimitWrapper(memory, isBatch ? scheduleAsBatch() : ''),
        ...wrapper,
      ],
      nodeOptions: [...nodeOptions, ...MEMORY_OPTIONS],
      env: { ...process.env, ...env },
      inheritedData: filter,
      ...(node === undefined ? {} : { execPath: node }),
      args: [...args, memoryLimitArgument(memory)],
    })
  } catch (error) {
    return neverStarted(messageOf(error))
  }
}

/**
 * Stands in for a worker that couldn't be started because Node threw an error, for example for lack of memory. `ended` of the child
 * reports most other failures to start.
 */
const neverStarted = (why: string): WorkerChild => ({
  send: () => undefined,
  onMessage: () => undefined,
  kill: () => undefined,
  giveUp: () => undefined,
  ended: Promise.resolve({ code: null, signal: null, stderrTail: why }),
})
