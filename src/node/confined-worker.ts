/** A worker as its parent sees it: it may write only where it is told to, and is heard only in messages that are understood. */
import { type ChildEnd, startWorker, type WorkerChild } from './child-process.ts'
import type { Confinement } from './confinement.ts'
import { messageOf } from './errors.ts'

export type ConfinedWorker<Sent, Heard> = {
  send(message: Sent): void
  onMessage(listener: (message: Heard) => void): void
  /** Called once, also when the process could not be started. */
  onExit(listener: (ending: WorkerEnding) => void): void
  /** Ends the process at once. */
  kill(): void
}

/** Why a worker that could not be started couldn't stands at the end of its stderr. */
export type WorkerEnding = Pick<ChildEnd, 'code' | 'signal' | 'stderrTail'>

export type ConfinedWorkerStart = {
  /** Of the worker's entry. */
  readonly path: string
  /** The Node that runs it; by default the one that runs this. */
  readonly node?: string
  /** Absolute: the only folders that it may write to. */
  readonly folders: readonly string[]
  /** Whether it may talk to the graphics chips. */
  readonly chips?: boolean
  readonly args?: readonly string[]
  /** The process starts when it is known; what is asked of it until then is kept. */
  readonly confinement: Confinement | Promise<Confinement>
}

/** @param isUnderstood tells the messages that the worker is known to send; others are passed over */
export function startConfinedWorker<Sent extends object, Heard>(
  { confinement, ...start }: ConfinedWorkerStart,
  isUnderstood: (message: unknown) => message is Heard,
): ConfinedWorker<Sent, Heard> {
  const withChild = onceThere(confinement, (known) => startHeld(known, start))
  return {
    send: (message) => withChild((child) => child.send(message)),
    onMessage: (listener) =>
      withChild((child) =>
        child.onMessage((message) => {
          if (isUnderstood(message)) listener(message)
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

function startHeld(confinement: Confinement, { path, node, folders, chips, args }: Held): WorkerChild {
  try {
    const { wrapper, nodeOptions, env } = confinement.startFor({
      writable: folders,
      ...(chips === undefined ? {} : { chips }),
    })
    return startWorker(path, {
      wrapper,
      nodeOptions,
      env: { ...process.env, ...env },
      ...(node === undefined ? {} : { execPath: node }),
      ...(args === undefined ? {} : { args }),
    })
  } catch (error) {
    return neverStarted(messageOf(error))
  }
}

/** Most of what keeps a process from starting is told by its end; some, such as that there is no memory for it, Node throws. */
const neverStarted = (why: string): WorkerChild => ({
  send: () => undefined,
  onMessage: () => undefined,
  kill: () => undefined,
  ended: Promise.resolve({ code: null, signal: null, stderrTail: why }),
})

/** Does with what is made of the value whatever is asked: at once where the value is there, else in the same order when it is. */
function onceThere<Value, Made>(
  value: Value | Promise<Value>,
  make: (value: Value) => Made,
): (use: (made: Made) => void) => void {
  if (!(value instanceof Promise)) {
    const made = make(value)
    return (use) => use(made)
  }
  const made = value.then(make)
  return (use) => void made.then(use)
}
