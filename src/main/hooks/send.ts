import { createHmac } from 'node:crypto'
import type { Timing } from '../../node/timing.ts'
import type { HookResult } from '../../shared/model/after-job.ts'
import { urlFault } from '../../shared/model/hook-state.ts'
import { type JobMessage, meansNothingSent, messageRequest } from '../../shared/model/message-formats.ts'
import { addressFault, type Receiver } from '../../shared/model/receiver.ts'
import { post } from './post.ts'
import type { SigningKey } from './signing-key.ts'
import type { ReceiverAddresses } from './receiver-addresses.ts'
import { secretsOf } from './without-secrets.ts'

export type Report = { readonly id: string; readonly body: string; readonly isTest: boolean }

/**
 * Sends a signed report to a URL. Sends nothing if the URL is invalid or the key can't be read.
 * @param signal ends the request early
 */
export async function sendToUrl(
  url: string,
  { id, body, isTest }: Report,
  timing: Pick<Timing, 'clock' | 'after' | 'monotonic'>,
  key: SigningKey,
  signal: AbortSignal,
): Promise<HookResult> {
  const fault = urlFault(url)
  if (fault !== undefined) return { kind: 'badUrl', fault }
  const kept = await key.read()
  if (!kept.ok) return { kind: 'noKey', trouble: kept.trouble }
  const headers = {
    'mediatray-delivery': id,
    'mediatray-signature': signatureOf(body, kept.value, Math.floor(timing.clock() / 1_000)),
  }
  return post({ url, headers, body, isPublic: true, isTest }, timing, signal)
}

/** Signs the time together with the body, so that a recorded request can't be sent again later. */
export function signatureOf(body: string, key: string, seconds: number): string {
  const digest = createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${digest}`
}

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
