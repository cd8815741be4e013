import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { claimSending } from './sending-claim.ts'

/**
 * Who holds submissions back while they are edited, or is writing a long start. A hold outlives its process in the outbox's file, so each process that
 * edits has a name and a lock of the operating system that goes with it: whoever finds the lock free knows that the holder
 * is gone.
 */
export interface EditHolder {
  /** The name of this process, which is alive from now on. */
  name(): string
  isAlive(name: string): boolean
  release(): void
}

/** @param file the outbox's */
export function createEditHolder(file: string): EditHolder {
  const lockOf = (name: string) => `${file}-editing-${name}`
  let own: { readonly name: string; release(): void } | undefined

  return {
    name() {
      if (own === undefined) {
        const name = randomUUID()
        const lock = claimSending(lockOf(name))
        lock.take()
        own = {
          name,
          release() {
            lock.release()
            rmSync(lockOf(name), { force: true })
          },
        }
      }
      return own.name
    },
    isAlive(name) {
      if (name === own?.name) return true
      const lock = claimSending(lockOf(name))
      if (!lock.take()) return true
      lock.release()
      rmSync(lockOf(name), { force: true })
      return false
    },
    release() {
      own?.release()
      own = undefined
    },
  }
}
