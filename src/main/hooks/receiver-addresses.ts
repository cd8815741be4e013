/** Keeps the addresses and tokens of receivers in the keychain. */
import { ifPossible } from '../../node/if-possible.ts'
import * as z from 'zod'
import { parseJson } from '../../shared/parse-json.ts'
import type { MessageAddress } from '../../shared/model/message-formats.ts'
import type { Kept, KeyStore } from '../connection/index.ts'
import { SIGNING_ACCOUNT } from './signing-key.ts'

const Address = z.object({ url: z.string(), token: z.string().default('') })

export type ReceiverAddresses = ReturnType<typeof createReceiverAddresses>

const accountOf = (id: string): string => `${SIGNING_ACCOUNT}/${id}`

export function createReceiverAddresses(keyStore: KeyStore | undefined) {
  const NONE = { ok: false, trouble: 'missing' } as const
  return {
    /** The value is null if this computer doesn't know the address. */
    async read(id: string): Promise<Kept<MessageAddress | null>> {
      const kept = (await keyStore?.read(accountOf(id))) ?? NONE
      return kept.ok ? { ok: true, value: addressIn(kept.value) } : kept
    },
    write: async (id: string, address: MessageAddress): Promise<Kept<void>> =>
      (await keyStore?.write(accountOf(id), JSON.stringify(address))) ?? NONE,
    remove: async (id: string): Promise<Kept<void>> => (await keyStore?.remove(accountOf(id))) ?? NONE,
  }
}

const addressIn = (stored: string | null): MessageAddress | null =>
  ifPossible(() => Address.parse(parseJson(stored ?? ''))) ?? null

/**
 * Returns the secrets in a command's environment by their accounts in the keychain: the signing key, and each receiver's address and
 * token as JSON. `MEDIATRAY_RECEIVERS` is a JSON object with the receivers' IDs as keys.
 */
export function secretsIn(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const key = env['MEDIATRAY_SIGNING_KEY']
  return { ...(key && { [SIGNING_ACCOUNT]: key }), ...addressesIn(env['MEDIATRAY_RECEIVERS'] ?? '{}') }
}

function addressesIn(text: string): Readonly<Record<string, string>> {
  // Without addresses, no messages are sent, and each receiver reports the reason.
  const given = ifPossible(() => z.record(z.string(), Address).parse(parseJson(text))) ?? {}
  return Object.fromEntries(Object.entries(given).map(([id, one]) => [accountOf(id), JSON.stringify(one)]))
}
