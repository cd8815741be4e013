import type { AfterPackContext } from 'electron-builder'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { afterPacking } from '../../scripts/packaging/after-pack.ts'
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
