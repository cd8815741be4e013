import type { AfterPackContext } from 'electron-builder'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { afterPacking, requirePublisherName } from '../../scripts/packaging/after-pack.ts'
import { configurationFor } from '../../scripts/packaging/configuration.ts'
import type { UpdateTrust } from '../../src/main/updates/update-trust.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** The bytes that @electron/fuses looks for in a program: its marker, the version of the fuses, their number, and each fuse. */
const FUSES = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 9]),
  Buffer.from('000000000'),
])

/** A program called `codesign` that records which resources it has sealed. */
function placeCodesign(folder: string, resources: string): void {
  const program = join(folder, 'codesign')
  writeFileSync(program, `#!/bin/sh\nls "${resources}" > "${folder}/sealed"\n`)
  chmodSync(program, 0o755)
}

test('nothing is written to a macOS app after it has been signed ad hoc', async () => {
  const folder = temporaryFolder()
  const contents = join(folder, 'Mediatray.app/Contents')
  const resources = join(contents, 'Resources')
  const framework = join(contents, 'Frameworks/Electron Framework.framework')
  for (const made of [resources, framework]) mkdirSync(made, { recursive: true })
  writeFileSync(join(framework, 'Electron Framework'), FUSES)
  placeCodesign(folder, resources)
  vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter))
  onTestFinished(() => void vi.unstubAllEnvs())
  await afterPacking({ signed: false, key: null })({
    appOutDir: folder,
    electronPlatformName: 'darwin',
    packager: { appInfo: { productFilename: 'Mediatray' }, getResourcesDir: () => resources },
  } as unknown as AfterPackContext)
  expect(readFileSync(join(folder, 'sealed'), 'utf8')).toBe('update-trust.json\n')
})

test.each([
  ['win32', 'url: https://mediatray.example', true],
  ['win32', 'url: https://mediatray.example\npublisherName:\n  - The publisher', false],
  ['win32', undefined, false],
  ['darwin', 'url: https://mediatray.example', false],
])(
  'on %s, a signed package with the feed %j is refused: %s',
  async (electronPlatformName, feed, isRefused) => {
    const appOutDir = temporaryFolder()
    if (feed !== undefined) writeFileSync(join(appOutDir, 'app-update.yml'), feed)
    const checked = requirePublisherName({
      appOutDir,
      electronPlatformName,
      packager: { getResourcesDir: (folder) => folder },
    })
    const outcome = await checked.then(() => '', String)
    expect(outcome).toMatch(isRefused ? /has no publisherName/ : /^$/)
  },
)

test('only packages that the system verifies are checked for the publisher’s name', () => {
  const unnamed = { homePage: null, updateFeed: null, contact: null }
  const checks = (trust: UpdateTrust) =>
    configurationFor(join(import.meta.dirname, '../..'), unnamed, trust).afterSign === requirePublisherName
  expect([
    checks({ signed: true, key: null }),
    checks({ signed: false, key: null }),
    checks({ signed: true, key: 'k' }),
  ]).toEqual([true, false, false])
})
