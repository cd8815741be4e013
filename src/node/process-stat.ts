/** What Linux reports about a process: fields 3, 4, 22 and 41 of proc_pid_stat(5). */
import { readFileSync } from 'node:fs'

/** @throws the file system's error if there is no such process, or no `/proc`, which only Linux has */
export function readStat(pid: number | 'self') {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name before these fields may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    /** One letter, such as `Z` for a process that has ended. */
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    /** In clock ticks since the system started. */
    startedAt: fields[19] ?? '',
    /** The scheduling policy; `0` is the normal one, `SCHED_OTHER`. */
    policy: fields[38] ?? '',
  }
}
