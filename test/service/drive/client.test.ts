import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DriveChoice } from '../../../src/node/rclone/index.ts'
import { clientFinder } from '../../../src/service/drive/client.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-client-'))
})
afterEach(() => rm(folder, { recursive: true }))

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
const NOT_CHOSEN = {
  ok: false,
  why: 'No cloud drive is chosen. “mediatray drive remotes” lists those that rclone has.',
}

it('finds the first rclone of the PATH that can be run', async () => {
  const find = finder({ remote: 'dav' })
  expect(await find()).toEqual({
    ok: false,
    why: 'No cloud drive is configured: rclone is not installed, or not on the PATH.',
  })
  await program('locked', 0o644)
  await program('second')
  expect(await find()).toEqual({ ok: true, program: join(folder, 'second/rclone'), remote: 'dav' })
  await program('first')
  expect(await find()).toEqual({ ok: true, program: join(folder, 'first/rclone'), remote: 'dav' })
})

it('takes the program that was chosen and no other', async () => {
  await program('first')
  const chosen = join(folder, 'mine/rclone')
  await choose(JSON.stringify({ rclonePath: chosen, remote: 'dav' }))
  const find = finder()
  expect(await find()).toEqual({
    ok: false,
    why: `No cloud drive is configured: ${chosen} is not used as rclone, because there is no such program.`,
  })
  await program('mine')
  expect(await find()).toEqual({ ok: true, program: chosen, remote: 'dav' })
})

it('runs no chosen program that other users of this computer can change', async () => {
  await program('first')
  const chosen = await program('mine', 0o775)
  expect(await finder({ rclonePath: chosen, remote: 'dav' })()).toEqual({
    ok: false,
    why: `No cloud drive is configured: ${chosen} is not used as rclone, because other users of this computer can change it.`,
  })
})

it('asks for a remote where none is chosen, or where it could mean something else', async () => {
  await program('first')
  expect(await finder()()).toEqual(NOT_CHOSEN)
  expect(await finder({ remote: '-config' })()).toEqual(NOT_CHOSEN)
})

it('follows the choice as it changes, also to a damaged one, and puts that of the start before it', async () => {
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
