/** Mounts a small disk on a folder, which only root can do. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getuid } from 'node:process'

export type SmallDisk = {
  /** Leaves no space on it. */
  fill(): void
  /** Enlarges the disk, and makes it writable. */
  grow(): void
  /** Makes the disk read-only. */
  makeReadOnly(): void
  /** Leaves the empty mount point. */
  takeAway(): void
  /** Mounts an empty disk again. */
  putBack(): void
  [Symbol.dispose](): void
}

/** @param size in mount's notation: `100m` */
export function smallDisk(folder: string, size: string): SmallDisk | undefined {
  if (getuid?.() !== 0) return undefined
  mkdirSync(folder, { recursive: true })
  let isThere = true
  const putBack = () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
    isThere = true
  }
  const takeAway = () => {
    if (isThere) execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
    isThere = false
  }
  try {
    putBack()
  } catch {
    return undefined
  }
  return {
    fill() {
      try {
        for (;;) writeFileSync(join(folder, 'filler'), Buffer.alloc(4096), { flag: 'a' })
      } catch {
        // It is full.
      }
    },
    makeReadOnly: () => void execFileSync('mount', ['-o', 'remount,ro', folder], { stdio: 'ignore' }),
    grow: () => void execFileSync('mount', ['-o', 'remount,rw,size=4g', folder], { stdio: 'ignore' }),
    putBack,
    takeAway,
    [Symbol.dispose]: takeAway,
  }
}
