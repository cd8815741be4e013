/** Keeps the temporary files of tests in memory, so that their databases don't wait for a disk at each commit. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The size of the disk. The tests need only a few hundred MiB, and unused space takes no memory. */
const GIB = 4
/** The memory in bytes that must be available: half for the disk, half for the tests themselves. */
const NEEDED = 2 * GIB * 2 ** 30

/** Mounts the disk for this command only, so that the mount ends with the command. */
const RUN = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=${GIB}g,mode=1777 tmpfs "$TMPDIR" && exec "$@"`,
  'sh',
]

export type MemoryDisk = {
  /** The environment variable that makes programs put their temporary files there. */
  readonly env: { readonly TMPDIR: string }
  readonly run: (command: readonly string[]) => readonly string[]
  readonly remove: () => void
}

/** Returns null if this user can't mount disks, or if memory is scarce. */
export function createMemoryDisk(): MemoryDisk | null {
  if (process.platform !== 'linux' || process.availableMemory() < NEEDED) return null
  // Short, because the paths of sockets are limited.
  const TMPDIR = mkdtempSync(join(tmpdir(), 'mt-'))
  const disk: MemoryDisk = {
    env: { TMPDIR },
    run: (command) => [...RUN, ...command],
    remove: () => rmdirSync(TMPDIR),
  }
  const [unshare = '', ...args] = disk.run(['true'])
  const { status } = spawnSync(unshare, args, { env: { ...process.env, ...disk.env }, stdio: 'ignore' })
  if (status === 0) return disk
  disk.remove()
  return null
}
