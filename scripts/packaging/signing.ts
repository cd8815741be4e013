/** Determines whether a build is signed: by certificates on macOS and Windows, by the publisher's feed key on Linux. */
import { createPublicKey } from 'node:crypto'
import type { UpdateTrust } from '../../src/main/updates/update-trust.ts'
import type { Environment } from './publisher.ts'

/**
 * Requires a signature for releases (MEDIATRAY_RELEASE=1), unless MEDIATRAY_UNSIGNED=1 waives it explicitly. Unsigned builds
 * don't update themselves.
 * @throws Error naming what is missing
 */
export function updateTrustFrom(env: Environment, platform: NodeJS.Platform): UpdateTrust {
  const key = platform === 'linux' ? keyIn(env) : null
  const means = MEANS[platform] ?? []
  const isMarked = env['MEDIATRAY_UNSIGNED'] === '1'
  const signed = !isMarked && means.some((name) => (env[name] ?? '') !== '')
  if (env['MEDIATRAY_RELEASE'] === '1' && !signed && !isMarked)
    throw new Error(
      `A release must be signed. Set ${means.join(' or ')}, or set MEDIATRAY_UNSIGNED=1 for an unsigned release, which never updates itself.`,
    )
  return { signed, key }
}

/** Variables that provide the signing keys. electron-builder reads all but MEDIATRAY_UPDATE_KEY, which is ours. */
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
    // Reported below, in a sentence.
  }
  throw new Error('MEDIATRAY_UPDATE_KEY must be a public key as printed by npm run update-key')
}
