/** What runs on this computer, as the system tells it. */
import { execFileSync } from 'node:child_process'

/**
 * @param parent a process id
 * @param words what the command line has to hold
 * @returns ids of its direct children
 */
export function childrenOf(parent: number | undefined, words = ''): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, ppid, stat = '', args = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    // What has ended and was not yet taken notice of is no process any more.
    const isIt = Number(ppid) === parent && !stat.startsWith('Z') && args.includes(words)
    return isIt ? [Number(pid)] : []
  })
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
