/**
 * `npm run update-key -- FILE` generates the key pair that verifies updates on Linux.
 * The private key is written only to a new file that its owner alone can read; the public key is printed.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Returns the format of MEDIATRAY_UPDATE_KEY: base64 of DER-encoded SPKI. */
export const publicKeyText = (key: KeyObject): string =>
  key.export({ format: 'der', type: 'spki' }).toString('base64')

/**
 * @returns the public key
 * @throws if the file already exists
 */
export function makeUpdateKey(file: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { flag: 'wx', mode: 0o600 })
  return publicKeyText(publicKey)
}

if (process.argv[1] === import.meta.filename) {
  const [file = 'mediatray-update-key.pem'] = process.argv.slice(2)
  const key = makeUpdateKey(resolve(process.env['INIT_CWD'] ?? '.', file))
  console.log(`MEDIATRAY_UPDATE_KEY=${key}`)
  console.log(`The private key is in ${file}. Don’t commit it: its content is MEDIATRAY_UPDATE_SIGNING_KEY.`)
}
