/**
 * Marks temporary files and folders by adding the ID of their process to the name. This distinguishes leftovers of a killed process
 * from files that another process uses in the same folder.
 */
import { randomBytes } from 'node:crypto'
import { codeOf, hasCode } from './errors.ts'
import { readStat } from './process-stat.ts'
import { ifPossible } from './if-possible.ts'

/**
 * Identifies this process by its ID, random digits, and its start time if the system reports it. Systems reuse process IDs, but not with
 * the same start time.
 */
export const OWN_MARK = `${process.pid}-${randomBytes(8).toString('hex')}${startSuffix(process.pid)}`

const MARK = /^(\d+)-[0-9a-f]{16}(?:-s(\d+))?/

/**
 * Returns whether the process that left the mark is still running. If in doubt, returns true, so that nothing in use is removed.
 * @param name begins with a mark, or with a process ID and a dash
 */
export function isOwnerAlive(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1])
  if (!Number.isSafeInteger(pid)) return false
  const mark = MARK.exec(name)
  // In a container, every run may have the same process ID. A different mark with our process ID is from an earlier run.
  if (pid === process.pid && mark !== null) return name.startsWith(OWN_MARK)
  return isProcessAlive(pid, mark?.[2])
}

/**
 * Whether the process is running. A zombie isn't, but it keeps its ID until its parent collects it, which may never happen in a container.
 * @param startedAt start time in the mark; undefined if it has none
 */
function isProcessAlive(pid: number, startedAt?: string): boolean {
  if (process.platform !== 'linux') return hasProcess(pid)
  try {
    const stat = readStat(pid)
    return !HAS_ENDED.includes(stat.state) && (startedAt === undefined || startedAt === stat.startedAt)
  } catch (error) {
    // If /proc isn't mounted or hides other users' processes, sending a signal is the only way to check.
    return codeOf(error) === 'ESRCH' ? false : hasProcess(pid)
  }
}

/** Process states: zombie and dead. */
const HAS_ENDED: readonly string[] = ['Z', 'X', 'x']

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists but belongs to another user.
    return hasCode(error, 'EPERM')
  }
}

function startSuffix(pid: number): string {
  return ifPossible(() => `-s${readStat(pid).startedAt}`) ?? ''
}
