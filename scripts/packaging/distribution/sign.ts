/**
 * Signs the Linux feeds in their final form for the update server, and the checksums.
 * `MEDIATRAY_UPDATE_SIGNING_KEY=… node scripts/packaging/distribution/sign.ts <folder>`, with the private key in PEM format.
 */
import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { FEED } from '../channels.ts'
import { publicKeyText } from '../update-key.ts'
import { CHECKSUMS } from './checksums.ts'

const isLinuxFeed = (name: string): boolean => FEED.exec(name)?.[1]?.startsWith('-linux') ?? false

/**
 * @param expected the public key that the packages were built with
 * @returns the names of the signed files
 * @throws Error if no app would accept these signatures, or there is nothing to sign
 */
export async function signRelease(
  folder: string,
  key: KeyObject,
  expected: string,
): Promise<readonly string[]> {
  if (publicKeyText(createPublicKey(key)) !== expected)
    throw new Error('The signing key doesn’t match the public key that the packages were built with')
  const names = await readdir(folder)
  if (!names.some(isLinuxFeed)) throw new Error(`No Linux feed was found in ${folder}`)
  const signed = names.filter((name) => isLinuxFeed(name) || name === CHECKSUMS)
  for (const name of signed) {
    const signature = sign(null, await readFile(join(folder, name)), key)
    await writeFile(join(folder, `${name}.sig`), `${signature.toString('base64')}\n`)
  }
  return signed
}

if (process.argv[1] === import.meta.filename) {
  const { MEDIATRAY_UPDATE_SIGNING_KEY = '', MEDIATRAY_UPDATE_KEY = '' } = process.env
  const [folder = '.'] = process.argv.slice(2)
  const signed = await signRelease(
    resolve(folder),
    createPrivateKey(MEDIATRAY_UPDATE_SIGNING_KEY),
    MEDIATRAY_UPDATE_KEY,
  )
  console.log(`Signed: ${signed.join(', ')}`)
}
