/** Manifests for winget: https://github.com/microsoft/winget-cli/tree/master/schemas/JSON/manifests */
import { createHash } from 'node:crypto'
import { APP_ID, type Release } from './release.ts'

const SCHEMA = '1.10.0'
const LANGUAGE = 'en-US'
/** electron-builder derives the key in the registry under which Windows lists the app from this and the app's id. */
const BUILDER_NAMESPACE = '50e065bc-3134-11e6-9bab-38c9862bdaf3'

type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml }

/** Returns file names and contents. */
export function wingetManifests(release: Release, license: string): Readonly<Record<string, string>> {
  const identifier = `${identifierOf(release.publisher)}.Mediatray`
  const common = { PackageIdentifier: identifier, PackageVersion: release.version }
  const { setup } = release.packages
  const files: readonly (readonly [string, string, Readonly<Record<string, Yaml>>])[] = [
    ['', 'version', { DefaultLocale: LANGUAGE }],
    [
      '.installer',
      'installer',
      {
        Platform: ['Windows.Desktop'],
        MinimumOSVersion: '10.0.0.0',
        InstallerType: 'nullsoft',
        Scope: 'user',
        UpgradeBehavior: 'install',
        Protocols: ['mediatray'],
        ReleaseDate: release.date,
        ProductCode: nameBasedUuid(APP_ID, BUILDER_NAMESPACE),
        Installers: (['x64', 'arm64'] as const).map((processor) => ({
          Architecture: processor,
          InstallerUrl: setup[processor].url,
          InstallerSha256: setup[processor].sha256.toUpperCase(),
        })),
      },
    ],
    [
      `.locale.${LANGUAGE}`,
      'defaultLocale',
      {
        PackageLocale: LANGUAGE,
        Publisher: release.publisher,
        PublisherUrl: release.homePage,
        PackageName: 'Mediatray',
        PackageUrl: release.homePage,
        License: license,
        ShortDescription: release.synopsis,
        Description: release.description,
        Moniker: 'mediatray',
        Tags: ['compress', 'convert', 'photo', 'resize', 'tray', 'video'],
      },
    ],
  ]
  return Object.fromEntries(
    files.map(([suffix, type, content]) => [
      `${identifier}${suffix}.yaml`,
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${SCHEMA}.schema.json\n` +
        block({ ...common, ...content, ManifestType: type, ManifestVersion: SCHEMA }, ''),
    ]),
  )
}

/** Returns letters and digits only: `The publisher` becomes `ThePublisher`. */
const identifierOf = (publisher: string): string =>
  publisher
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Returns a UUID of version 5 (RFC 9562, section 5.5). */
function nameBasedUuid(name: string, namespace: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16)
  hash[6] = (hash.readUInt8(6) & 0x0f) | 0x50
  hash[8] = (hash.readUInt8(8) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function block(content: Readonly<Record<string, Yaml>>, indentation: string): string {
  return Object.entries(content)
    .map(([key, value]) => `${indentation}${key}:${entry(value, indentation)}`)
    .join('')
}

function entry(value: Yaml, indentation: string): string {
  // A JSON string is a quoted YAML string, so no value is read as a number, a date or a comment.
  if (typeof value === 'string') return ` ${JSON.stringify(value)}\n`
  if (!isList(value)) return `\n${block(value, `${indentation}  `)}`
  const items = value.map((item) => {
    if (typeof item === 'string') return `${indentation}  - ${JSON.stringify(item)}\n`
    const lines = isList(item) ? '' : block(item, `${indentation}    `)
    return `${indentation}  - ${lines.trimStart()}`
  })
  return `\n${items.join('')}`
}

const isList = (value: Yaml): value is readonly Yaml[] => Array.isArray(value)
