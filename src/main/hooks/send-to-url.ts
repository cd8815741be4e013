import { createHmac } from 'node:crypto'
import type { Timing } from '../../node/timing.ts'
import type { HookResult } from '../../shared/model/after-job.ts'
import { urlFault } from '../../shared/model/hook-state.ts'
import { post } from './post.ts'
import type { SigningKey } from './signing-key.ts'

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
