/**
 * Detects whether the disk that held a folder is still mounted. When a disk is removed, the directory under its mount point becomes
 * visible. Files written there become hidden when the disk is mounted again.
 */
import { readFileSync, statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hasCode } from './errors.ts'
import { ifPossible } from './if-possible.ts'

/**
 * Returns the path at which the disk of a folder is mounted. It stays the same when the computer restarts, unlike device numbers.
 * @param folder absolute; if it doesn't exist yet, its nearest existing parent counts
 * @returns undefined if the folder is on the root file system
 */
export async function mountPointOf(folder: string): Promise<string | undefined> {
  const found = await stat(folder, { bigint: true }).catch((error: unknown) => {
    if (folder !== dirname(folder) && hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (found === undefined) return mountPointOf(dirname(folder))
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const above = await stat(dirname(at), { bigint: true })
    if (above.dev !== found.dev) return at
  }
  return undefined
}

/**
 * Whether the disk that was mounted here has been removed: the mount point is an ordinary folder now, or no longer exists.
 * @param mount the result of `mountPointOf` while the disk was mounted
 */
export async function isTakenAway(mount: string | undefined): Promise<boolean> {
  if (mount === undefined) return false
  try {
    const [found, above] = await Promise.all(
      [mount, dirname(mount)].map((path) => stat(path, { bigint: true })),
    )
    return found?.dev === above?.dev
  } catch (error) {
    // A permission error doesn't show that the disk is gone. Any other error does, for example after removal without unmounting.
    return !hasCode(error, 'EACCES', 'EPERM')
  }
}

/** Synchronous version of `isTakenAway`. @throws if the mount point can't be accessed */
export function isTakenAwaySync(mount: string): boolean {
  const found = statSync(mount, { bigint: true, throwIfNoEntry: false })
  return found === undefined || found.dev === statSync(dirname(mount), { bigint: true }).dev
}

/**
 * The path at which a file system is mounted, and its device, such as `8:1`. `stat` returns another device on some file systems, such as
 * Btrfs.
 */
export type Mount = { readonly point: string; readonly device: string }

const MOUNT_TABLE = '/proc/self/mountinfo'

/** Returns text that changes when a disk is mounted or removed. Empty outside Linux. Never throws. */
export const mountTable = (): string => ifPossible(() => readFileSync(MOUNT_TABLE, 'utf8')) ?? ''

/** Returns all mounts on Linux. A mount that hides another one comes after it. */
export async function linuxMounts(): Promise<readonly Mount[]> {
  const lines = (await readFile(MOUNT_TABLE, 'utf8')).split('\n')
  return lines.flatMap((line) => {
    const [, , device, , escaped] = line.split(' ')
    if (device === undefined || escaped === undefined) return []
    const point = escaped.replaceAll(/\\(\d{3})/g, (_, octal) =>
      String.fromCodePoint(Number.parseInt(octal, 8)),
    )
    return [{ point, device }]
  })
}

/** Returns the roots of all volumes. On Windows, returns the roots of all possible drives. Never throws. */
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
