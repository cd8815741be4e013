import { type Failure, failure, reason, type PlainReasonCode } from '../../../src/shared/failure/failure.ts'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { DriveChoice } from '../../../src/node/rclone/index.ts'
import { clientFinder } from '../../../src/service/drive/client.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

async function program(name: string, mode = 0o755): Promise<string> {
  const path = join(folder, name, 'rclone')
  await mkdir(join(folder, name))
  await writeFile(path, '')
  await chmod(path, mode)
  return path
}
const choose = (text: string) => writeFile(join(folder, 'drive.json'), text)
const finder = (override: DriveChoice = {}) =>
  clientFinder({
    dataDir: folder,
    override,
    env: { PATH: ['none', 'locked', 'first', 'second'].map((name) => join(folder, name)).join(':') },
    platform: 'linux',
  })
const unusable = (path: string, why: PlainReasonCode) =>
  failure('rcloneUnusable', { path, reason: reason(why) })
const refused = (why: Failure) => ({ ok: false, why })
const NOT_CHOSEN = refused(failure('noRemoteChosen'))

it('finds the first executable rclone on the PATH', async () => {
  const find = finder({ remote: 'dav' })
  expect(await find()).toEqual(refused(failure('rcloneMissing')))
  const locked = await program('locked', 0o644)
  expect(await find()).toEqual(refused(unusable(locked, 'programNotRunnable')))
  await program('second')
  expect(await find()).toEqual({ ok: true, program: join(folder, 'second/rclone'), remote: 'dav' })
  await program('first')
  expect(await find()).toEqual({ ok: true, program: join(folder, 'first/rclone'), remote: 'dav' })
})

it('uses only the chosen program', async () => {
  await program('first')
  const chosen = join(folder, 'mine/rclone')
  await choose(JSON.stringify({ rclonePath: chosen, remote: 'dav' }))
  const find = finder()
  expect(await find()).toEqual(refused(unusable(chosen, 'programMissing')))
  await program('mine')
  expect(await find()).toEqual({ ok: true, program: chosen, remote: 'dav' })
})

it('doesn’t run a chosen program that other users of this computer can change', async () => {
  await program('first')
  const chosen = await program('mine', 0o775)
  expect(await finder({ rclonePath: chosen, remote: 'dav' })()).toEqual(
    refused(unusable(chosen, 'programWritable')),
  )
})

it('skips an rclone on the PATH that other users can change, and explains that if there is no other', async () => {
  const find = finder({ remote: 'dav' })
  const first = await program('first', 0o777)
  expect(await find()).toEqual(refused(unusable(first, 'programWritable')))
  const second = await program('second')
  expect(await find()).toEqual({ ok: true, program: second, remote: 'dav' })
})

it('asks for a remote if none is chosen or if the chosen name looks like a command-line option', async () => {
  await program('first')
  expect(await finder()()).toEqual(NOT_CHOSEN)
  expect(await finder({ remote: '-config' })()).toEqual(NOT_CHOSEN)
})

it('follows changes to the selected remote, including a damaged file, and gives precedence to the launch options', async () => {
  await program('first')
  const find = finder()
  const remote = async () => {
    const client = await find()
    return client.ok ? client.remote : undefined
  }
  await choose('{"remote":"one"}')
  expect([await remote(), await remote()]).toEqual(['one', 'one'])
  await choose('{"remote":"three"}')
  expect(await remote()).toBe('three')
  await choose('{"remote":')
  expect(await remote()).toBeUndefined()
  await rm(join(folder, 'drive.json'))
  expect(await remote()).toBeUndefined()
  await choose('{"remote":"one"}')
  expect(await finder({ remote: 'other' })()).toMatchObject({ remote: 'other' })
})
