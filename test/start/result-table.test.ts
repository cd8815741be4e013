/** Criteria for correct results at the end of `npm start` and of the demo. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { promisesOf } from '../../scripts/preset-promise.ts'
import { check } from '../../scripts/result-table.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { root } from './run-npm-start.ts'

const INPUT = join(root, 'assets/samples/dawn-upright.jpg')
const promised = promisesOf('Web 1080p').image

/**
 * @param make writes a result to the path
 * @returns the problem reported for that result, or an empty string
 */
async function problemWith(make: (path: string) => unknown): Promise<string> {
  const output = join(temporaryFolder(), 'result.jpg')
  await make(output)
  return (await check({ input: INPUT, output, promised })).wrong
}
const photo = (width: number, height: number) => sharp(INPUT).autoOrient().resize(width, height)

test('a result is right only if it can be decoded and matches the preset', async () => {
  expect(await problemWith((path) => photo(810, 1080).jpeg().toFile(path))).toBe('')
  expect(await problemWith((path) => photo(810, 1080).png().toFile(path))).toBe('it is png, not jpeg')
  expect(await problemWith((path) => copyFileSync(INPUT, path))).toBe('it is too large: 900 × 1200')
  expect(await problemWith((path) => photo(1800, 1000).jpeg().toFile(path))).toBe('it was enlarged')
  expect(await problemWith((path) => photo(810, 810).jpeg().toFile(path))).toBe('its aspect ratio differs')
  const bytes = readFileSync(INPUT)
  const half = (path: string) => writeFileSync(path, bytes.subarray(0, bytes.length / 2))
  expect(await problemWith(half)).toMatch(/^it can't be decoded/)
  expect(await problemWith(() => undefined)).toMatch(/^it can't be decoded/)
})

test('the height limit of a video applies to its short side', () => {
  const { fits } = promisesOf('Web 1080p').video
  expect(fits({ width: 1080, height: 1920 })).toBe(true)
  expect(fits({ width: 1920, height: 1200 })).toBe(false)
})
