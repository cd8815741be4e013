/** PKGBUILD and .SRCINFO for the Arch User Repository: https://wiki.archlinux.org/title/PKGBUILD */
import type { Release } from './release.ts'

const NAME = 'mediatray-bin'
const DEPENDS = [
  'alsa-lib',
  'at-spi2-core',
  'gtk3',
  'libnotify',
  'libsecret',
  'libxss',
  'libxtst',
  'nss',
  'xdg-utils',
]
const OPTIONAL = [
  'bubblewrap: workers without network and with one writable folder',
  'gnome-keyring: stores the service key',
  'kwallet: stores the service key',
  'libayatana-appindicator: tray icon',
]

export function archPackage(release: Release, license: string): Readonly<Record<string, string>> {
  const { deb } = release.packages
  // pacman orders 1.0.0beta.1 before 1.0.0, but not 1.0.0_beta.1. A version can't contain a hyphen.
  const version = release.version.replace('-', '')
  const fields: readonly (readonly [string, string | readonly string[]])[] = [
    ['pkgdesc', release.synopsis],
    ['pkgver', version],
    ['pkgrel', '1'],
    ['url', release.homePage],
    ['arch', ['x86_64', 'aarch64']],
    ['license', [license]],
    ['depends', DEPENDS],
    ['optdepends', OPTIONAL],
    ['provides', [`mediatray=${version}`]],
    ['conflicts', ['mediatray']],
    // Programs contain archives and signatures that stripping would damage.
    ['options', ['!strip', '!debug']],
    ['source_x86_64', [deb.x64.url]],
    ['sha256sums_x86_64', [deb.x64.sha256]],
    ['source_aarch64', [deb.arm64.url]],
    ['sha256sums_aarch64', [deb.arm64.sha256]],
  ]
  return {
    PKGBUILD: `# Maintainer: ${release.contact}
pkgname=${NAME}
${fields.map(([key, value]) => `${key}=${typeof value === 'string' ? quoted(value) : `(${value.map(quoted).join(' ')})`}\n`).join('')}
package() {
  bsdtar -xf data.tar.* -C "$pkgdir"
  install -d "$pkgdir/usr/bin" "$pkgdir/usr/share/licenses/$pkgname"
  ln -s /opt/Mediatray/mediatray "$pkgdir/usr/bin/mediatray"
  ln -s /opt/Mediatray/resources/app.asar.unpacked/THIRD-PARTY-NOTICES.txt "$pkgdir/usr/share/licenses/$pkgname"
  mv "$pkgdir/usr/share/zsh/vendor-completions" "$pkgdir/usr/share/zsh/site-functions"
  # Kernels without user namespaces need it.
  chmod 4755 "$pkgdir/opt/Mediatray/chrome-sandbox"
  # Without a feed, the app never updates itself: pacman does.
  rm "$pkgdir/opt/Mediatray/resources/app-update.yml"
}
`,
    '.SRCINFO': `pkgbase = ${NAME}
${fields.flatMap(([key, value]) => [value].flat().map((item) => `\t${key} = ${item}\n`)).join('')}
pkgname = ${NAME}
`,
  }
}

/** Quotes a text for the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
