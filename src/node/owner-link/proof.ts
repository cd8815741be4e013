/** Lets the owner of a data folder and its clients prove to each other that they can read that folder. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../open-regular.ts'
import { ifPossible } from '../if-possible.ts'

const BYTES = 32
export type Side = 'owner' | 'client'

export const newChallenge = (): string => randomBytes(BYTES).toString('hex')

/**
 * How to reach the process that listens for a folder. `path`: of its socket, which depends on its environment. `pid`: its process ID or
 * mark. `folder`: the folder's path when the process began to listen.
 */
export type Address = Readonly<Record<'secret' | 'path' | 'pid' | 'folder', string>>

/**
 * Returns the address of the folder's process, which may have ended; undefined if there is none. Ignores the address in a copied or moved
 * folder, because it leads to another folder's process.
 */
export function readAddress(dataDir: string): Address | undefined {
  return ifPossible(() => {
    const { secret, path, pid, folder }: Partial<Address> = JSON.parse(readRegular(addressFile(dataDir)))
    if (!secret || !path || !pid || !folder || !isSameFolder(folder, dataDir)) return undefined
    return { secret, path, pid, folder }
  })
}

/** Whether both paths lead to the same folder, for example through a link or on a file system that ignores case. */
function isSameFolder(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true }))
  return first?.dev === second?.dev && first?.ino === second?.ino
}

/** Writes an address with a secret, by default a new one, to a file that only this user can read. */
export function writeAddress(
  dataDir: string,
  path: string,
  pid = String(process.pid),
  secret = newChallenge(),
): Address {
  const address = { secret, path, pid, folder: realpathSync(dataDir) }
  const file = addressFile(dataDir)
  // The new file replaces the old one, so that no client reads half of it.
  writeFileSync(`${file}.new`, JSON.stringify(address), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return address
}

/** Removes the address of a process that ends, unless another process has written its own. */
export function removeAddress(dataDir: string, secret: string): void {
  if (readAddress(dataDir)?.secret === secret) rmSync(addressFile(dataDir), { force: true })
}

/** Returns a value that changes when the address file is replaced or edited, or the folder has moved; undefined if it can't be checked. */
export function addressVersion(dataDir: string): string | undefined {
  return ifPossible(() => {
    const { ino, size, mtimeNs, ctimeNs } = statSync(addressFile(dataDir), { bigint: true })
    return [realpathSync.native(dataDir), ino, size, mtimeNs, ctimeNs].join()
  })
}

const addressFile = (dataDir: string): string => join(dataDir, 'owner.key')

export const proofOf = (secret: string, side: Side, challenges: readonly string[]): string =>
  createHmac('sha256', secret)
    .update([side, ...challenges].join('\n'))
    .digest('hex')

export function isProof(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
