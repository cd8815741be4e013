/**
 * Marks in the names of files and folders that belong to a process, so that what a killed one has left can be told from what
 * is in use by another one that shares the folder.
 */
import { randomBytes } from 'node:crypto'
import { hasCode } from './errors.ts'

/** Of this process: its number, and something that no earlier process with the same number had. */
export const OWN_MARK = `${process.pid}-${randomBytes(8).toString('hex')}`

const MARK = /^(\d+)-[0-9a-f]{16}/

/**
 * Whether the process that left the mark still runs. Where that can't be told it counts as running, so that nothing which is
 * in use is ever removed.
 *
 * @param name begins with a mark, or with the number of a process and a dash
 */
export function isOwnerAlive(name: string, isAlive: (pid: number) => boolean = isProcess): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1])
  if (!Number.isSafeInteger(pid)) return false
  // In a container each start has the same number; what is not marked as ours is from an earlier one.
  if (pid === process.pid && MARK.test(name)) return name.startsWith(OWN_MARK)
  return isAlive(pid)
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, but another user's.
    return hasCode(error, 'EPERM')
  }
}
