/** When `npm run cli` may use the built files. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const { isBuilt } = createRequire(import.meta.url)('../../scripts/built.cjs') as {
  readonly isBuilt: (root: string) => boolean
}

/** File times in seconds since 1970. */
const BEFORE = 1_000_000
const BEGUN = 2_000_000
const AFTER = 3_000_000

let root: string
const changed = (name: string, at: number) => utimesSync(join(root, name), at, at)
beforeEach(() => {
  root = temporaryFolder()
  const files = [
    'src/client/mediatray.ts',
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
  for (const folder of ['src/client', 'src/service', 'src']) changed(folder, BEFORE)
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist/built.json'), JSON.stringify({ begun: BEGUN * 1000 }))
})

test('bundles that are newer than all their inputs are up to date', () => {
  expect(isBuilt(root)).toBe(true)
})

test.each(['src/service/main.ts', 'scripts/build.ts', 'package.json', 'node_modules/.package-lock.json'])(
  'bundles are out of date once %s is written after the build started',
  (file) => {
    changed(file, AFTER)
    expect(isBuilt(root)).toBe(false)
  },
)

test('bundles are out of date after a source was deleted', () => {
  rmSync(join(root, 'src/service/main.ts'))
  expect(isBuilt(root)).toBe(false)
})

test('bundles of an incomplete build are out of date', () => {
  rmSync(join(root, 'dist/built.json'))
  expect(isBuilt(root)).toBe(false)
})
