import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { expectFiles, type Expectation } from '../../src/service/expected-files.ts'
import type { Processing } from '../../src/service/processing/processing.ts'
import { scriptedProcessing } from './queue/scripted-processing.ts'
import { temporaryFolder } from '../temporary-folder.ts'

let folder: string
const expected: Expectation[] = []
const processing: Processing = {
  ...scriptedProcessing(1),
  expectFiles(media, into) {
    expected.push({ media, into })
    return Promise.resolve()
  },
}
const ownerless = () => Promise.resolve(false)
beforeEach(() => {
  expected.length = 0
  folder = temporaryFolder()
})

test('a folder created for expected files is removed when none arrives', async () => {
  const expectation = { media: 'image', into: join(folder, 'out') } as const
  const forget = await expectFiles(processing, expectation, ownerless)
  expect(expected).toEqual([expectation])
  expect(await readdir(folder)).toEqual(['out'])
  await forget()
  expect(await readdir(folder)).toEqual([])
})

test('the folder is kept while another process uses it', async () => {
  const expectation = { media: 'image', into: join(folder, 'out') } as const
  const forget = await expectFiles(processing, expectation, (used) =>
    Promise.resolve(used === expectation.into),
  )
  await forget()
  expect(await readdir(folder)).toEqual(['out'])
})

test('the folder is kept if it has content, and an existing one is left unchanged', async () => {
  const forgetMade = await expectFiles(processing, { media: 'video', into: join(folder, 'out') }, ownerless)
  await writeFile(join(folder, 'out', 'result.jpg'), '')
  await forgetMade()
  expect(await readdir(join(folder, 'out'))).toEqual(['result.jpg'])
  const before = await mkdtemp(join(folder, 'empty-'))
  const forget = await expectFiles(processing, { media: 'image', into: before }, ownerless)
  await forget()
  expect(await readdir(before)).toEqual([])
})

test('nothing is prepared if the folder can’t exist; the submission reports that error', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  for (const into of [file, join(file, 'out')])
    await (
      await expectFiles(processing, { media: 'image', into }, ownerless)
    )()
  expect(expected).toEqual([])
  expect(await readdir(folder)).toEqual(['file'])
})
