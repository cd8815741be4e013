import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDriveSetup, type DriveSetup, DriveSetupError } from '../../../src/main/drive/drive.ts'
import type { DriveProblem } from '../../../src/shared/model/built-in-service.ts'
import { type Remotes, startRemotes } from '../../service/drive/remotes.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

let remotes: Remotes
let dataDir: string
let rclonePath: string | null
let isBuiltIn: boolean
let setup: DriveSetup

beforeAll(async () => {
  remotes = await startRemotes()
  await mkdir(join(remotes.davRoot, '-odd "folder"'))
  await writeFile(join(remotes.davRoot, 'file.png'), 'x')
  await remotes.add('dead', { type: 'webdav', url: 'http://127.0.0.1:9', vendor: 'other' })
})
afterAll(() => remotes.stop())
beforeEach(() => {
  dataDir = temporaryFolder()
  rclonePath = null
  isBuiltIn = true
  setup = createDriveSetup({
    dataDir,
    rclonePath: () => rclonePath,
    isBuiltIn: () => isBuiltIn,
    env: { PATH: process.env['PATH'], HOME: dataDir, RCLONE_CONFIG: remotes.config },
    platform: process.platform,
  })
})

const refused = (problem: DriveProblem) => ({ ok: false, problem })

describe('a list of subfolders', () => {
  it('has names and IDs that a check accepts, without files', async () => {
    await setup.useRemote('dav')
    await mkdir(join(remotes.davRoot, 'album 10/inner'), { recursive: true })
    await mkdir(join(remotes.davRoot, 'album 9'), { recursive: true })
    const top = await setup.listFolders(null)
    expect(top).toMatchObject({ ok: true, id: '/', remote: { name: 'dav', type: 'webdav' } })
    const names = top.ok ? top.folders.map(({ name }) => name) : []
    expect(names).toEqual(expect.arrayContaining(['-odd "folder"', 'album 9', 'album 10']))
    expect(names.indexOf('album 9')).toBeLessThan(names.indexOf('album 10'))
    expect(names).not.toContain('file.png')
    expect(await setup.listFolders('album 10')).toMatchObject({
      folders: [{ name: 'inner', id: 'album 10/inner' }],
    })
    expect(await setup.checkFolder('album 10/inner')).toEqual({ ok: true })
  })

  itInLongSuite('has absolute IDs for a local remote', async () => {
    await remotes.add('here', { type: 'local' })
    await setup.useRemote('here')
    const folder = temporaryFolder()
    await mkdir(join(folder, 'below'))
    expect(await setup.listFolders(folder)).toMatchObject({
      folders: [{ name: 'below', id: join(folder, 'below') }],
    })
    expect(await setup.listFolders(null)).toMatchObject({ ok: true, id: '/' })
  })

  itInLongSuite('explains why it can’t be read, and ends when it is no longer needed', async () => {
    expect(await setup.listFolders(null)).toEqual(refused({ code: 'noRemote' }))
    await setup.useRemote('dav')
    expect(await setup.listFolders('nowhere')).toEqual(refused({ code: 'noSuchFolder', folderId: 'nowhere' }))
    expect(await setup.listFolders(null, AbortSignal.abort())).toMatchObject({ ok: false })
    await setup.useRemote('dead')
    expect(await setup.listFolders(null)).toMatchObject({
      problem: { code: 'trouble', trouble: { kind: 'network' } },
    })
  })
})

describe('a folder check', () => {
  it.each(
    firstOf(
      [
        ['-odd "folder"', { ok: true }],
        ['/', { ok: true }],
        ['nowhere', refused({ code: 'noSuchFolder', folderId: 'nowhere' })],
        ['file.png', refused({ code: 'notAFolder', folderId: 'file.png' })],
        ['https://example.com/x', refused({ code: 'idIsLink' })],
        ['a/../..', refused({ code: 'idLeadsOut' })],
        ['', refused({ code: 'idEmpty' })],
      ],
      3,
    ),
  )('%j', async (id, expected) => {
    await setup.useRemote('dav')
    expect(await setup.checkFolder(id)).toEqual(expected)
  })

  itInLongSuite('explains that no drive is selected, or that the drive does not respond', async () => {
    expect(await setup.checkFolder('a')).toEqual(refused({ code: 'noRemote' }))
    await setup.useRemote('dead')
    expect(await setup.checkFolder('a')).toMatchObject({
      problem: { code: 'trouble', trouble: { kind: 'network' } },
    })
    expect(await setup.checkRemote()).toMatchObject({ ok: false })
  })

  itInLongSuite(
    'for a local remote uses a path, which is relative to the home folder unless it has a leading slash',
    async () => {
      await remotes.add('pc', { type: 'local' })
      await setup.useRemote('pc')
      expect(await setup.checkFolder(remotes.davRoot)).toEqual({ ok: true })
      expect(await setup.checkFolder(`${remotes.davRoot}/nowhere`)).toMatchObject({ ok: false })
      expect(await setup.checkFolder('no such folder at home')).toMatchObject({ ok: false })
    },
  )

  it('for another service’s drive only checks the syntax of the folder’s id', async () => {
    isBuiltIn = false
    expect(await setup.checkFolder('1AbC')).toEqual({ ok: true })
    expect(await setup.checkFolder('https://x')).toMatchObject({ ok: false })
  })
})

async function program(name: string, mode: number): Promise<string> {
  const path = join(dataDir, name, 'rclone')
  await mkdir(dirname(path))
  await writeFile(path, '')
  await chmod(path, mode)
  return path
}

const foundIn = (...names: readonly string[]) =>
  createDriveSetup({
    dataDir,
    rclonePath: () => null,
    isBuiltIn: () => true,
    env: { PATH: names.map((name) => join(dataDir, name)).join(':') },
    platform: 'linux',
  }).program()

it('does not run an rclone in a PATH folder that other users of this computer can change', async () => {
  const mine = await program('mine', 0o755)
  await program('open', 0o777)
  expect(await foundIn('open', 'mine')).toBe(mine)
  expect(await foundIn('open')).toBeNull()
})

it('prefers a configured program to the one on PATH, and passes it to the service', async () => {
  rclonePath = join(dataDir, 'nothing')
  expect((await setup.setup()).rclone).toEqual({ found: false, version: null })
  await expect(setup.useRemote('dav')).rejects.toThrow(DriveSetupError)
  rclonePath = null
  await setup.useRemote('dav')
  rclonePath = await setup.program()
  await setup.keepRclonePath()
  rclonePath = null
  expect(await setup.setup()).toMatchObject({ rclone: { found: true }, chosen: 'dav' })
  const read = async (): Promise<unknown> => JSON.parse(await readFile(join(dataDir, 'drive.json'), 'utf8'))
  expect(await read()).toEqual({ rclonePath: expect.stringContaining('rclone'), remote: 'dav' })
  await setup.keepRclonePath()
  expect(await read()).toEqual({ remote: 'dav' })
  await setup.useRemote(null)
  expect((await setup.setup()).chosen).toBeNull()
})
