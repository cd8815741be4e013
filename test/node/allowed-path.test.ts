import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import {
  isStillReal,
  openFileIn,
  realNewPathIn,
  realPathIn,
  type AllowedFolder,
} from '../../src/node/allowed-path.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

let root = ''
let folders: readonly AllowedFolder[] = []
beforeEach(async () => {
  root = temporaryFolder()
  await mkdir(join(root, 'allowed', 'sub'), { recursive: true })
  await mkdir(join(root, 'other'))
  await writeFile(join(root, 'allowed', 'a.jpg'), 'a')
  await writeFile(join(root, 'other', 'b.jpg'), 'b')
  folders = [{ path: join(root, 'allowed'), realPath: join(root, 'allowed') }]
})
const at = (...parts: string[]) => join(root, ...parts)

test('a file, a folder and the allowed folder itself are allowed', async () => {
  for (const path of [
    at('allowed', 'a.jpg'),
    at('allowed', 'sub'),
    at('allowed'),
    `${at('allowed')}/sub/../a.jpg`,
  ])
    expect(await realPathIn(path, folders)).toMatchObject({ ok: true })
})

test('a link within the folder is resolved, one that leads out isn’t allowed', async () => {
  await symlink(at('allowed', 'a.jpg'), at('allowed', 'sub', 'in.jpg'))
  await symlink(at('other', 'b.jpg'), at('allowed', 'out.jpg'))
  expect(await realPathIn(at('allowed', 'sub', 'in.jpg'), folders)).toEqual({
    ok: true,
    path: at('allowed', 'a.jpg'),
  })
  expect(await realPathIn(at('allowed', 'out.jpg'), folders)).toEqual({ ok: false, why: 'leadsOutside' })
})

test('a folder that was chosen through a link is allowed under both paths, until the link changes', async () => {
  await symlink(at('allowed'), at('link'))
  const chosen = [{ path: at('link'), realPath: at('allowed') }]
  expect(await realPathIn(at('link', 'a.jpg'), chosen)).toEqual({ ok: true, path: at('allowed', 'a.jpg') })
  expect(await realPathIn(at('allowed', 'a.jpg'), chosen)).toMatchObject({ ok: true })
  await rm(at('link'))
  await symlink(at('other'), at('link'))
  expect(await realPathIn(at('link', 'b.jpg'), chosen)).toEqual({ ok: false, why: 'outside' })
})

test('a link from one allowed folder to another is allowed', async () => {
  const both = [...folders, { path: at('other'), realPath: at('other') }]
  await symlink(at('other', 'b.jpg'), at('allowed', 'b.jpg'))
  expect(await realPathIn(at('allowed', 'b.jpg'), both)).toEqual({ ok: true, path: at('other', 'b.jpg') })
})

test('a new folder is allowed, unless a link on its way leads out, even one without a target', async () => {
  expect(await realNewPathIn(at('allowed', 'x', 'y'), folders)).toEqual({
    ok: true,
    path: at('allowed', 'x', 'y'),
  })
  await symlink(at('other'), at('allowed', 'link'))
  await symlink(at('nowhere'), at('allowed', 'dangling'))
  expect(await realNewPathIn(at('allowed', 'link', 'x'), folders)).toEqual({ ok: false, why: 'leadsOutside' })
  expect(await realNewPathIn(at('allowed', 'dangling', 'x'), folders)).toEqual({
    ok: false,
    why: 'leadsOutside',
  })
})

test('only regular files are opened', async () => {
  const opened = await openFileIn(at('allowed', 'a.jpg'), folders)
  expect(opened).toMatchObject({ ok: true, path: at('allowed', 'a.jpg') })
  if (opened.ok) await opened.file.close()
  expect(await openFileIn(at('allowed', 'sub'), folders)).toEqual({ ok: false, why: 'notAFile' })
  expect(await openFileIn(at('allowed', 'nothing'), folders)).toEqual({ ok: false, why: 'missing' })
})

itInLongSuite(
  'a folder that is swapped with a link again and again never lets another file be opened',
  async () => {
    await writeFile(at('other', 'a.jpg'), 'b')
    await writeFile(at('allowed', 'sub', 'a.jpg'), 'a')
    const swapping = new AbortController()
    const swaps = (async () => {
      while (!swapping.signal.aborted) {
        await rename(at('allowed', 'sub'), at('allowed', 'aside'))
        await symlink(at('other'), at('allowed', 'sub'))
        await rm(at('allowed', 'sub'))
        await rename(at('allowed', 'aside'), at('allowed', 'sub'))
      }
    })()
    const contents = new Set<string>()
    for (let n = 0; n < 2_000; n++) {
      const opened = await openFileIn(at('allowed', 'sub', 'a.jpg'), folders)
      if (!opened.ok) continue
      contents.add(await opened.file.readFile('utf8'))
      await opened.file.close()
    }
    swapping.abort()
    await swaps
    expect([...contents]).not.toContain('b')
  },
)

test('whether a path still has no links is known, even for one that doesn’t exist', async () => {
  expect(await isStillReal(at('allowed', 'a.jpg'))).toBe(true)
  expect(await isStillReal(at('allowed', 'new', 'deep'))).toBe(true)
  await symlink(at('other'), at('allowed', 'link'))
  expect(await isStillReal(at('allowed', 'link', 'b.jpg'))).toBe(false)
})
