import { expect, it } from 'vitest'
import { availableMemory } from '../../src/node/available-memory.ts'

const GIB = 2 ** 30

function knownTo(files: Readonly<Record<string, string>>, limit = 4 * GIB) {
  const read = (path: string): string => {
    const text = files[path]
    if (text === undefined) throw new Error('missing')
    return text
  }
  return { platform: 'linux' as const, available: GIB, limit, free: 32 * GIB, total: 64 * GIB, read }
}

it.each([
  [
    'version 1',
    '4:memory:/docker/a\n',
    '/sys/fs/cgroup/memory/docker/a',
    `inactive_file 1\ntotal_inactive_file ${GIB}\n`,
  ],
  [
    'version 1 in a container',
    '4:memory:/docker/a\n',
    '/sys/fs/cgroup/memory',
    `total_inactive_file ${GIB}\n`,
  ],
  ['version 2', '0::/user.slice\n', '/sys/fs/cgroup/user.slice', `anon 5\ninactive_file ${GIB}\n`],
  ['version 2 in a container', '0::/\n', '/sys/fs/cgroup', `inactive_file ${GIB}\n`],
])('in control groups of %s, the cache of files is available too', (_, own, folder, stat) => {
  const files = { '/proc/self/cgroup': own, [`${folder}/memory.stat`]: stat }
  expect(availableMemory(knownTo(files))).toBe(2 * GIB)
})

it('is never more than the limit of the container or the free memory of the computer', () => {
  const files = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.stat': `inactive_file ${16 * GIB}\n` }
  expect(availableMemory(knownTo(files))).toBe(4 * GIB)
  expect(availableMemory({ ...knownTo(files), free: 3 * GIB })).toBe(3 * GIB)
})

it('is what Node says without a limit, without control groups, and on other systems', () => {
  const files = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.stat': `inactive_file ${GIB}\n` }
  const all = [
    knownTo(files, 0),
    knownTo(files, 64 * GIB),
    knownTo({}),
    { ...knownTo(files), platform: 'win32' as const },
  ]
  expect(all.map(availableMemory)).toEqual([GIB, GIB, GIB, GIB])
})
