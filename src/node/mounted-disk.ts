/**
 * Detects whether the disk that held a folder is still mounted. When a disk is removed, the directory under its mount point becomes
 * visible. Files written there become hidden when the disk is mounted again.
 */
import { statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hasCode } from './errors.ts'

/**
 * Returns the device that becomes visible when the disk that holds a folder is removed. The disk's own device isn't used, because a
 * network share may get another number with each mount.
 * @param folder absolute, exists
 * @returns undefined if the folder is on the root file system
 */
export async function deviceBehind(folder: string): Promise<bigint | undefined> {
  const { dev } = await stat(folder, { bigint: true })
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const above = await stat(dirname(at), { bigint: true })
    if (above.dev !== dev) return above.dev
  }
  return undefined
}

/**
 * Whether the disk that held the folder has been removed.
 * @param behind the result of `deviceBehind` while the disk was mounted
 */
export async function isTakenAway(folder: string, behind: bigint | undefined): Promise<boolean> {
  if (behind === undefined) return false
  const found = await stat(folder, { bigint: true }).catch(() => undefined)
  if (found !== undefined) return found.dev === behind
  // The folder itself may be missing.
  const above = dirname(folder)
  return above !== folder && isTakenAway(above, behind)
}

/** Synchronous version of `isTakenAway`. */
export function isTakenAwaySync(folder: string, behind: bigint): boolean {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false })
  if (found !== undefined) return found.dev === behind
  const above = dirname(folder)
  return above !== folder && isTakenAwaySync(above, behind)
}

/** Like `deviceBehind`, for a folder that may not exist yet. Uses the nearest parent that exists. */
export async function deviceBehindNew(folder: string): Promise<bigint | undefined> {
  try {
    return await deviceBehind(folder)
  } catch (error) {
    const above = dirname(folder)
    if (above === folder || !hasCode(error, 'ENOENT')) throw error
    return await deviceBehindNew(above)
  }
}

/** A place at which a file system is mounted, and its device, such as `8:1`. `stat` returns another one on some systems, such as Btrfs. */
export type Mount = { readonly point: string; readonly device: string }

/** Returns all mounts on Linux, those that hide others at the end. */
export async function linuxMounts(): Promise<readonly Mount[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n')
  return lines.flatMap((line) => {
    const [, , device, , escaped] = line.split(' ')
    if (device === undefined || escaped === undefined) return []
    const point = escaped.replaceAll(/\\(\d{3})/g, (_, octal) =>
      String.fromCodePoint(Number.parseInt(octal, 8)),
    )
    return [{ point, device }]
  })
}

/** Returns the roots of all volumes. Never throws. */
export async function mountPoints(): Promise<readonly string[]> {
  if (process.platform === 'win32')
    return Array.from({ length: 26 }, (_, n) => `${String.fromCodePoint(65 + n)}:\\`)
  if (process.platform === 'darwin')
    return (await readdir('/Volumes').catch(() => [])).map((name) => join('/Volumes', name))
  const mounts = await linuxMounts().catch(() => [])
  return mounts.map(({ point }) => point)
}

/** Time in ms after which a folder counts as unresponsive. A folder on an unreachable network share may never respond. */
const RESPONSE_MS = 2_000

/** Resolves with the response of a folder or a drive, or with undefined if it doesn't respond in time. */
export async function ifResponding<T>(response: Promise<T>, patience = RESPONSE_MS): Promise<T | undefined> {
  const responded = new AbortController()
  try {
    return await Promise.race([response, setTimeout(patience, undefined, { signal: responded.signal })])
  } finally {
    responded.abort()
  }
}
