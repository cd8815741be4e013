/** The manifests for package managers say what the release's files are, and nothing about anyone else. */
import { spawnSync } from 'node:child_process'
import { UUID } from 'builder-util-runtime'
import { appendFileSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXAMPLE_VARIABLES, writeExampleRelease } from '../../scripts/packaging/check-manifests.ts'
import { checkWithTools } from '../../scripts/packaging/distribution/check.ts'
import { writeManifests } from '../../scripts/packaging/distribution/manifests.ts'
import { APP_ID, readRelease } from '../../scripts/packaging/distribution/release.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const DEB = `Mediatray-${version}-linux-amd64.deb`

async function makeManifests(variables: Readonly<Record<string, string>> = EXAMPLE_VARIABLES) {
  const updates = temporaryFolder()
  const target = temporaryFolder()
  await writeExampleRelease(updates, version, DEB)
  await writeManifests(await readRelease(updates, ROOT, variables), target)
  const read = (path: string) => readFileSync(join(target, path), 'utf8')
  return { updates, target, read }
}

test('every manifest names the address and the hash of its packages, as sha256sum prints it', async () => {
  const { updates, read } = await makeManifests()
  const hashOf = (name: string) =>
    spawnSync('sha256sum', [name], { cwd: updates, encoding: 'utf8' }).stdout.slice(0, 64)
  const named = {
    'winget/ThePublisher.Mediatray.installer.yaml': ['win-x64-setup.exe', 'win-arm64-setup.exe'],
    'scoop/mediatray.json': ['win-x64-setup.exe', 'win-arm64-setup.exe'],
    'homebrew/mediatray.rb': ['mac-x64.dmg', 'mac-arm64.dmg'],
    'aur/PKGBUILD': ['linux-amd64.deb', 'linux-arm64.deb'],
    'aur/.SRCINFO': ['linux-amd64.deb', 'linux-arm64.deb'],
    [`flatpak/${APP_ID}.json`]: ['linux-amd64.deb', 'linux-arm64.deb'],
  }
  for (const [path, ends] of Object.entries(named)) {
    const text = read(path)
    for (const end of ends) {
      const name = `Mediatray-${version}-${end}`
      expect(text.toLowerCase()).toContain(hashOf(name))
      if (path !== 'homebrew/mediatray.rb')
        expect(text).toContain(`https://mediatray.example/updates/${name}`)
    }
    expect(text.match(/\b[0-9a-f]{64}\b/gi)).toHaveLength(2)
  }
  expect(read('homebrew/mediatray.rb')).toContain(
    'url "https://mediatray.example/updates/Mediatray-#{version}-mac-#{arch}.dmg"',
  )
})

test('the tools of the package managers accept the manifests', async () => {
  const { target } = await makeManifests()
  const missing: string[] = []
  expect(checkWithTools(target, (line) => missing.push(line))).toEqual([])
  appendFileSync(join(target, 'aur/PKGBUILD'), '}\n')
  expect(checkWithTools(target, (line) => missing.push(line)).join()).toContain('bash')
})

test('manifests contain no address except the publisher’s', async () => {
  const { target, read } = await makeManifests()
  const texts = globSync('*/{.*,*}', { cwd: target }).map(read)
  expect(texts).toHaveLength(9)
  const hosts = texts.flatMap((text) =>
    [...text.matchAll(/https?:\/\/([^/"' \n]+)/g)].map(([, host]) => host),
  )
  expect(new Set(hosts)).toEqual(new Set(['aka.ms', 'code.example', 'mediatray.example']))
})

test('a publisher’s name can’t break a manifest', async () => {
  const contact = 'O’Brien & "Söhne\' <packages@mediatray.example>'
  const { target } = await makeManifests({ ...EXAMPLE_VARIABLES, MEDIATRAY_CONTACT: contact })
  expect(checkWithTools(target, () => undefined)).toEqual([])
  expect(globSync('winget/*', { cwd: target }).toSorted()[0]).toBe(
    'winget/OBrienSöhne.Mediatray.installer.yaml',
  )
})

test('packages of package managers never update themselves, except where the app is expected to', async () => {
  const { read } = await makeManifests()
  for (const path of ['aur/PKGBUILD', `flatpak/${APP_ID}.json`, 'scoop/mediatray.json'])
    expect(read(path)).toContain('app-update.yml')
  expect(read('homebrew/mediatray.rb')).toContain('\n  auto_updates true\n  depends_on')
  const unsigned = await makeManifests({ ...EXAMPLE_VARIABLES, MEDIATRAY_UNSIGNED: '1' })
  expect(unsigned.read('homebrew/mediatray.rb')).not.toContain('auto_updates')
})

test('winget finds an installation under the key that electron-builder gives the app', async () => {
  const { read } = await makeManifests()
  const key = UUID.v5(APP_ID, UUID.parse('50e065bc-3134-11e6-9bab-38c9862bdaf3'))
  expect(read('winget/ThePublisher.Mediatray.installer.yaml')).toContain(`ProductCode: "${key}"`)
})

test('without a publisher, a repository or a package there are no manifests', async () => {
  for (const name of Object.keys(EXAMPLE_VARIABLES))
    await expect(makeManifests({ ...EXAMPLE_VARIABLES, [name]: '' })).rejects.toThrow(name)
  const updates = temporaryFolder()
  await writeExampleRelease(updates, version, 'another.deb')
  await expect(readRelease(updates, ROOT, EXAMPLE_VARIABLES)).rejects.toThrow(DEB)
  rmSync(join(updates, 'SHA256SUMS'))
  await expect(readRelease(updates, ROOT, EXAMPLE_VARIABLES)).rejects.toThrow('SHA256SUMS')
})

test('packages have the names that electron-builder.yml gives them', async () => {
  const updates = temporaryFolder()
  await writeExampleRelease(updates, version, DEB)
  const { packages } = await readRelease(updates, ROOT, EXAMPLE_VARIABLES)
  const configuration = readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')
  const [common = '', , setup = ''] = [...configuration.matchAll(/artifactName: (.+)/g)].map(
    ([, name]) => name,
  )
  const named = (pattern: string, os: string, arch: string, ext: string) =>
    Object.entries({ productName: 'Mediatray', version, os, arch, ext }).reduce(
      (name, [key, value]) => name.replace(`\${${key}}`, value),
      pattern,
    )
  expect(packages.dmg.arm64.name).toBe(named(common, 'mac', 'arm64', 'dmg'))
  expect(packages.deb.arm64.name).toBe(named(common, 'linux', 'arm64', 'deb'))
  expect(packages.setup.x64.name).toBe(named(setup, 'win', 'x64', 'exe'))
})
