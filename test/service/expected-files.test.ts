import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectFiles, type Expectation } from '../../src/service/expected-files.ts'
import type { Processing } from '../../src/service/processing/processing.ts'
import { scriptedProcessing } from './queue/scripted-processing.ts'

let folder: string
const expected: Expectation[] = []
const processing: Processing = {
  ...scriptedProcessing(1),
  expectFiles(media, into) {
    expected.push({ media, into })
    return Promise.resolve()
  },
}
beforeEach(async () => {
  expected.length = 0
  folder = await mkdtemp(join(tmpdir(), 'mediatray-expected-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('the folder that was made for files goes when none came', async () => {
  const expectation = { media: 'image', into: join(folder, 'out') } as const
  const photos = await expectFiles(processing, expectation)
  expect(expected).toEqual([expectation])
  expect(await readdir(folder)).toEqual(['out'])
  await photos.forget()
  expect(await readdir(folder)).toEqual([])
})

test('it stays with what is in it, and one that was there before stays as it is', async () => {
  const made = await expectFiles(processing, { media: 'video', into: join(folder, 'out') })
  await writeFile(join(folder, 'out', 'result.jpg'), '')
  await made.forget()
  expect(await readdir(join(folder, 'out'))).toEqual(['result.jpg'])
  const before = await mkdtemp(join(folder, 'empty-'))
  const photos = await expectFiles(processing, { media: 'image', into: before })
  await photos.forget()
  expect(await readdir(before)).toEqual([])
})

test('where no folder can be, nothing is got ready, and the submission will say why', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  for (const into of [file, join(file, 'out')])
    await (await expectFiles(processing, { media: 'image', into })).forget()
  expect(expected).toEqual([])
  expect(await readdir(folder)).toEqual(['file'])
})
