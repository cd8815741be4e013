/**
 * Determines how much memory processes may use, and how much of it is still available. On Linux, each of the nested control groups around
 * this process may have a limit, and other processes in the group use a part of it. `process.availableMemory` knows only the innermost
 * one. It also counts the cache of files as used, although the kernel frees it for any process that needs memory. Copying photos fills that
 * cache. Without control groups, it may return 0. `os.freemem` returns what Linux calls available.
 */
import { readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path/posix'
import { ifPossible } from './if-possible.ts'

/**
 * How control groups show their memory in versions 1 and 2: their folder, the pattern of this process's own path in it, the files with
 * limits, the file with the usage, and the two lines whose sum is the cache of files: inactive (read once) and active (read again).
 */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup/memory',
    own: /^\d+:memory:(.*)$/m,
    // The lowest limit of the group and all groups around it, even those outside the container.
    limits: [['memory.stat', /^hierarchical_memory_limit (\d+)$/m]],
    usage: 'memory.usage_in_bytes',
    // The values without `total_` don't include the groups inside the group.
    cache: /^total_(?:in)?active_file (\d+)$/gm,
  },
  {
    root: '/sys/fs/cgroup',
    own: /^0::(.*)$/m,
    limits: [
      ['memory.max', /^(\d+)$/m],
      ['memory.high', /^(\d+)$/m],
    ],
    usage: 'memory.current',
    cache: /^(?:in)?active_file (\d+)$/gm,
  },
] as const

/** The values that the system reports, with sizes in bytes. */
const known = () => ({
  platform: process.platform,
  available: process.availableMemory(),
  free: freemem(),
  total: totalmem(),
  read: (path: string): string => readFileSync(path, 'utf8'),
})

type Known = ReturnType<typeof known>

/** Returns the available memory in bytes, within the limits of all control groups. */
export function availableMemory({ available, free, ...system }: Known = known()): number {
  if (system.platform !== 'linux') return available
  return Math.min(free, ...limitedGroups(system).map(({ limit, used }) => Math.min(limit, limit - used())))
}

/** Returns how much memory all processes may use together, in bytes: the computer's memory, or the lowest limit of a control group. */
export const memoryLimit = (system: Pick<Known, 'platform' | 'total' | 'read'> = known()): number =>
  Math.min(system.total, ...limitedGroups(system).map(({ limit }) => limit))

/** Returns the limits of control groups that are lower than the computer's memory, and how to read the use without the cache. */
function limitedGroups({ platform, total, read }: Pick<Known, 'platform' | 'total' | 'read'>) {
  if (platform !== 'linux') return []
  const textIn = (path: string): string => ifPossible(() => read(path)) ?? ''
  const membership = textIn('/proc/self/cgroup')
  return VERSIONS.flatMap(({ root, own, limits, usage, cache }) =>
    andParents(own.exec(membership)?.[1]).flatMap((group) => {
      const numberIn = (file: string, pattern: RegExp): number =>
        Number(pattern.exec(textIn(join(root, group, file)))?.[1])
      const limit = Math.min(...limits.map(([file, pattern]) => numberIn(file, pattern) || Infinity))
      const cached = () => sumOf(textIn(join(root, group, 'memory.stat')), cache)
      const used = () => (numberIn(usage, /^(\d+)$/m) || 0) - cached()
      return limit < total ? [{ limit, used }] : []
    }),
  )
}

const sumOf = (text: string, pattern: RegExp): number =>
  text.matchAll(pattern).reduce((sum, [, value]) => sum + Number(value), 0)

/**
 * Returns the path of a control group and those of all groups around it. In a container, the path may be the host's, but the last one
 * exists, because the container sees its own group as the root.
 */
function andParents(path: string | undefined): readonly string[] {
  if (path === undefined) return []
  const names = path.split('/').filter((name) => name !== '')
  return Array.from({ length: names.length + 1 }, (_, up) => join('/', ...names.slice(0, names.length - up)))
}
