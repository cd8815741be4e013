/** How the owner of a data folder and its clients show each other that they can read that folder. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BYTES = 32
export type Side = 'owner' | 'client'

export const newChallenge = (): string => randomBytes(BYTES).toString('hex')

/** How to reach an owner: a secret, the path of its socket, which depends on the owner's environment, and its process ID. */
export type Address = { readonly secret: string; readonly path: string; readonly pid: string }

/** Returns how to reach the folder's owner, which may have ended; undefined if it never had one. */
export function readAddress(dataDir: string): Address | undefined {
  try {
    const [secret = '', path = '', pid = ''] = readFileSync(addressFile(dataDir), 'utf8').split('\n')
    return secret === '' ? undefined : { secret, path, pid }
  } catch {
    return undefined
  }
}

/** Writes a new secret, which only this user can read. Called by the owner before it listens. */
export function writeAddress(dataDir: string, path: string): Address {
  const address = { secret: newChallenge(), path, pid: String(process.pid) }
  const file = addressFile(dataDir)
  // A client never reads half of it.
  writeFileSync(`${file}.new`, Object.values(address).join('\n'), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return address
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
