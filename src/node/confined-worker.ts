/** Starts sandboxed workers, which can write only to given folders. */
import { scheduleAsBatch } from './batch-scheduling.ts'
import { startWorker, type WorkerChild } from './child-process.ts'
import type { Confinement } from './confinement.ts'
import { messageOf } from './errors.ts'
import { lowPriorityWrapper } from './low-priority.ts'
import { MEMORY_OPTIONS, memoryLimitArgument, memoryLimitWrapper, WORKER_MEMORY } from './memory-limit.ts'
import { mountTable } from './mounted-disk.ts'

export type ConfinedWorkerStart = {
  readonly path: string
  /** The Node executable. Defaults to the current one. */
  readonly node?: string
  /** Absolute paths of the only folders that the worker may write to; none by default. */
  readonly folders?: readonly string[]
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

export type ConfinedWorker<Sent extends object = object> = WorkerChild<Sent> & {
  /** Whether a disk was mounted or removed since the sandbox was created, so the process may not see it. */
  readonly mayMissDisk: () => boolean
}

export function startConfinedWorker({ confinement, ...start }: ConfinedWorkerStart): ConfinedWorker {
  /** The mount table when the sandbox was created. undefined without a sandbox, where a process sees all disks. */
  let mounts: string | undefined
  const starting = Promise.resolve(confinement).then((known) => {
    if (known.kind === 'bubblewrap') mounts = mountTable()
    return startHeld(known, start)
  })
  const withChild = (use: (child: WorkerChild) => void) => void starting.then(use, () => undefined)
  return {
    // Node throws some errors, for example if it runs out of memory.
    ended: starting.then(
      (child) => child.ended,
      (error: unknown) => ({ code: null, signal: null, stderrTail: messageOf(error) }),
    ),
    send: (message) => withChild((child) => child.send(message)),
    onMessage: (listener) => withChild((child) => child.onMessage(listener)),
    terminate: () => withChild((child) => child.terminate()),
    kill: (why) => withChild((child) => child.kill(why)),
    mayMissDisk: () => mounts !== undefined && mounts !== mountTable(),
  }
}

function startHeld(
  confinement: Confinement,
  {
    path,
    node,
    folders = [],
    gpu,
    args = [],
    isBatch,
    isLow,
    memory = WORKER_MEMORY.any,
  }: Omit<ConfinedWorkerStart, 'confinement'>,
): WorkerChild {
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
}
