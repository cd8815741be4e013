/**
 * Ensures that the Debian packages for the tests are installed: a browser, a keychain, shells, an X server, and the tools that results
 * are compared with. As root it installs what is missing; otherwise it prints the command and fails.
 */
import { spawnSync } from 'node:child_process'
import { isExecutable, onPath } from './on-path.ts'

export type Need = { readonly package: string; readonly command?: string; readonly file?: RegExp }

const NEEDS: readonly Need[] = [
  { package: 'chromium', command: 'chromium' },
  { package: 'dbus', command: 'dbus-run-session' },
  { package: 'gnome-keyring', command: 'gnome-keyring-daemon' },
  { package: 'libsecret-1-0', file: /libsecret-1\.so\.0/ },
  { package: 'ffmpeg', command: 'ffmpeg' },
  { package: 'curl', command: 'curl' },
  { package: 'rclone', command: 'rclone' },
  { package: 'bubblewrap', command: 'bwrap' },
  { package: 'xvfb', command: 'Xvfb' },
  { package: 'x11-utils', command: 'xprop' },
  { package: 'desktop-file-utils', command: 'desktop-file-validate' },
  { package: 'man-db', command: 'man' },
  { package: 'zsh', command: 'zsh' },
  { package: 'fish', command: 'fish' },
  { package: 'ruby', command: 'ruby' },
]

const libraries = (): string => spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).stdout ?? ''

function missingPackages(needs: readonly Need[]): string[] {
  const known = libraries()
  return needs
    .filter((need) =>
      need.command !== undefined ? onPath(need.command) === undefined : !(need.file?.test(known) ?? true),
    )
    .map((need) => need.package)
}

function install(packages: readonly string[]): boolean {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    }).status === 0
  return apt('update') && apt('install', '--no-install-recommends', ...packages)
}

/** @throws Error with the command to run if something is missing and can't be installed from here */
export const ensureSystemPackages = (): void => ensurePackages('The tests', NEEDS)

/**
 * @param who the tests that need the packages, as the subject of a sentence
 * @throws as above
 */
export function ensurePackages(who: string, needs: readonly Need[]): void {
  if (process.platform !== 'linux') return
  const missing = missingPackages(needs)
  if (missing.length === 0) return
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`
  const isRoot = process.getuid?.() === 0
  if (isRoot && isExecutable('/usr/bin/apt-get') && install(missing) && missingPackages(needs).length === 0) {
    return
  }
  throw new Error(`${who} need system packages. Install them with:\n\n  sudo ${command}\n`)
}
