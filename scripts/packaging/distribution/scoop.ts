/** Manifest for Scoop: https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests */
import type { Release } from './release.ts'

const ARCHIVES = { x64: 'app-64', arm64: 'app-arm64' }

export function scoopManifest(release: Release, license: string): string {
  const { setup } = release.packages
  const architecture = (processor: 'x64' | 'arm64') => ({
    url: unpacked(setup[processor].url),
    hash: setup[processor].sha256,
    pre_install: [
      `Expand-7zipArchive "$dir\\\`$PLUGINSDIR\\${ARCHIVES[processor]}.7z" "$dir"`,
      // Without a feed, the app never updates itself: its updater would install a second copy elsewhere.
      'Remove-Item "$dir\\`$*", "$dir\\Uninstall*", "$dir\\resources\\app-update.yml" -Recurse -Force -ErrorAction Ignore',
    ],
  })
  const update = (processor: 'x64' | 'arm64') => {
    const name = setup[processor].nameFor('$version')
    return {
      url: unpacked(`${release.folder}/${name}`),
      hash: {
        url: `${release.folder}/SHA256SUMS`,
        regex: `$sha256\\s+${name.replaceAll('.', '\\.')}`,
      },
    }
  }
  return `${JSON.stringify(
    {
      version: release.version,
      description: release.description,
      homepage: release.homePage,
      license,
      architecture: { '64bit': architecture('x64'), arm64: architecture('arm64') },
      bin: 'resources\\bin\\mediatray-cli.cmd',
      shortcuts: [['Mediatray.exe', 'Mediatray']],
      checkver: { url: `${release.folder}/${release.channel}.yml`, regex: 'version: ([\\w.-]+)' },
      autoupdate: { architecture: { '64bit': update('x64'), arm64: update('arm64') } },
    },
    undefined,
    4,
  )}\n`
}

/** Scoop saves the download under the name in the fragment, and unpacks it. */
const unpacked = (url: string): string => `${url}#/dl.7z`
