/** Determines where the owner of a data folder listens. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:net'
import { hasCode } from '../errors.ts'
import { ifPossible } from '../if-possible.ts'

/** The longest path of a socket that every system accepts, in bytes. */
const LONGEST = 100

export type SocketPlace = {
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
}

/**
 * Returns a new path for a socket, or a new name for a pipe on Windows. It is short and in a folder that only this user can enter. It is
 * unique, because a process that ends removes its socket by name.
 * @param dataDir absolute; exists
 * @throws if there is no folder for a socket
 */
export function socketPlace(dataDir: string, { env, platform }: SocketPlace): string {
  const name = `${socketName(dataDir)}${randomBytes(3).toString('hex')}`
  if (platform === 'win32') return `\\\\.\\pipe\\${name}`
  const places = placesFor(dataDir, env)
  for (const place of places) {
    const path = join(place, `${name}.sock`)
    if (Buffer.byteLength(path) <= LONGEST && isPrivate(place)) return path
  }
  throw new Error(
    `There is no folder for Mediatray’s socket that only you can enter and whose path is short: neither $XDG_RUNTIME_DIR nor ${places.slice(-2).join(' nor ')}.`,
  )
}

function placesFor(dataDir: string, env: SocketPlace['env']): readonly string[] {
  const temporary = join(tmpdir(), `mediatray-${process.getuid?.() ?? 0}`)
  try {
    // Not recursive, so that a missing temporary folder isn't created.
    mkdirSync(temporary, { mode: 0o700 })
  } catch {
    // The folder exists, or can't be used.
  }
  return [...(env['XDG_RUNTIME_DIR'] ? [env['XDG_RUNTIME_DIR']] : []), temporary, realpathSync(dataDir)]
}

/** Returns the prefix of the folder's socket names. It doesn't depend on the environment, and differs for a copy of the folder. */
const socketName = (dataDir: string): string =>
  `mediatray-${createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12)}`

/**
 * Removes the sockets of processes that were killed.
 * @returns false if a process still listens for a folder at this path
 */
export async function freeOfSockets(dataDir: string, place: SocketPlace): Promise<boolean> {
  let isFree = true
  for (const path of socketsOf(dataDir, place)) {
    if (await isListenedTo(path)) isFree = false
    else rmSync(path, { force: true })
  }
  return isFree
}

function isListenedTo(path: string): Promise<boolean> {
  const socket = connect(path)
  const listened = once(socket, 'connect').then(
    () => true,
    (error: unknown) => !hasCode(error, 'ECONNREFUSED', 'ENOENT'),
  )
  return listened.finally(() => socket.destroy())
}

/** Returns the sockets of the folder's processes, including those of killed processes. None on Windows, where pipes aren't files. */
function socketsOf(dataDir: string, { env, platform }: SocketPlace): readonly string[] {
  if (platform === 'win32') return []
  const name = socketName(dataDir)
  return placesFor(dataDir, env)
    .filter(isPrivate)
    .flatMap((place) =>
      readdirSync(place)
        .filter((one) => one.startsWith(name))
        .map((one) => join(place, one)),
    )
}

function isPrivate(folder: string): boolean {
  const found = ifPossible(() => lstatSync(folder))
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
