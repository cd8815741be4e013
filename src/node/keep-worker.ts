/**
 * Runs at most one worker process, and starts it on demand. Ignores late messages from a replaced process, so that they aren't
 * mistaken for messages from the current one. Replaces a process that may not see a disk, because the disk was mounted after its sandbox
 * was created.
 */
import type { ConfinedWorker, WorkerEnding } from './confined-worker.ts'
import { mountTable } from './mounted-disk.ts'

export interface KeptWorker<Sent extends object> {
  /** Starts the process unless it is running. */
  readonly prepare: () => void
  /** @param isAlone whether the process has answered all earlier messages, so that it can be replaced */
  readonly send: (message: Sent, isAlone?: boolean) => void
  /** Kills the process and reports its exit, as after a crash. */
  readonly kill: () => void
  /**
   * Kills the process without reporting its exit or any further messages.
   * @param onEnded called after it has exited
   */
  readonly discard: (onEnded?: () => void) => void
}

export function keepWorker<Sent extends object, Heard>(
  start: () => ConfinedWorker<Sent, Heard>,
  {
    onMessage,
    onExit,
  }: {
    readonly onMessage: (message: Heard) => void
    readonly onExit: (ending: WorkerEnding) => void
  },
): KeptWorker<Sent> {
  let current: ConfinedWorker<Sent, Heard> | undefined
  /** The mounts when the current process was started. */
  let mounts = ''

  function running(): ConfinedWorker<Sent, Heard> {
    if (current !== undefined) return current
    mounts = mountTable()
    const started = start()
    current = started
    started.onMessage((message) => {
      if (current === started) onMessage(message)
    })
    started.onExit((ending) => {
      if (current !== started) return
      current = undefined
      onExit(ending)
    })
    return started
  }

  function discard(onEnded?: () => void): void {
    const discarded = current
    current = undefined
    if (onEnded !== undefined) discarded?.onExit(onEnded)
    discarded?.kill()
  }

  return {
    prepare: () => void running(),
    send(message, isAlone = true) {
      if (isAlone && current !== undefined && mountTable() !== mounts) discard()
      running().send(message)
    },
    kill: () => current?.kill(),
    discard,
  }
}
