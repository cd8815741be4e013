/**
 * Checks the Linux packages' desktop entries with the standard validator, and for the file types and links that the app needs.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { PackFacts } from './pack-facts.ts'
import { problemUnless } from './problem-unless.ts'

const ENTRY_NAME = 'app.mediatray.Mediatray.desktop'
const LINK_TYPE = 'x-scheme-handler/mediatray'
/** MIME types of the supported files; some have two names. */
const TYPES_NEEDED = [
  ...['jpeg', 'png', 'webp', 'heic', 'bmp', 'tiff'].map((type) => `image/${type}`),
  ...['mp4', 'quicktime', 'x-msvideo', 'vnd.avi', 'x-matroska', 'webm', 'x-m4v'].map(
    (type) => `video/${type}`,
  ),
]

/**
 * @param folder where entries may be written for checking
 * @returns the problems
 */
export function checkDesktopEntries(facts: PackFacts, root: string, folder: string): readonly string[] {
  const names = facts.packages.map(({ fpmArguments }) => packageFormat(fpmArguments))
  return [
    ...problemUnless(
      names.toSorted().join() === 'deb,rpm',
      `packages for ${names.join()} instead of deb,rpm`,
    ),
    ...facts.packages.flatMap((made) => checkPackage(made, root, folder)),
    ...validate(facts.appImageEntry, join(folder, 'appimage.desktop')),
    ...checkKeys('the AppImage', facts.appImageEntry, { code: '%U', takesLinks: true }),
  ]
}

function checkPackage(made: PackFacts['packages'][number], root: string, folder: string): readonly string[] {
  const format = packageFormat(made.fpmArguments)
  const placed = placedFiles(made.fpmArguments)
  const places = placed.map(({ to }) => to)
  const links = placed.find(({ to }) => to.endsWith('.links.desktop'))
  return [
    ...validate(made.entry, join(folder, `${format}.desktop`)),
    ...checkKeys(format, made.entry, { code: '%F', takesLinks: false }),
    ...problemUnless(
      places.includes(`/usr/share/applications/${ENTRY_NAME}`),
      `${format}: the entry isn't named ${ENTRY_NAME}`,
    ),
    ...(links === undefined
      ? [`${format}: no entry handles links`]
      : checkLinks(readFileSync(join(root, links.from), 'utf8'), join(folder, `${format}-links.desktop`))),
    ...problemUnless(
      places.includes('/usr/bin/mediatray-cli'),
      `${format}: the command line isn't on the path`,
    ),
    ...placed
      .filter(({ from }) => from.startsWith('build/') && !existsSync(join(root, from)))
      .map(({ from }) => `${format}: ${from} doesn't exist`),
  ]
}

const checkLinks = (entry: string, path: string): readonly string[] => [
  ...validate(entry, path),
  ...problemUnless(valueOf(entry, 'NoDisplay') === 'true', 'the entry for links shows up in menus'),
  ...problemUnless(
    valueOf(entry, 'MimeType') === `${LINK_TYPE};`,
    'the entry for links handles something else',
  ),
  ...problemUnless(valueOf(entry, 'Exec').endsWith(' %u'), 'the entry for links doesn’t receive the link'),
]

function checkKeys(
  name: string,
  entry: string,
  { code, takesLinks }: { readonly code: string; readonly takesLinks: boolean },
): readonly string[] {
  const types = valueOf(entry, 'MimeType').split(';')
  return [
    ...TYPES_NEEDED.filter((type) => !types.includes(type)).map((type) => `${name}: doesn't open ${type}`),
    ...problemUnless(types.includes(LINK_TYPE) === takesLinks, `${name}: ${LINK_TYPE} is in the wrong entry`),
    ...problemUnless(valueOf(entry, 'Exec').endsWith(` ${code}`), `${name}: Exec doesn't end in ${code}`),
    ...problemUnless(
      `${valueOf(entry, 'StartupWMClass')}.desktop` === ENTRY_NAME,
      `${name}: windows can't be matched to their entry`,
    ),
  ]
}

/** Validates an entry. Warnings count as problems. */
function validate(entry: string, path: string): readonly string[] {
  writeFileSync(path, entry)
  const { status, stdout, stderr, error } = spawnSync('desktop-file-validate', [path], { encoding: 'utf8' })
  if (error !== undefined) return [`desktop-file-validate: ${error.message}`]
  const said = `${stdout}${stderr}`.trim()
  return problemUnless(status === 0 && said === '', `${basename(path)}: ${said}`)
}

/** Returns a value from the first group, which describes the entry itself. */
function valueOf(entry: string, key: string): string {
  const [group = ''] = entry.split(/^\[Desktop Action/m)
  return new RegExp(`^${key}=(.*)$`, 'm').exec(group)?.[1] ?? ''
}

const packageFormat = (fpmArguments: readonly string[]): string =>
  /\.(\w+)$/.exec(fpmArguments[fpmArguments.indexOf('--package') + 1] ?? '')?.[1] ?? ''

const placedFiles = (fpmArguments: readonly string[]): readonly { from: string; to: string }[] =>
  fpmArguments.flatMap((argument) => {
    const [, from, to] = /^([^-].*)=(\/.*)$/.exec(argument) ?? []
    return from === undefined || to === undefined ? [] : [{ from, to }]
  })
