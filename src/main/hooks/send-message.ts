import type { Timing } from '../../node/timing.ts'
import type { HookResult } from '../../shared/model/after-job.ts'
import { type JobMessage, meansNothingSent, messageRequest } from '../../shared/model/message-formats.ts'
import { addressFault, type Receiver } from '../../shared/model/receiver.ts'
import { post } from './post.ts'
import type { ReceiverAddresses } from './receiver-addresses.ts'
import { secretsOf } from './without-secrets.ts'

/**
 * Sends a message to a phone or a chat. Sends nothing if the address is missing or invalid, or can't be read.
 * @param signal ends the request early
 */
export async function sendMessage(
  { id, format }: Receiver,
  message: JobMessage & { readonly isTest: boolean },
  timing: Pick<Timing, 'after' | 'monotonic'>,
  addresses: ReceiverAddresses,
  signal: AbortSignal,
): Promise<HookResult> {
  const kept = await addresses.read(id)
  if (!kept.ok) return { kind: 'noKey', trouble: kept.trouble }
  const address = kept.value
  if (address === null || addressFault(format, address.url, address.token) !== undefined)
    return { kind: 'noAddress' }
  const { body, ...request } = messageRequest(format, address, message)
  const isPublic = request.url.startsWith('https:')
  const secrets = secretsOf(address)
  const result = await post(
    { ...request, body: JSON.stringify(body), isPublic, isTest: message.isTest, secrets },
    timing,
    signal,
  )
  return result.kind === 'answered' && meansNothingSent(format, result.status)
    ? { ...result, isRefused: true }
    : result
}
