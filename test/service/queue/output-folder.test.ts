import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { prepareOutputFolder } from '../../../src/service/queue/work-folders.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-output-'))
  await chmod(folder, 0o755)
})
afterEach(() => rm(folder, { recursive: true }))

const refused = (message: string) => expect.objectContaining({ status: 400, message })

it('makes every folder that is missing, says where it is, and leaves nothing in it', async () => {
  expect(await prepareOutputFolder(`${folder}/x/../a/b/c/`)).toBe(join(folder, 'a/b/c'))
  expect(await readdir(join(folder, 'a/b/c'))).toEqual([])
  expect(await readdir(folder)).toEqual(['a'])
})

it('takes a folder that is there, with what is in it', async () => {
  await writeFile(join(folder, 'kept.png'), 'x')
  expect(await prepareOutputFolder(folder)).toBe(folder)
  expect(await readdir(folder)).toEqual(['kept.png'])
})

it('is made once by two that want it at the same time', async () => {
  const wanted = join(folder, 'a/b')
  await expect(Promise.all([prepareOutputFolder(wanted), prepareOutputFolder(wanted)])).resolves.toEqual([
    wanted,
    wanted,
  ])
})

it.each(['results', './results', '', '/a\0b'])('refuses %j, which is no absolute path', async (given) => {
  await expect(prepareOutputFolder(given)).rejects.toEqual(refused('outputFolder must be an absolute path'))
})

const unusable = (reason: string, path: string) => refused(`outputFolder can't be used: ${reason}: ${path}`)

it('says what is in the way', async () => {
  const file = join(folder, 'file')
  await writeFile(file, 'x')
  await expect(prepareOutputFolder(file)).rejects.toEqual(unusable('there is a file of that name', file))
  await expect(prepareOutputFolder(join(file, 'sub'))).rejects.toEqual(
    unusable('there is a file of that name', join(file, 'sub')),
  )
  const long = join(folder, 'x'.repeat(300))
  await expect(prepareOutputFolder(long)).rejects.toEqual(unusable('the path is too long', long))
  expect((await stat(file)).size).toBe(1)
})

it.runIf(process.platform === 'linux')(
  'says that no folder can be made where the system allows none',
  async () => {
    await expect(prepareOutputFolder('/proc/mediatray')).rejects.toEqual(
      refused("outputFolder can't be used: no folder can be made there: /proc/mediatray"),
    )
  },
)

it('says that this user may not write there', async () => {
  await expect(asOrdinaryUser(() => prepareOutputFolder(folder))).rejects.toEqual(
    refused(`outputFolder can't be used: this user may not write there: ${folder}`),
  )
})
