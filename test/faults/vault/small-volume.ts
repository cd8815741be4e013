/** A small volume that can be full, and that can be unmounted and come back with its files. Only root on Linux can mount one. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getuid } from 'node:process'

export type SmallVolume = {
  /** Always shows the files, even while the volume isn't mounted. */
  readonly files: string
  /** Where the volume is mounted for the user. */
  readonly mounted: string
  isMounted(): boolean
  mount(): void
  unmount(): void
  fill(): void
  free(): void
  isFull(): boolean
  /** Deletes all files, and mounts the volume. */
  clear(): void
  [Symbol.dispose](): void
}

const mount = (...args: readonly string[]): void => void execFileSync('mount', args, { stdio: 'ignore' })

/** @returns undefined if the user can't mount anything */
export function smallVolume(root: string): SmallVolume | undefined {
  if (process.platform !== 'linux' || getuid?.() !== 0) return undefined
  const [disk, mounted] = [join(root, 'disk'), join(root, 'mounted')]
  const [files, ballast] = [join(disk, 'files'), join(disk, 'ballast')]
  mkdirSync(disk)
  mkdirSync(mounted)
  try {
    mount('-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk)
  } catch {
    return undefined
  }
  mkdirSync(files)
  let isThere = false
  let isFull = false
  const self: SmallVolume = {
    files,
    mounted,
    isMounted: () => isThere,
    mount() {
      if (!isThere) mount('--bind', files, mounted)
      isThere = true
    },
    unmount() {
      if (isThere) execFileSync('umount', [mounted], { stdio: 'ignore' })
      isThere = false
    },
    fill() {
      isFull = true
      for (let size = 64 * 1024; size >= 4 * 1024; size /= 2) fillWith(ballast, size)
    },
    free() {
      isFull = false
      rmSync(ballast, { force: true })
    },
    isFull: () => isFull,
    clear() {
      self.free()
      for (const name of readdirSync(files)) rmSync(join(files, name), { recursive: true })
      self.mount()
    },
    [Symbol.dispose]() {
      self.unmount()
      // The journal may still be open there after a failure.
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
