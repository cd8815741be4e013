/** What a release contains in addition to its packages: checksums and a bill of materials. */
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, verify } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { moduleNotices } from '../../scripts/notices/modules.ts'
import { billOfMaterials } from '../../scripts/packaging/distribution/bill-of-materials.ts'
import { writeChecksums } from '../../scripts/packaging/distribution/checksums.ts'
import { signRelease } from '../../scripts/packaging/distribution/sign.ts'
import { publicKeyText } from '../../scripts/packaging/update-key.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')

test('sha256sum accepts the checksums of the packages, and the update key’s signature covers them', async () => {
  const folder = temporaryFolder()
  for (const name of [
    'Mediatray-1.2.0-linux-amd64.deb',
    'Mediatray-1.2.0-win-x64-setup.exe',
    'mediatray.cdx.json',
  ])
    writeFileSync(join(folder, name), `content of ${name}`)
  for (const name of ['latest-linux.yml', 'Mediatray-1.2.0-win-x64-setup.exe.blockmap'])
    writeFileSync(join(folder, name), 'version: 1.2.0\n')
  await writeChecksums(folder)
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  await signRelease(folder, privateKey, publicKeyText(publicKey))

  const checked = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' })
  expect(checked.status).toBe(0)
  expect(checked.stdout).toBe(
    'Mediatray-1.2.0-linux-amd64.deb: OK\nMediatray-1.2.0-win-x64-setup.exe: OK\nmediatray.cdx.json: OK\n',
  )
  const signature = Buffer.from(readFileSync(join(folder, 'SHA256SUMS.sig'), 'utf8'), 'base64')
  expect(verify(null, readFileSync(join(folder, 'SHA256SUMS')), publicKey, signature)).toBe(true)
})

test('a folder without packages gets no checksums', async () => {
  await expect(writeChecksums(temporaryFolder())).rejects.toThrow('no files')
})

test('the bill of materials names every shipped module once, and what is built into native code', () => {
  const { components } = billOfMaterials(ROOT)
  const names = components.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['Electron', 'Node.js', ...moduleNotices(ROOT).map(({ name }) => name)]),
  )
  const references = components.map((component) => component['bom-ref'])
  expect(new Set(references).size).toBe(references.length)
  const parts = components.flatMap((component) =>
    'components' in component ? (component.components ?? []) : [],
  )
  expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['FFmpeg', 'libvips', 'libheif']))
})
