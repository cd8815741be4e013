/** When `npm run cli` may use what was built. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'

const { isBuilt } = createRequire(import.meta.url)('../../scripts/built.cjs') as {
  readonly isBuilt: (root: string) => boolean
}

/** In seconds since 1970. */
const BEFORE = 1_000_000
const BEGUN = 2_000_000
const AFTER = 3_000_000

let root: string
const changed = (name: string, at: number) => utimesSync(join(root, name), at, at)
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mediatray-built-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const files = [
    'src/main/cli/mediatray.ts',
    'src/service/main.ts',
    'scripts/build.ts',
    'package.json',
    'node_modules/.package-lock.json',
  ]
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), '')
    changed(file, BEFORE)
  }
  for (const folder of ['src/main/cli', 'src/main', 'src/service', 'src']) changed(folder, BEFORE)
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist/built.json'), JSON.stringify({ begun: BEGUN * 1000 }))
})

test('bundles that are younger than everything they are made of are of the sources', () => {
  expect(isBuilt(root)).toBe(true)
})

test.each(['src/service/main.ts', 'scripts/build.ts', 'package.json', 'node_modules/.package-lock.json'])(
  'once %s is written after the build began, they are not',
  (file) => {
    changed(file, AFTER)
    expect(isBuilt(root)).toBe(false)
  },
)

test('a source that was taken away since counts', () => {
  rmSync(join(root, 'src/service/main.ts'))
  expect(isBuilt(root)).toBe(false)
})

test('without a build of everything there is nothing to run', () => {
  rmSync(join(root, 'dist/built.json'))
  expect(isBuilt(root)).toBe(false)
})
