import { expect, test } from 'vitest'
import { mergeFeeds } from '../../scripts/packaging/merge-feeds.ts'

const feed = (version: string, processor: string) => `version: ${version}
files:
  - url: Mediatray-${version}-mac-${processor}.zip
    sha512: of-${processor}
    size: 1000
path: Mediatray-${version}-mac-${processor}.zip
sha512: of-${processor}
releaseDate: '2026-11-20T12:00:00.000Z'
`

test('a merged feed lists the packages of every architecture, and otherwise keeps the first feed’s content', () => {
  const merged = mergeFeeds([feed('1.2.0', 'x64'), feed('1.2.0', 'arm64')])
  expect(merged).toBe(`version: 1.2.0
files:
  - url: Mediatray-1.2.0-mac-x64.zip
    sha512: of-x64
    size: 1000
  - url: Mediatray-1.2.0-mac-arm64.zip
    sha512: of-arm64
    size: 1000
path: Mediatray-1.2.0-mac-x64.zip
sha512: of-x64
releaseDate: '2026-11-20T12:00:00.000Z'
`)
})

test('builds of different versions never share a feed', () => {
  expect(() => mergeFeeds([feed('1.2.0', 'x64'), feed('1.3.0', 'arm64')])).toThrow('1.2.0, 1.3.0')
})

test('a feed that lists no files is rejected', () => {
  expect(() => mergeFeeds(['version: 1.2.0\n'])).toThrow('lists no files')
})
