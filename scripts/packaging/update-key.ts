/**
 * `npm run update-key -- FILE` makes the pair of keys by which Linux knows its updates. The private one goes into a new file that only
 * its owner reads, and nowhere else; the public one is printed.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** As MEDIATRAY_UPDATE_KEY has it: SPKI in DER, in base64. */
export const publicKeyText = (key: KeyObject): string =>
  key.export({ format: 'der', type: 'spki' }).toString('base64')

/** @returns the public key. @throws where the file is there already */
export function makeUpdateKey(file: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { flag: 'wx', mode: 0o600 })
  return publicKeyText(publicKey)
}

if (process.argv[1] === import.meta.filename) {
  const [file = 'mediatray-update-key.pem'] = process.argv.slice(2)
  const key = makeUpdateKey(resolve(process.env['INIT_CWD'] ?? '.', file))
  console.log(`MEDIATRAY_UPDATE_KEY=${key}`)
  console.log(
    `The private key is in ${file}. Keep it out of the repository: it is MEDIATRAY_UPDATE_SIGNING_KEY.`,
  )
}
