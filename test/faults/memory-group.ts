/** A control group of Linux, which lets the kernel limit the memory of this process and its children together. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of both versions of control groups. */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup/memory',
    line: /^\d+:memory:(.*)$/m,
    limit: 'memory.limit_in_bytes',
    events: 'memory.oom_control',
  },
  { root: '/sys/fs/cgroup', line: /^0::(.*)$/m, limit: 'memory.max', events: 'memory.events' },
] as const

/**
 * Moves this process to a new control group.
 * @param bytes memory limit of the group
 * @returns undefined if this process may not create such a group
 */
export function enterMemoryGroup(bytes: number) {
  const groups = readFileSync('/proc/self/cgroup', 'utf8')
  for (const { root, line, limit, events } of VERSIONS) {
    const folder = join(root, `mediatray-test-${process.pid}`)
    try {
      mkdirSync(folder)
      writeFileSync(join(folder, limit), String(bytes), { flag: 'r+' })
      writeFileSync(join(folder, 'cgroup.procs'), String(process.pid))
    } catch {
      if (existsSync(folder)) rmdirSync(folder)
      continue
    }
    const before = join(root, line.exec(groups)?.[1] ?? '/', 'cgroup.procs')
    return {
      /** How many processes the kernel has ended because the group needed more memory. */
      kills: () =>
        Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, events), 'utf8'))?.[1] ?? Number.NaN),
      /** Moves this process back, and removes the group. Its children must have ended. */
      leave() {
        writeFileSync(before, String(process.pid))
        rmdirSync(folder)
      },
    }
  }
  return undefined
}
