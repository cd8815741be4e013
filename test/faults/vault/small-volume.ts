/** A small volume that can be full, be unmounted, and come back with its files elsewhere or on another disk. Only root on Linux can mount one. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getuid } from 'node:process'

export type SmallVolume = NonNullable<ReturnType<typeof smallVolume>>

/** Name of the file that fills the disk with the files. */
export const BALLAST = '.ballast'

const mount = (...args: readonly string[]): void => void execFileSync('mount', args, { stdio: 'ignore' })

/** @returns undefined if the user can't mount anything */
export function smallVolume(root: string) {
  if (process.platform !== 'linux' || getuid?.() !== 0) return undefined
  const [disk, copy] = [join(root, 'disk'), join(root, 'copy')]
  const files = join(disk, 'files')
  /** One on each disk. */
  const ballasts = [join(disk, 'ballast'), join(files, BALLAST)]
  const firstPlace = join(root, 'mounted')
  let mounted = firstPlace
  let moves = 0
  mkdirSync(disk)
  try {
    mount('-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk)
  } catch {
    return undefined
  }
  mkdirSync(files)
  let isThere = false
  let isFull = false
  /** Whether another disk is mounted at `files`. */
  let isOnOther = false
  function leaveOther(): void {
    // The journal may still be open there after a failure.
    if (isOnOther) execFileSync('umount', ['-l', files], { stdio: 'ignore' })
    isOnOther = false
  }
  const self = {
    /** Always shows the files, even while the volume isn't mounted. */
    files,
    /** Where the volume is mounted for the user. */
    get mounted() {
      return mounted
    },
    isMounted: () => isThere,
    mount() {
      mkdirSync(mounted, { recursive: true })
      if (!isThere) mount('--bind', files, mounted)
      isThere = true
    },
    unmount() {
      if (isThere) execFileSync('umount', [mounted], { stdio: 'ignore' })
      isThere = false
    },
    /** Mounts it at another path. */
    mountElsewhere() {
      self.unmount()
      mounted = join(root, `mounted-${(moves += 1)}`)
      self.mount()
    },
    /** Copies all files to a disk with another device number, and mounts that one instead. */
    moveToOtherDisk() {
      self.unmount()
      execFileSync('cp', ['-a', files, copy])
      const toOther = !isOnOther
      if (isOnOther) execFileSync('umount', [files], { stdio: 'ignore' })
      for (const name of readdirSync(files)) rmSync(join(files, name), { recursive: true })
      if (toOther) mount('-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', files)
      isOnOther = toOther
      execFileSync('cp', ['-a', `${copy}/.`, files])
      rmSync(copy, { recursive: true })
      self.mount()
    },
    fill() {
      isFull = true
      for (const ballast of ballasts)
        for (let size = 64 * 1024; size >= 4 * 1024; size /= 2) fillWith(ballast, size)
    },
    free() {
      isFull = false
      for (const ballast of ballasts) rmSync(ballast, { force: true })
    },
    isFull: () => isFull,
    /** Deletes all files, and mounts the volume. */
    clear() {
      self.free()
      self.unmount()
      leaveOther()
      for (const name of readdirSync(files)) rmSync(join(files, name), { recursive: true })
      mounted = firstPlace
      moves = 0
      self.mount()
    },
    [Symbol.dispose]() {
      self.unmount()
      leaveOther()
      execFileSync('umount', ['-l', disk], { stdio: 'ignore' })
    },
  }
  return self
}

function fillWith(path: string, size: number): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
  } catch {
    // The disk has no room for another block of this size.
  }
}
