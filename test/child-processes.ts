/** Processes of this computer, as the system reports them. */
import { execFileSync } from 'node:child_process'
import { hasCode } from '../src/node/errors.ts'

/**
 * @param parent a process ID
 * @param words text that the command line must contain
 * @returns the IDs of the parent's direct children
 */
export function childrenOf(parent: number | undefined, words = ''): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, ppid, stat = '', args = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    // Zombies don't count.
    const isIt = Number(ppid) === parent && !stat.startsWith('Z') && args.includes(words)
    return isIt ? [Number(pid)] : []
  })
}

/** Returns the IDs of a process and all its descendants. */
export const treeOf = (pid: number): readonly number[] => [pid, ...childrenOf(pid).flatMap(treeOf)]

/** Signals a process, unless it has ended. Some processes of a worker end immediately, such as those that confine it. */
export function signalUnlessEnded(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
