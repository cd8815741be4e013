/**
 * Determines how much memory processes may still use. In a container, Node counts the cache of files as used, although the kernel frees it
 * for any process that needs memory. Copying photos fills that cache.
 */
import { readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { ifPossible } from './if-possible.ts'

/** The folders in which Linux shows control groups with a memory limit, in versions 1 and 2, and the patterns of the group's own path. */
const GROUPS = [
  { root: '/sys/fs/cgroup/memory', name: /^\d+:memory:(.*)$/m },
  { root: '/sys/fs/cgroup', name: /^0::(.*)$/m },
] as const

/**
 * The lines with the size of the cache. In version 1, only `total_inactive_file` includes the groups inside the group. In version 2,
 * `inactive_file` includes them.
 */
const CACHE = [/^total_inactive_file (\d+)$/m, /^inactive_file (\d+)$/m] as const

/** The values that the system reports, with sizes in bytes. */
const known = () => ({
  platform: process.platform,
  available: process.availableMemory(),
  limit: process.constrainedMemory(),
  free: freemem(),
  total: totalmem(),
  read: (path: string): string => readFileSync(path, 'utf8'),
})

/** Returns the available memory in bytes, within the limit of a container. */
export function availableMemory({ platform, available, limit, free, total, read } = known()): number {
  const isLimited = platform === 'linux' && limit > 0 && limit < total
  return isLimited ? Math.min(available + cachedBytes(read), limit, free) : available
}

function cachedBytes(read: (path: string) => string): number {
  const textIn = (path: string): string => ifPossible(() => read(path)) ?? ''
  const own = textIn('/proc/self/cgroup')
  for (const { root, name } of GROUPS) {
    // In a container, the path may be the host's, although the container sees its own group as the root.
    for (const group of [name.exec(own)?.[1] ?? '', '']) {
      const text = textIn(join(root, group, 'memory.stat'))
      const cached = CACHE.map((pattern) => pattern.exec(text)?.[1]).find((bytes) => bytes !== undefined)
      if (cached !== undefined) return Number(cached)
    }
  }
  return 0
}
