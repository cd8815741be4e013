/** Whether what is packed is signed: by certificates on macOS and Windows, by the publisher's key for feeds on Linux. */
import { createPublicKey } from 'node:crypto'
import type { UpdateTrust } from '../../src/main/updates/update-trust.ts'
import type { Environment } from './publisher.ts'

/**
 * A release (MEDIATRAY_RELEASE=1) is signed, or somebody has said by hand that it is not (MEDIATRAY_UNSIGNED=1). What is not signed
 * does not update itself.
 *
 * @throws Error with what is missing
 */
export function updateTrustFrom(env: Environment, platform: NodeJS.Platform): UpdateTrust {
  const key = platform === 'linux' ? keyIn(env) : null
  const means = MEANS[platform] ?? []
  const isMarked = env['MEDIATRAY_UNSIGNED'] === '1'
  const signed = !isMarked && means.some((name) => (env[name] ?? '') !== '')
  if (env['MEDIATRAY_RELEASE'] === '1' && !signed && !isMarked)
    throw new Error(
      `A release is signed. Give ${means.join(' or ')}, or say with MEDIATRAY_UNSIGNED=1 that this one is not; it then never updates itself.`,
    )
  return { signed, key }
}

/** As electron-builder reads them; the key of the feeds is ours. */
const MEANS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['CSC_LINK', 'CSC_NAME'],
  win32: ['WIN_CSC_LINK', 'CSC_LINK'],
  linux: ['MEDIATRAY_UPDATE_KEY'],
}

function keyIn(env: Environment): string | null {
  const given = env['MEDIATRAY_UPDATE_KEY'] ?? ''
  if (given === '') return null
  try {
    const key = createPublicKey({ key: Buffer.from(given, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType === 'ed25519') return given
  } catch {
    // Said below, in a sentence.
  }
  throw new Error('MEDIATRAY_UPDATE_KEY has to be a public key as npm run update-key prints it')
}
