import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  createPresenceCheck,
  type Presence,
  presenceOf,
  realFolder,
} from '../../../src/main/watch/folder-presence.ts'
import { createTurns } from '../../../src/node/turns.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { holdTime } from './held-time.ts'
import { newRoot } from './watched.ts'

const missing = { kind: 'absent', why: 'missing' } as const

it('a folder is there with an identity that another of its name does not have', async () => {
  const root = await newRoot()
  const inbox = join(root, 'in')
  const first = await presenceOf(inbox, false)
  expect(first).toMatchObject({ kind: 'there', place: { root: inbox, isMount: false } })
  expect(await presenceOf(inbox, false)).toEqual(first)
  await rename(inbox, join(root, 'away'))
  expect(await presenceOf(inbox, false)).toEqual(missing)
  await mkdir(inbox)
  expect(await presenceOf(inbox, false)).not.toEqual(first)
})

it('a file of its name is not the folder', async () => {
  const root = await newRoot()
  await writeFile(join(root, 'file'), 'x')
  expect(await presenceOf(join(root, 'file'), false)).toEqual(missing)
})

it('the place where a disk was mounted is not the disk', async () => {
  const root = await newRoot()
  expect(await presenceOf(join(root, 'in'), true)).toEqual(missing)
  expect(await presenceOf('/proc', true)).toMatchObject({ kind: 'there', place: { isMount: true } })
})

it('a folder that nobody lets us read says so', async () => {
  const root = await newRoot()
  await chmod(root, 0)
  const presence = await asOrdinaryUser(() => presenceOf(join(root, 'in'), false))
  await chmod(root, 0o755)
  expect(presence).toEqual({ kind: 'absent', why: 'unreadable' })
})

it('a folder that is reached through a link is known by its own name, also where a part of it is still to come', async () => {
  const root = await newRoot()
  await symlink(join(root, 'in'), join(root, 'link'))
  expect(await realFolder(join(root, 'link'))).toBe(join(root, 'in'))
  expect(await realFolder(join(root, 'link', 'not', 'yet'))).toBe(join(root, 'in', 'not', 'yet'))
})

it('a check follows another, also one that failed, until it is closed', async () => {
  const root = await newRoot()
  const time = holdTime()
  const turns = createTurns(() => undefined)
  const seen: Presence['kind'][] = []
  const { check, stop } = createPresenceCheck({
    path: () => join(root, 'in'),
    wasMount: () => false,
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
  await turns.close()
  stop()
  expect(time.dueWithin(50)).toBe(0)
})
