import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { claimSending } from './sending-claim.ts'

/**
 * Identifies the process that holds submissions for editing or writes a large batch. A hold is stored in the outbox's file and
 * outlives its process. Each editing process therefore has a name and an operating-system lock of the same name. If the lock is
 * free, the holder has died.
 */
export interface EditHolder {
  /** Returns this process's name and acquires its lock. */
  name(): string
  isAlive(name: string): boolean
  release(): void
}

/** @param file path of the outbox's database */
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
