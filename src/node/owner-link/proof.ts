/** How the owner of a data folder and its clients show each other that they can read that folder. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BYTES = 32
export type Side = 'owner' | 'client'

export const newChallenge = (): string => randomBytes(BYTES).toString('hex')

/** Reads the folder's secret. */
export const readSecret = (dataDir: string): Buffer => readFileSync(secretFile(dataDir))

/** Writes a new secret, which only this user can read. Called by the owner before it listens. */
export function writeSecret(dataDir: string): Buffer {
  const secret = randomBytes(BYTES)
  writeFileSync(secretFile(dataDir), secret, { mode: 0o600 })
  return secret
}

const secretFile = (dataDir: string): string => join(dataDir, 'owner.key')

export const proofOf = (secret: Buffer, side: Side, challenges: readonly string[]): string =>
  createHmac('sha256', secret)
    .update([side, ...challenges].join('\n'))
    .digest('hex')

export function isProof(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
