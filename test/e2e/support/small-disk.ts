/** A disk of its own in this folder, which only an administrator can mount. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { getuid } from 'node:process'

export type SmallDisk = {
  /** There is room from now on. */
  grow(): void
  [Symbol.dispose](): void
}

/** @param size as mount takes it: `100m` */
export function smallDisk(folder: string, size: string): SmallDisk | undefined {
  if (getuid?.() !== 0) return undefined
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return {
    grow: () => void execFileSync('mount', ['-o', 'remount,size=4g', folder], { stdio: 'ignore' }),
    [Symbol.dispose]: () => void execFileSync('umount', [folder], { stdio: 'ignore' }),
  }
}
