import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { updateTrustFrom } from '../../scripts/packaging/signing.ts'
import { publicKeyText } from '../../scripts/packaging/update-key.ts'

const KEY = publicKeyText(generateKeyPairSync('ed25519').publicKey)

test.each([
  ['darwin', { CSC_LINK: 'a certificate' }],
  ['win32', { WIN_CSC_LINK: 'a certificate' }],
  ['win32', { CSC_LINK: 'a certificate' }],
] as const)('a release for %s is signed by a certificate', (platform, env) => {
  expect(updateTrustFrom({ ...env, MEDIATRAY_RELEASE: '1' }, platform)).toEqual({ signed: true, key: null })
})

test('a release for Linux has the key of its feeds built in', () => {
  const env = { MEDIATRAY_UPDATE_KEY: KEY, MEDIATRAY_RELEASE: '1' }
  expect(updateTrustFrom(env, 'linux')).toEqual({ signed: true, key: KEY })
})

test.each(['darwin', 'win32', 'linux'] as const)(
  'an unsigned release for %s fails unless it was explicitly permitted',
  (platform) => {
    expect(() => updateTrustFrom({ MEDIATRAY_RELEASE: '1' }, platform)).toThrow('MEDIATRAY_UNSIGNED=1')
    const marked = { MEDIATRAY_RELEASE: '1', MEDIATRAY_UNSIGNED: '1', CSC_LINK: 'a certificate' }
    expect(updateTrustFrom(marked, platform)).toEqual({ signed: false, key: null })
    expect(updateTrustFrom({}, platform)).toEqual({ signed: false, key: null })
  },
)

test.each(['nonsense', publicKeyText(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)])(
  '%s is not a valid feed key',
  (key) => {
    expect(() => updateTrustFrom({ MEDIATRAY_UPDATE_KEY: key }, 'linux')).toThrow('npm run update-key')
  },
)
