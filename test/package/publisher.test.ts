/** The publisher of a build is set at build time. The sources don't refer to any address without an owner. */
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

test('a build without a publisher has no feed, no web page, and no packages that would need one', () => {
  for (const env of [{}, { MEDIATRAY_HOME_PAGE: '', MEDIATRAY_UPDATE_FEED: '', MEDIATRAY_CONTACT: '' }]) {
    const none = publisherFrom(env)
    expect(packagedFor(none)).toEqual({ publish: null })
    expect(builtIn(none)).toEqual({ MEDIATRAY_HOME_PAGE: 'null' })
    expect(canMakeLinuxPackages(none)).toBe(false)
  }
})

test('a publisher’s build refers to the publisher', () => {
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
  ['MEDIATRAY_UPDATE_FEED', 'https://mediatray.example/updates?version=1'],
  ['MEDIATRAY_HOME_PAGE', 'https://user:password@mediatray.example/'],
  ['MEDIATRAY_HOME_PAGE', 'https://mediatray.example/\nsource=evil'],
  ['MEDIATRAY_CONTACT', 'somebody'],
  ['MEDIATRAY_CONTACT', 'Somebody\nsource=evil <a@mediatray.example>'],
])('%s can’t be "%s"', (name, value) => {
  expect(() => publisherFrom({ ...NAMED, [name]: value })).toThrow(name)
})

test('the sources name no address derived from the app’s id', () => {
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
