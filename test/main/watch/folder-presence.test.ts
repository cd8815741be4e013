import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createPresenceCheck, type Presence, presenceOf } from '../../../src/main/watch/folder-presence.ts'
import { createSerialQueue } from '../../../src/node/serial-queue.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { canMakeForeignLinks, makeForeignLink } from '../../foreign-link.ts'
import { holdTime } from './held-time.ts'
import { newRoot } from './watched.ts'

const missing = { kind: 'absent', why: 'missing' } as const

it('a folder has an identity that distinguishes it from another folder of the same name', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const first = await presenceOf(inbox, undefined)
  expect(first).toMatchObject({ kind: 'there', place: { root: inbox } })
  expect(await presenceOf(inbox, undefined)).toEqual(first)
  await rename(inbox, join(root, 'away'))
  expect(await presenceOf(inbox, undefined)).toEqual(missing)
  await mkdir(inbox)
  expect(await presenceOf(inbox, undefined)).not.toEqual(first)
})

it('a file with the folder’s name does not count as the folder', async () => {
  const root = await newRoot()
  await writeFile(join(root, 'file'), 'x')
  const presence = await presenceOf(join(root, 'file'), undefined)
  expect(presence).toEqual({ kind: 'absent', why: 'notFolder' })
})

it('an empty mount point does not count as the disk', async () => {
  const root = await newRoot()
  expect(await presenceOf(join(root, 'in'), join(root, 'in'))).toEqual(missing)
  expect(await presenceOf('/proc', '/proc')).toMatchObject({ kind: 'there', place: { root: '/proc' } })
})

it('a folder that can’t be read is reported as unreadable', async () => {
  const root = await newRoot()
  await chmod(root, 0)
  const presence = await asOrdinaryUser(() => presenceOf(join(root, 'in'), undefined))
  await chmod(root, 0o755)
  expect(presence).toEqual({ kind: 'absent', why: 'unreadable' })
})

it('a folder behind the user’s link is watched at its real path', async () => {
  const root = await newRoot()
  await symlink(join(root, 'in'), join(root, 'link'))
  expect(await presenceOf(join(root, 'link'), undefined)).toMatchObject({ place: { root: join(root, 'in') } })
})

it.runIf(canMakeForeignLinks)('another user’s link doesn’t count as the folder', async () => {
  const root = await newRoot()
  makeForeignLink(root, join(root, 'link'))
  const foreign = { kind: 'absent', why: 'foreignLink' }
  expect(await presenceOf(join(root, 'link'), undefined)).toEqual(foreign)
  expect(await presenceOf(join(root, 'link', 'in'), undefined)).toEqual(foreign)
})

it('checks continue, even after a failure, until the watch is closed', async () => {
  const root = await newRoot()
  const time = holdTime()
  const turns = createSerialQueue(() => undefined)
  const seen: Presence['kind'][] = []
  const { check, stop } = createPresenceCheck({
    path: () => join(root, 'in'),
    mounts: { of: () => Promise.resolve(undefined) },
    everyMs: 50,
    timing: time.timing,
    turns,
    onChecked(presence) {
      seen.push(presence.kind)
      return seen.length === 1 ? Promise.reject(new Error('busy')) : Promise.resolve()
    },
  })
  await expect(turns.next(() => check())).rejects.toThrow('busy')
  await rm(join(root, 'in'), { recursive: true })
  time.pass(50)
  await turns.next(() => Promise.resolve())
  expect(seen).toEqual(['there', 'absent'])
  await mkdir(join(root, 'in'))
  time.pass(50)
  await turns.next(() => Promise.resolve())
  expect(seen).toEqual(['there', 'absent', 'there'])
  // While the folder is there, its watcher reports most changes.
  expect(time.dueWithin(299)).toBe(0)
  expect(time.dueWithin(300)).toBe(1)
  await turns.close()
  stop()
  expect(time.dueWithin(300)).toBe(0)
})

it('only every sixth check of an unchanged folder is complete', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const time = holdTime()
  const turns = createSerialQueue(() => undefined)
  const seen: Presence[] = []
  let complete = 0
  const { check, stop } = createPresenceCheck({
    path: () => inbox,
    mounts: { of: () => Promise.resolve(void (complete += 1)) },
    everyMs: 50,
    timing: time.timing,
    turns,
    onChecked: (presence) => Promise.resolve(void seen.push(presence)),
  })
  const again = async () => {
    time.pass(300)
    await turns.next(() => Promise.resolve())
  }
  await turns.next(() => check())
  for (let n = 0; n < 12; n++) await again()
  expect([seen.length, complete]).toEqual([13, 3])
  expect(new Set(seen).size).toBe(3)
  // A brief check notices other permissions and another folder.
  await chmod(inbox, 0o700)
  await again()
  expect(complete).toBe(4)
  await rename(inbox, join(root, 'away'))
  await mkdir(inbox)
  await again()
  expect(complete).toBe(5)
  expect(seen.at(-1)).not.toEqual(seen.at(-2))
  await turns.close()
  stop()
})
