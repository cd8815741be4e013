/** Where the owner of a data folder listens. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The longest path of a socket that every system accepts, in bytes. */
const LONGEST = 100

/**
 * Returns the path of the socket, or the name of the pipe on Windows. It is short and in a folder that only this user can enter.
 * @param dataDir absolute; exists
 * @throws if there is no folder for a socket
 */
export function socketPlace(
  dataDir: string,
  {
    env,
    platform,
  }: { readonly env: Readonly<Record<string, string | undefined>>; readonly platform: NodeJS.Platform },
): string {
  const folder = realpathSync(dataDir)
  const name = socketName(dataDir)
  if (platform === 'win32') return `\\\\.\\pipe\\${name}`
  const temporary = join(tmpdir(), `mediatray-${process.getuid?.() ?? 0}`)
  for (const place of [env['XDG_RUNTIME_DIR'], made(temporary), folder]) {
    const path = place && join(place, `${name}.sock`)
    if (path && Buffer.byteLength(path) <= LONGEST && isPrivate(place)) return path
  }
  throw new Error(
    `There is no folder for Mediatray’s socket that only you can enter and whose path is short: neither $XDG_RUNTIME_DIR nor ${temporary} nor ${folder}.`,
  )
}

/** Returns the name that the folder's socket has, regardless of the environment. It differs for a copy of the folder. */
export const socketName = (dataDir: string): string =>
  `mediatray-${createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)}`

/** @returns undefined if there is no folder for temporary files, or if it can't be written */
function made(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  } catch {
    return undefined
  }
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
