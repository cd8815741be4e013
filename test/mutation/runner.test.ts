import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRunner, type Runner } from './runner.ts'

let root = ''
let runner: Runner

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'runner-')))
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  mkdirSync(join(root, 'test'))
  for (const name of ['one', 'two']) {
    write(`${name}.ts`, 'export const answer = () => 42')
    write(
      `test/${name}.test.ts`,
      `import { expect, it } from 'vitest'
      import { answer } from '../${name}.ts'
      it('answers', () => expect(answer()).toBe(42))`,
    )
  }
  runner = createRunner(root, tmpdir())
})
afterEach(async () => {
  await runner.stop()
  rmSync(root, { recursive: true })
})

const write = (name: string, text: string) => writeFileSync(join(root, name), text)

it('a fault is noticed by the tests that meet it, by no others, and no longer than it is there', async () => {
  const limitMs = 60_000
  expect(await runner.run({ test: 'test/one.test.ts' }, limitMs)).toEqual({})

  write('one.ts', 'export const answer = () => 43')
  const killed = await runner.run({ test: 'test/one.test.ts', changed: 'one.ts' }, limitMs)
  expect(killed).toEqual({ failure: 'answers' })
  expect(await runner.run({ test: 'test/two.test.ts' }, limitMs)).toEqual({})

  write('one.ts', 'export const answer = () => 42')
  expect(await runner.run({ test: 'test/one.test.ts', changed: 'two.ts' }, limitMs)).toEqual({})
})

it('a fault that never ends is stopped, and the next is tried as if nothing had been', async () => {
  write('one.ts', 'export const answer = () => { while (true); }')
  expect(await runner.run({ test: 'test/one.test.ts', changed: 'one.ts' }, 5_000)).toBe('timed out')
  expect(await runner.run({ test: 'test/two.test.ts' }, 60_000)).toEqual({})
})
