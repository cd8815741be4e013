/** Lets the owner of a data folder and its clients prove to each other that they can read that folder. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BYTES = 32
export type Side = 'owner' | 'client'

export const newChallenge = (): string => randomBytes(BYTES).toString('hex')

/**
 * How to reach the process that listens for a folder: a secret, the path of its socket, which depends on its environment, and its
 * process ID or mark.
 */
export type Address = { readonly secret: string; readonly path: string; readonly pid: string }

/** Returns the address of the folder's process, which may have ended; undefined if there is none. */
export function readAddress(dataDir: string): Address | undefined {
  try {
    const [secret = '', path = '', pid = ''] = readFileSync(addressFile(dataDir), 'utf8').split('\n')
    return secret === '' ? undefined : { secret, path, pid }
  } catch {
    return undefined
  }
}

/** Writes an address with a secret, by default a new one, to a file that only this user can read. */
export function writeAddress(
  dataDir: string,
  path: string,
  pid = String(process.pid),
  secret = newChallenge(),
): Address {
  const address = { secret, path, pid }
  const file = addressFile(dataDir)
  // The new file replaces the old one, so that no client reads half of it.
  writeFileSync(`${file}.new`, Object.values(address).join('\n'), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return address
}

/** Removes the address of a process that ends, unless another process has written its own. */
export function removeAddress(dataDir: string, secret: string): void {
  if (readAddress(dataDir)?.secret === secret) rmSync(addressFile(dataDir), { force: true })
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
