/**
 * Finds the programs that a program has started, including those that have left its process group or whose parent has ended. Linux only: on
 * other systems, the family is empty.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { readStat } from './process-stat.ts'
import { ifPossible } from './if-possible.ts'

/** The environment variable that the whole family inherits. */
export const FAMILY = 'MEDIATRAY_PROGRAM'

export type Family = ReturnType<typeof createFamily>

type Running = {
  readonly pid: number
  readonly parent: number
  readonly startedAt: string
  readonly isMarked: boolean
}

/** Maximum number of searches for programs that members start while they are being killed. */
const MOST_ROUNDS = 10

export function createFamily() {
  const mark = randomUUID()
  /** Start times by process ID. Systems reuse an ID, but not with the same start time. */
  const members = new Map<number, string>()

  /** Finds the members that run now, and remembers them. */
  function find(root: number | undefined): readonly number[] {
    const running = runningProcesses(mark)
    const isMember = ({ pid, parent, startedAt, isMarked }: Running): boolean =>
      isMarked || pid === root || members.get(pid) === startedAt || found.has(parent)
    const found = new Set<number>()
    // A child may be listed before its parent.
    for (let before = -1; before < found.size;) {
      before = found.size
      for (const one of running) {
        if (found.has(one.pid) || !isMember(one)) continue
        found.add(one.pid)
        members.set(one.pid, one.startedAt)
      }
    }
    return [...found]
  }

  return {
    /** Value of the environment variable `FAMILY`. */
    mark,
    /** Finds the members that run now. They stay members, even if their parents end. */
    find: (pid: number | undefined): void => void find(pid),
    /** Signals each member that still runs and, for SIGKILL, those that they start in the meantime. */
    signal: (signal: 'SIGTERM' | 'SIGKILL'): void => {
      const rounds = signal === 'SIGKILL' ? MOST_ROUNDS : 1
      for (let round = 0; round < rounds; round++) {
        const running = find(undefined)
        if (running.length === 0) return
        for (const pid of running) send(pid, signal)
      }
    },
  }
}

/** Returns all other processes that haven't ended; none outside Linux. */
function runningProcesses(mark: string): readonly Running[] {
  if (process.platform !== 'linux') return []
  // /proc may not be mounted.
  const names = ifPossible(() => readdirSync('/proc')) ?? []
  return names.flatMap((name) => (/^\d+$/.test(name) ? readRunning(Number(name), mark) : []))
}

function readRunning(pid: number, mark: string): readonly Running[] {
  // The process may have just ended.
  const stat = pid === process.pid ? undefined : ifPossible(() => readStat(pid))
  if (stat === undefined || 'ZXx'.includes(stat.state)) return []
  return [{ pid, parent: stat.parent, startedAt: stat.startedAt, isMarked: hasMark(pid, mark) }]
}

/** Returns false for the processes of other users, whose environment can't be read. */
function hasMark(pid: number, mark: string): boolean {
  const environment = ifPossible(() => readFileSync(`/proc/${pid}/environ`, 'latin1'))
  return environment?.split('\0').includes(`${FAMILY}=${mark}`) === true
}

/** Does nothing if the process has ended or runs as another user. */
const send = (pid: number, signal: 'SIGTERM' | 'SIGKILL') => ifPossible(() => process.kill(pid, signal))
