/** What a release contains in addition to its packages: checksums and a bill of materials. */
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, verify } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { moduleNotices } from '../../scripts/notices/modules.ts'
import { FEED } from '../../scripts/packaging/channels.ts'
import { billOfMaterials } from '../../scripts/packaging/distribution/bill-of-materials.ts'
import { writeChecksums } from '../../scripts/packaging/distribution/checksums.ts'
import { signRelease } from '../../scripts/packaging/distribution/sign.ts'
import { publicKeyText } from '../../scripts/packaging/update-key.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

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

itInLongSuite('the feeds of a pre-release are collected from all builds and signed', async () => {
  const [builds, updates] = [temporaryFolder(), join(temporaryFolder(), 'updates')]
  for (const [build, name] of [
    ['build-ubuntu', 'beta-linux.yml'],
    ['build-ubuntu-arm', 'beta-linux-arm64.yml'],
    ['build-ubuntu', 'alpha-linux.yml'],
    ['build-macos', 'beta-mac.yml'],
    ['build-macos-intel', 'beta-mac.yml'],
    ['build-windows', 'beta.yml'],
    ['build-windows', 'builder-debug.yml'],
  ] as const) {
    mkdirSync(join(builds, build), { recursive: true })
    writeFileSync(join(builds, build, name), `version: 1.0.0-beta.1\nfiles:\n  - url: ${build}.zip\n`)
  }
  const script = join(ROOT, 'scripts/packaging/collect-updates.ts')
  const collected = spawnSync(process.execPath, [script, builds, updates], { encoding: 'utf8' })
  expect(collected.stderr).toBe('')
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  await signRelease(updates, privateKey, publicKeyText(publicKey))
  expect(readdirSync(updates).toSorted()).toEqual([
    'alpha-linux.yml',
    'alpha-linux.yml.sig',
    'beta-linux-arm64.yml',
    'beta-linux-arm64.yml.sig',
    'beta-linux.yml',
    'beta-linux.yml.sig',
    'beta-mac.yml',
    'beta.yml',
  ])
  expect(readFileSync(join(updates, 'beta-mac.yml'), 'utf8').match(/- url: .*/g)).toHaveLength(2)
})

test('the workflow uploads every feed that the collection takes', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')
  for (const channel of ['latest', 'beta', 'alpha']) {
    expect(FEED.test(`${channel}-linux-arm64.yml`)).toBe(true)
    expect(workflow).toContain(` release/${channel}*.yml\n`)
  }
  const configuration = readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')
  expect(configuration).toContain('\ngenerateUpdatesFilesForAllChannels: true\n')
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
