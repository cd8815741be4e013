/** Verifies the publisher of a Linux feed, with real keys and a real server. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { signRelease } from '../../../scripts/packaging/distribution/sign.ts'
import { makeUpdateKey, publicKeyText } from '../../../scripts/packaging/update-key.ts'
import { checkFeed } from '../../../src/main/updates/signed-feed.ts'
import { listenUntilEnd } from '../../listen-until-end.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const FILE = { sha512: 'bm90IGEgcmVhbCBoYXNo+/==' }
const FEED = `version: 1.2.0
files:
  - url: Mediatray-1.2.0-x86_64.AppImage
    sha512: ${FILE.sha512}
    size: 1000
path: Mediatray-1.2.0-x86_64.AppImage
sha512: ${FILE.sha512}
releaseDate: '2026-11-20T12:00:00.000Z'
`
const signed = (text: string, key = privateKey) => sign(null, Buffer.from(text), key).toString('base64')

const files = new Map<string, string>()
let address: string

beforeEach(async () => {
  const server = createServer((request, response) => {
    const found = files.get(request.url ?? '')
    response.writeHead(found === undefined ? 404 : 200).end(found)
  })
  address = await listenUntilEnd(server)
  files.clear()
  files.set('/updates/latest-linux.yml', FEED)
  files.set('/updates/latest-linux.yml.sig', `${signed(FEED)}\n`)
})

async function fetchBytes(url: string): Promise<Uint8Array> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  return answer.bytes()
}

const check = (found = { version: '1.2.0', files: [FILE] }, { arch = 'x64', key = publicKey } = {}) =>
  checkFeed(found, {
    appUpdateYml: `provider: generic\nurl: ${address}/updates\nupdaterCacheDirName: mediatray-updater\n`,
    key: publicKeyText(key),
    arch,
    fetchBytes,
  })

const REFUSED = expect.objectContaining({ code: 'ERR_UPDATER_INVALID_SIGNATURE' })

describe('a feed', () => {
  it('signed by the publisher is accepted, with the files that it names', async () => {
    await expect(check()).resolves.toBeUndefined()
  })

  it('for another architecture has a separate name and signature', async () => {
    const feed = FEED.replaceAll('x86_64', 'arm64')
    files.set('/updates/latest-linux-arm64.yml', feed)
    files.set('/updates/latest-linux-arm64.yml.sig', signed(feed))
    await expect(check(undefined, { arch: 'arm64' })).resolves.toBeUndefined()
  })

  it.each([
    ['that was changed', () => void files.set('/updates/latest-linux.yml', FEED.replace('1.2.0', '1.2.1'))],
    ['whose signature is missing', () => void files.delete('/updates/latest-linux.yml.sig')],
    ['whose signature is invalid', () => void files.set('/updates/latest-linux.yml.sig', 'yes')],
    [
      'that someone else has signed',
      () =>
        void files.set(
          '/updates/latest-linux.yml.sig',
          signed(FEED, generateKeyPairSync('ed25519').privateKey),
        ),
    ],
  ])('%s is refused', async (_, change) => {
    change()
    await expect(check()).rejects.toEqual(REFUSED)
  })

  it.each([
    ['another version', { version: '1.3.0', files: [FILE] }],
    ['another file', { version: '1.2.0', files: [FILE, { sha512: 'ZXZpbA==' }] }],
    ['no file', { version: '1.2.0', files: [] }],
  ])('that is signed doesn’t vouch for %s, which the updater received', async (_, found) => {
    await expect(check(found)).rejects.toEqual(REFUSED)
  })

  it('that can’t be downloaded doesn’t count as invalid', async () => {
    files.clear()
    await expect(check()).rejects.not.toEqual(REFUSED)
  })
})

describe('the publisher’s tooling', () => {
  it('creates a private key and signs every Linux feed with it, and apps accept these feeds', async () => {
    const folder = temporaryFolder()
    const keyFile = join(folder, 'key.pem')
    const printed = makeUpdateKey(keyFile)
    expect(statSync(keyFile).mode & 0o077).toBe(0)
    expect(() => makeUpdateKey(keyFile)).toThrow('EEXIST')
    for (const name of ['latest-linux.yml', 'latest-linux-arm64.yml', 'latest.yml', 'latest-mac.yml'])
      writeFileSync(join(folder, name), FEED)
    const key = createPrivateKey(readFileSync(keyFile, 'utf8'))
    expect(await signRelease(folder, key, printed)).toEqual(['latest-linux-arm64.yml', 'latest-linux.yml'])
    files.set('/updates/latest-linux.yml.sig', readFileSync(join(folder, 'latest-linux.yml.sig'), 'utf8'))
    const appUpdateYml = `url: ${address}/updates`
    const options = { appUpdateYml, key: printed, arch: 'x64', fetchBytes }
    await expect(checkFeed({ version: '1.2.0', files: [FILE] }, options)).resolves.toBeUndefined()
  })

  it('refuses to sign with a key that no package was built with', async () => {
    const { publicKey: other } = generateKeyPairSync('ed25519')
    await expect(signRelease('/', privateKey, publicKeyText(other))).rejects.toThrow('doesn’t match')
  })
})
