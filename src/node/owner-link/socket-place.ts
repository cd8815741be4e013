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
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)
  if (platform === 'win32') return `\\\\.\\pipe\\mediatray-${name}`
  const runtime = env['XDG_RUNTIME_DIR']
  const folder = runtime !== undefined && isPrivate(runtime) ? runtime : privateFolder()
  const path = join(folder, `mediatray-${name}.sock`)
  if (Buffer.byteLength(path) > LONGEST) throw new Error(`The path of the socket is too long: ${path}`)
  return path
}

function privateFolder(): string {
  const folder = join(tmpdir(), `mediatray-${process.getuid?.() ?? 0}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!isPrivate(folder)) throw new Error(`Another user can enter ${folder}.`)
  return folder
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
