import { stat, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { keepDates } from '../../../src/service/processing/result-dates.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
let original: string
let result: string
beforeEach(async () => {
  folder = temporaryFolder()
  original = path.join(folder, 'original.jpg')
  result = path.join(folder, 'result.jpg')
  for (const file of [original, result]) await writeFile(file, 'x')
})

const datesOf = (file: string) => stat(file, { bigint: true })

const SUMMER = new Date('2019-07-14T18:30:05.250Z')
const AUTUMN = new Date('2019-10-01T09:00:00Z')

it('a result receives the dates of its original', async () => {
  await utimes(original, AUTUMN, SUMMER)
  await keepDates(await datesOf(original), result)
  const { mtime, atime } = await stat(result)
  expect({ mtime, atime }).toEqual({ mtime: SUMMER, atime: AUTUMN })
})

it.each(['1960-06-01T12:00:00.250Z', '1969-12-31T23:59:59.500Z'])(
  'a result receives a date before 1970: %s',
  async (date) => {
    const scanned = new Date(date)
    await utimes(original, scanned, scanned)
    await keepDates(await datesOf(original), result)
    const { mtime, atime } = await stat(result)
    expect({ mtime, atime }).toEqual({ mtime: scanned, atime: scanned })
  },
)

it('a result also receives the dates on a system where the birth time has to be set first', async () => {
  await utimes(original, AUTUMN, SUMMER)
  await keepDates(await datesOf(original), result, { platform: 'darwin' })
  expect((await stat(result)).mtime).toEqual(SUMMER)
})

it('a file behind a link in place of the result keeps its dates', async () => {
  await utimes(original, AUTUMN, SUMMER)
  const link = path.join(folder, 'link.jpg')
  await symlink(result, link)
  const { mtimeMs } = await stat(result)
  await keepDates(await datesOf(original), link)
  expect((await stat(result)).mtimeMs).toBe(mtimeMs)
})

it('a date in the future is not copied', async () => {
  const { mtimeMs } = await stat(result)
  const ahead = new Date(Date.now() + 3_600_000)
  await utimes(original, ahead, ahead)
  await keepDates(await datesOf(original), result)
  expect((await stat(result)).mtimeMs).toBe(mtimeMs)
})

it('a result whose dates can’t be set is not a failure', async () => {
  await keepDates(await datesOf(original), path.join(folder, 'gone.jpg'))
})
