/** Mounts a small disk on a folder, which only root can do. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { getuid } from 'node:process'

export type SmallDisk = {
  /** Enlarges the disk. */
  grow(): void
  /** Makes the disk read-only. */
  makeReadOnly(): void
  [Symbol.dispose](): void
}

/** @param size in mount's notation: `100m` */
export function smallDisk(folder: string, size: string): SmallDisk | undefined {
  if (getuid?.() !== 0) return undefined
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return {
    makeReadOnly: () => void execFileSync('mount', ['-o', 'remount,ro', folder], { stdio: 'ignore' }),
    grow: () => void execFileSync('mount', ['-o', 'remount,size=4g', folder], { stdio: 'ignore' }),
    [Symbol.dispose]: () => void execFileSync('umount', [folder], { stdio: 'ignore' }),
  }
}
