/** Who publishes a build is said when it is made; nothing in the sources leads to an address that nobody owns. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  builtIn,
  canMakeLinuxPackages,
  packagedFor,
  publisherFrom,
} from '../../scripts/packaging/publisher.ts'

const ROOT = join(import.meta.dirname, '../..')
const NAMED = {
  MEDIATRAY_HOME_PAGE: 'https://mediatray.example/',
  MEDIATRAY_UPDATE_FEED: 'https://mediatray.example/updates',
  MEDIATRAY_CONTACT: 'The publisher <packages@mediatray.example>',
}

test('a build of nobody’s has no feed, no web page, and no packages that would need one', () => {
  for (const env of [{}, { MEDIATRAY_HOME_PAGE: '', MEDIATRAY_UPDATE_FEED: '', MEDIATRAY_CONTACT: '' }]) {
    const nobody = publisherFrom(env)
    expect(packagedFor(nobody)).toEqual({ publish: null })
    expect(builtIn(nobody)).toEqual({ MEDIATRAY_HOME_PAGE: 'null' })
    expect(canMakeLinuxPackages(nobody)).toBe(false)
  }
})

test('a publisher’s build leads to the publisher', () => {
  const publisher = publisherFrom(NAMED)
  expect(packagedFor(publisher)).toEqual({
    publish: { provider: 'generic', url: 'https://mediatray.example/updates' },
    extraMetadata: { homepage: 'https://mediatray.example/' },
    linux: { maintainer: 'The publisher <packages@mediatray.example>' },
  })
  expect(builtIn(publisher)).toEqual({ MEDIATRAY_HOME_PAGE: '"https://mediatray.example/"' })
  expect(canMakeLinuxPackages(publisher)).toBe(true)
})

test.each([
  ['MEDIATRAY_HOME_PAGE', 'mediatray.example'],
  ['MEDIATRAY_UPDATE_FEED', 'http://mediatray.example/updates'],
  ['MEDIATRAY_CONTACT', 'somebody'],
])('%s can’t be "%s"', (name, value) => {
  expect(() => publisherFrom({ ...NAMED, [name]: value })).toThrow(name)
})

test('the sources name no address below the id of the app', () => {
  const sources = ['src', 'scripts', 'build', 'assets', 'docs', '.github'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    ),
  )
  const files = [
    ...sources,
    ...['package.json', 'electron-builder.yml', 'README.md'].map((name) => join(ROOT, name)),
  ]
  expect(files.filter((path) => /[/@]mediatray\.app\b/.test(readFileSync(path, 'latin1')))).toEqual([])
})
