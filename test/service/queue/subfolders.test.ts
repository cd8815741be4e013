import { resolve } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { subfoldersOf } from '../../../src/service/queue/subfolders.ts'

const UPLOADS = resolve('/data/uploads')
const at = (...paths: string[]) => paths.map((path) => ({ path: resolve(path), kind: 'image' as const }))
const names = (...paths: string[]) =>
  [...subfoldersOf(at(...paths), UPLOADS).values()].map((way) => way.join('/'))

it('puts one file, or the files of one folder, into no subfolder', () => {
  expect(names('/photos/2026/a.jpg')).toEqual([''])
  expect(names('/photos/2026/a.jpg', '/photos/2026/b.jpg')).toEqual(['', ''])
})

it('puts files of several folders below their nearest common ancestor', () => {
  expect(names('/photos/2026/may/a.jpg', '/photos/2026/june/b.jpg')).toEqual(['may', 'june'])
  expect(names('/photos/2026/may/a.jpg', '/photos/2026/b.jpg')).toEqual(['may', ''])
  expect(names('/photos/2026/a.jpg', '/photos/20/b.jpg', '/photos/2/c/d.jpg')).toEqual(['2026', '20', '2/c'])
  expect(names('/a/x.jpg', '/b/y.jpg')).toEqual(['a', 'b'])
})

it('creates folders without misleading names', () => {
  expect(names('/photos/2026/may\u202E/a.jpg', '/photos/2026/june/b.jpg')).toEqual(['may_', 'june'])
})

it('puts uploads into no subfolder, and ignores them for the ancestor', () => {
  const files = at('/photos/may/a.jpg', '/photos/june/b.jpg', '/data/uploads/1/c.jpg')
  const found = subfoldersOf(files, UPLOADS)
  expect(files.map(({ path }) => found.get(path))).toEqual([['may'], ['june'], undefined])
})

it('never returns a path that leads up or out', () => {
  const name = fc.constantFrom('a', 'b', '..', '.', '...', 'c d')
  const file = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}/x.jpg`)
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 6 }), (files) => {
      for (const way of subfoldersOf(at(...files), UPLOADS).values())
        for (const part of way) expect(['', '.', '..']).not.toContain(part)
    }),
  )
})
