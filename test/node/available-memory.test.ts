import { describe, expect, it } from 'vitest'
import { availableMemory, memoryLimit } from '../../src/node/available-memory.ts'

const GIB = 2 ** 30

function knownTo(files: Readonly<Record<string, string>>) {
  const read = (path: string): string => {
    const text = files[path]
    if (text === undefined) throw new Error('missing')
    return text
  }
  return { platform: 'linux' as const, available: 5 * GIB, free: 32 * GIB, total: 64 * GIB, read }
}

/** What a group uses, including its cache, in GiB. */
type Group = { readonly limit?: number; readonly used: number; readonly cache?: number }

const UNLIMITED = 2 ** 63 - 4_096

/** Files that were read once, and files that were read again. */
const cacheLines = (prefix: string, cache: number) =>
  `${prefix}inactive_file ${(cache * GIB) / 4}\n${prefix}active_file ${(cache * GIB * 3) / 4}\n`

/** The files of a group of version 1. Without a limit, it has that of the group around it. */
const version1 = (folder: string, { limit, used, cache = 0 }: Group) => ({
  [`${folder}/memory.usage_in_bytes`]: `${used * GIB}\n`,
  [`${folder}/memory.stat`]: `inactive_file 1\nactive_file 1\nhierarchical_memory_limit ${limit === undefined ? UNLIMITED : limit * GIB}\n${cacheLines('total_', cache)}`,
})

const version2 = (folder: string, { limit, used, cache = 0 }: Group, limitedBy = 'max') => ({
  [`${folder}/memory.max`]: 'max\n',
  [`${folder}/memory.high`]: 'max\n',
  ...(limit !== undefined && { [`${folder}/memory.${limitedBy}`]: `${limit * GIB}\n` }),
  [`${folder}/memory.current`]: `${used * GIB}\n`,
  [`${folder}/memory.stat`]: `anon 5\n${cacheLines('', cache)}`,
})

const inGroup = (line: string, ...groups: readonly Readonly<Record<string, string>>[]) =>
  knownTo(Object.assign({ '/proc/self/cgroup': `${line}\n` }, ...groups))

const [V1, V2] = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup']
const limited = { limit: 4, used: 3, cache: 1 }

describe('in control groups, the available memory', () => {
  it.each([
    ['version 1', inGroup('4:memory:/docker/a', version1(`${V1}/docker/a`, limited))],
    ['version 1 in a container', inGroup('4:memory:/docker/a', version1(V1, limited))],
    ['version 2', inGroup('0::/user.slice', version2(`${V2}/user.slice`, limited))],
    ['version 2 in a container', inGroup('0::/', version2(V2, limited))],
    ['version 2 that are slowed down', inGroup('0::/a', version2(`${V2}/a`, limited, 'high'))],
  ])('includes the cache of files, in %s', (_, system) => {
    expect([availableMemory(system), memoryLimit(system)]).toEqual([2 * GIB, 4 * GIB])
  })

  it.each([
    [
      'version 1',
      inGroup(
        '4:memory:/a/b/c',
        version1(`${V1}/a/b/c`, { limit: 4, used: 0 }),
        version1(`${V1}/a/b`, { limit: 4, used: 1 }),
        version1(`${V1}/a`, limited),
        version1(V1, { used: 9 }),
      ),
    ],
    [
      'version 2',
      inGroup(
        '0::/a/b/c',
        version2(`${V2}/a/b/c`, { used: 0 }),
        version2(`${V2}/a/b`, { limit: 8, used: 1 }),
        version2(`${V2}/a`, limited),
      ),
    ],
  ])('is what the groups around them leave, in %s', (_, system) => {
    expect([availableMemory(system), memoryLimit(system)]).toEqual([2 * GIB, 4 * GIB])
  })

  it('counts the use of the process’s group if that group’s limit is lower, and applies limits that the container can’t see', () => {
    const own = version1(`${V1}/a/b`, { limit: 2, used: 1 })
    expect(availableMemory(inGroup('4:memory:/a/b', own, version1(`${V1}/a`, limited)))).toBe(GIB)
    expect(availableMemory(inGroup('4:memory:/host/b', version1(V1, { limit: 2, used: 1 })))).toBe(GIB)
  })

  it('is never more than a limit or the free memory of the computer', () => {
    const system = inGroup('0::/', version2(V2, { limit: 4, used: 1, cache: 16 }))
    expect(availableMemory(system)).toBe(4 * GIB)
    expect(availableMemory({ ...system, free: 3 * GIB })).toBe(3 * GIB)
  })
})

it('available memory is the free memory without a limit or without control groups, and what Node says on other systems', () => {
  const all = [
    inGroup('4:memory:/a', version1(`${V1}/a`, { used: 1 }), version1(V1, { used: 9 })),
    inGroup('0::/', version2(V2, { limit: 64, used: 1 })),
    knownTo({}),
    { ...inGroup('0::/', version2(V2, limited)), platform: 'win32' as const },
  ]
  expect(all.map(availableMemory)).toEqual([32, 32, 32, 5].map((gib) => gib * GIB))
  expect(all.map(memoryLimit)).toEqual(Array(4).fill(64 * GIB))
})
