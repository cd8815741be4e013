import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')

/** Matches a line such as `12 main/outbox/outbox.ts:enqueue` in the path of a dropped file. */
const HOP = /\b\d{1,2} ((?:main|renderer|preload|service|media)\/[\w/-]+\.tsx?):(\w+)/g

describe('the path from a dropped file to its notification', () => {
  const hops = [...guide.matchAll(HOP)].map(([, file = '', name = '']) => ({ file, name }))

  it('has at most 24 hops', () => {
    expect(hops.length).toBeGreaterThan(16)
    expect(hops.length).toBeLessThanOrEqual(24)
  })

  it.each(hops)('$file has $name', ({ file, name }) => {
    const path = join(root, 'src', file)
    expect(existsSync(path)).toBe(true)
    expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`\\b${name}\\b`))
  })
})

describe('the folders that the guide names', () => {
  const folders = [...guide.matchAll(/^\| `(src\/\w+|test|bench|docs\/\w+)` \|/gm)].map(
    ([, folder = '']) => folder,
  )

  it.each(folders)('%s exists', (folder) => {
    expect(existsSync(join(root, folder))).toBe(true)
  })
})
