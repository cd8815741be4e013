/** What the end of `npm start` and of the demo calls a result that is as promised. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { promisesOf } from '../../scripts/preset-promise.ts'
import { check } from '../../scripts/result-table.ts'
import { root } from './run-npm-start.ts'

const INPUT = join(root, 'assets/samples/dawn-upright.jpg')
const promised = promisesOf('Web 1080p').image

/** @returns what is wrong with a result that this made of the sample photo */
async function wrongWith(make: (path: string) => unknown): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-results-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const output = join(folder, 'result.jpg')
  await make(output)
  return (await check({ input: INPUT, output, promised })).wrong
}
const photo = (width: number, height: number) => sharp(INPUT).autoOrient().resize(width, height)

test('a result is right only if it can be decoded and is what the preset promises', async () => {
  expect(await wrongWith((path) => photo(810, 1080).jpeg().toFile(path))).toBe('')
  expect(await wrongWith((path) => photo(810, 1080).png().toFile(path))).toBe('it is png, not jpeg')
  expect(await wrongWith((path) => copyFileSync(INPUT, path))).toBe('it is too large: 900 × 1200')
  expect(await wrongWith((path) => photo(1800, 1000).jpeg().toFile(path))).toBe('it was enlarged')
  expect(await wrongWith((path) => photo(810, 810).jpeg().toFile(path))).toBe('it has another shape')
  const bytes = readFileSync(INPUT)
  const half = (path: string) => writeFileSync(path, bytes.subarray(0, bytes.length / 2))
  expect(await wrongWith(half)).toMatch(/^it can't be decoded/)
  expect(await wrongWith(() => undefined)).toMatch(/^it can't be decoded/)
})

test('an upright video is measured across', () => {
  const { fits } = promisesOf('Web 1080p').video
  expect(fits({ width: 1080, height: 1920 })).toBe(true)
  expect(fits({ width: 1920, height: 1200 })).toBe(false)
})
