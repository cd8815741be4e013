import { randomBytes } from 'node:crypto'
import type { Kept, KeyStore } from '../connection/index.ts'

/** The key that signs requests. It is created on first use. */
export type SigningKey = ReturnType<typeof createSigningKey>

/** The keychain account of this key. The accounts of services are base URLs. */
export const SIGNING_ACCOUNT = 'after-job'

export function createSigningKey(keyStore: Pick<KeyStore, 'read' | 'write'> | undefined) {
  let reading: Promise<Kept<string>> | undefined

  async function read(): Promise<Kept<string>> {
    if (keyStore === undefined) return { ok: false, trouble: 'missing' }
    const kept = await keyStore.read(SIGNING_ACCOUNT)
    if (!kept.ok) return kept
    if (kept.value !== null) return { ok: true, value: kept.value }
    const key = randomBytes(32).toString('base64url')
    const written = await keyStore.write(SIGNING_ACCOUNT, key)
    return written.ok ? { ok: true, value: key } : written
  }

  return {
    // Two simultaneous calls must not create two keys.
    read: (): Promise<Kept<string>> => (reading ??= read().finally(() => (reading = undefined))),
  }
}
