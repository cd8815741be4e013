import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepDates } from '../../../src/service/processing/result-dates.ts'

let folder: string
let original: string
let result: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mediatray-dates-'))
  original = path.join(folder, 'original.jpg')
  result = path.join(folder, 'result.jpg')
  for (const file of [original, result]) await writeFile(file, 'x')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const SUMMER = new Date('2019-07-14T18:30:05.250Z')
const AUTUMN = new Date('2019-10-01T09:00:00Z')

it('a result gets the dates of its original', async () => {
  await utimes(original, AUTUMN, SUMMER)
  await keepDates(original, result)
  const { mtime, atime } = await stat(result)
  expect({ mtime, atime }).toEqual({ mtime: SUMMER, atime: AUTUMN })
})

it('also on a system where the birth is told first', async () => {
  await utimes(original, AUTUMN, SUMMER)
  await keepDates(original, result, { platform: 'darwin' })
  expect((await stat(result)).mtime).toEqual(SUMMER)
})

it('a date that lies ahead is not kept', async () => {
  const { mtimeMs } = await stat(result)
  const ahead = new Date(Date.now() + 3_600_000)
  await utimes(original, ahead, ahead)
  await keepDates(original, result)
  expect((await stat(result)).mtimeMs).toBe(mtimeMs)
})

it('an original that has gone, or a result that takes no dates, is no failure', async () => {
  await keepDates(path.join(folder, 'gone.jpg'), result)
  await keepDates(original, path.join(folder, 'gone.jpg'))
})
