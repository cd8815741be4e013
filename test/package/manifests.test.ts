/** The manifests for package managers say what the release's files are, and nothing about anyone else. */
import { spawnSync } from 'node:child_process'
import { UUID } from 'builder-util-runtime'
import { appendFileSync, copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXAMPLE_VARIABLES, writeExampleRelease } from '../../scripts/packaging/check-manifests.ts'
import { onPath } from '../../scripts/on-path.ts'
import { channelOf } from '../../scripts/packaging/channels.ts'
import { checkWithTools } from '../../scripts/packaging/distribution/check.ts'
import { writeManifests } from '../../scripts/packaging/distribution/manifests.ts'
import { APP_ID, readRelease } from '../../scripts/packaging/distribution/release.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const DEB = `Mediatray-${version}-linux-amd64.deb`

async function makeManifests(
  variables: Readonly<Record<string, string>> = EXAMPLE_VARIABLES,
  ofVersion: string = version,
) {
  const updates = temporaryFolder()
  const target = temporaryFolder()
  const root = temporaryFolder()
  writeFileSync(join(root, 'package.json'), JSON.stringify({ version: ofVersion }))
  copyFileSync(join(ROOT, 'electron-builder.yml'), join(root, 'electron-builder.yml'))
  await writeExampleRelease(updates, ofVersion, `Mediatray-${ofVersion}-linux-amd64.deb`)
  await writeManifests(await readRelease(updates, root, variables), target)
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

const outputOf = (command: string, ...args: readonly string[]): string => {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8' })
  expect(`${status} ${stderr}`).toBe('0 ')
  return stdout.trimEnd()
}

/** Reads a cask as Homebrew does, by running it. */
const CASK = `
class Cask < BasicObject
  def initialize; @read = {}; end
  def appdir; "/Applications"; end
  def arch(**of) = of.empty? ? "arm64" : nil
  def version(*is) = is.empty? ? "9.9.9" : nil
  def livecheck; end
  def method_missing(name, *given, **named, &block) = @read[name.to_s] = given[0]
  def read_(&block)
    instance_eval(&block)
    @read
  end
end
def cask(_, &block) = puts(JSON.generate(Cask.new.read_(&block)))
load ARGV[0]
`

const special = String.raw`#{p(%q(RUN))}$(echo RUN)'\&@x`
const SPECIAL = {
  ...EXAMPLE_VARIABLES,
  MEDIATRAY_CONTACT: 'O’Brien & "Söhne\' #{p(1)} <packages@mediatray.example>',
  MEDIATRAY_HOME_PAGE: `https://mediatray.example/"a b"?q=${special}${special}`,
  MEDIATRAY_UPDATE_FEED: `https://mediatray.example/$(echo RUN)'&@x/`,
}

test('special characters in the publisher’s name and addresses are escaped in every manifest', async () => {
  const { target, read } = await makeManifests(SPECIAL)
  const page = new URL(SPECIAL.MEDIATRAY_HOME_PAGE).href
  const feed = new URL(SPECIAL.MEDIATRAY_UPDATE_FEED).href.slice(0, -1)
  expect(checkWithTools(target, () => undefined)).toEqual([])
  const inRuby = page.replaceAll('\\', '\\\\').replaceAll('#{', '\\#{')
  expect(read('homebrew/mediatray.rb')).toContain(`homepage "${inRuby}"\n`)
  const sourced = 'source "$0" && printf "%s " "$url" "${source_x86_64[0]}"'
  expect(outputOf('bash', '-c', sourced, join(target, 'aur/PKGBUILD'))).toBe(`${page} ${feed}/${DEB}`)
  expect(JSON.parse(read('scoop/mediatray.json')).homepage).toBe(page)
  expect(read('winget/OBrienSöhneP1.Mediatray.locale.en-US.yaml')).toContain(
    `PackageUrl: ${JSON.stringify(page)}\n`,
  )
})

test.runIf(onPath('ruby'))(
  'Ruby reads the publisher’s addresses in a cask and doesn’t run them',
  async () => {
    const { target } = await makeManifests(SPECIAL)
    const cask = outputOf('ruby', '-rjson', '-e', CASK, join(target, 'homebrew/mediatray.rb'))
    expect(JSON.parse(cask)).toMatchObject({
      homepage: new URL(SPECIAL.MEDIATRAY_HOME_PAGE).href,
      url: `${new URL(SPECIAL.MEDIATRAY_UPDATE_FEED).href}Mediatray-9.9.9-mac-arm64.dmg`,
    })
  },
)

test('manifests look for newer versions in the same folder, even if its address contains the version', async () => {
  const feed = `https://mediatray.example/${version}/x64.dmg`
  const { read } = await makeManifests({ ...EXAMPLE_VARIABLES, MEDIATRAY_UPDATE_FEED: feed })
  expect(read('homebrew/mediatray.rb')).toContain(`"${feed}/Mediatray-#{version}-mac-#{arch}.dmg"`)
  expect(read('homebrew/mediatray.rb')).toContain(`"${feed}/latest-mac.yml"`)
  expect(JSON.parse(read('scoop/mediatray.json')).autoupdate.architecture['64bit']).toEqual({
    url: `${feed}/Mediatray-$version-win-x64-setup.exe#/dl.7z`,
    hash: {
      url: `${feed}/SHA256SUMS`,
      regex: String.raw`$sha256\s+Mediatray-$version-win-x64-setup\.exe`,
    },
  })
})

test('a pre-release comes before its release, and its manifests follow its channel', async () => {
  const { read } = await makeManifests(EXAMPLE_VARIABLES, '1.0.0-beta.1')
  expect(read('aur/PKGBUILD')).toContain("\npkgver='1.0.0beta.1'\n")
  if (onPath('vercmp') !== undefined) expect(outputOf('vercmp', '1.0.0beta.1', '1.0.0')).toBe('-1')
  expect(read('homebrew/mediatray.rb')).toContain('"https://mediatray.example/updates/beta-mac.yml"')
  expect(read(`flatpak/${APP_ID}.metainfo.xml`)).toContain(
    'version="1.0.0-beta.1" date="2026-11-20" type="development"',
  )
  const { url, regex } = JSON.parse(read('scoop/mediatray.json')).checkver
  expect(url).toBe('https://mediatray.example/updates/beta.yml')
  expect(new RegExp(regex).exec('version: 1.0.0-beta.1\nfiles:\n')?.[1]).toBe('1.0.0-beta.1')
})

test('this version can be released, and one that no release would follow can’t', () => {
  expect(() => channelOf(version)).not.toThrow()
  expect(channelOf('1.0.0-alpha.12')).toBe('alpha')
  for (const wrong of ['1.0', '1.0.0-rc.1', '1.0.0-beta', '1.0.0+5', '1.0.0-latest.1'])
    expect(() => channelOf(wrong)).toThrow(wrong)
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
  expect(packages.dmg.arm64.nameFor(version)).toBe(named(common, 'mac', 'arm64', 'dmg'))
  expect(packages.deb.arm64.nameFor(version)).toBe(named(common, 'linux', 'arm64', 'deb'))
  expect(packages.setup.x64.nameFor(version)).toBe(named(setup, 'win', 'x64', 'exe'))
})
