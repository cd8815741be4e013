import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isGood } from '../../faults/vault/test-vault.ts'
import { createWorld } from './vault-fixture.ts'

const SMALL = 'someone else’s'
const LARGE = SMALL.repeat(100)

/** A job for one original, and another photo that the service has nothing to do with. */
async function createJob() {
  const world = createWorld()
  const others = join(world.home, 'others')
  mkdirSync(others)
  const path = world.photo('a.jpg')
  const other = join(others, 'a.jpg')
  const output = await world.vault().prepare([path])
  return {
    photos: world.photos,
    others,
    path,
    other,
    output,
    /** Writes the other photo, with rights and dates that a replacement would change. */
    writeOther(content: string): void {
      writeFileSync(other, content)
      chmodSync(other, 0o600)
      utimesSync(other, 1_000_000, 1_000_000)
    },
    async replaceWith(result: string, check: typeof isGood | 'cancelled' = isGood) {
      const [replacement] = await world.vault().replaceAll(output, new Map([[path, result]]), check)
      await world.passDays(3)
      return replacement?.state
    },
  }
}

const seen = (path: string) => {
  const { ino, mode, mtimeMs } = lstatSync(path)
  return { ino, mode, mtimeMs, content: readFileSync(path, 'utf8') }
}

const misplaced = { kind: 'kept', why: 'misplaced', result: null, resultBytes: null }

describe('a file that isn’t the job’s own result is never touched', () => {
  it.each([
    ['a smaller photo', SMALL],
    ['a larger photo', LARGE],
    ['a damaged photo', 'damaged'],
  ])('if the service reports %s elsewhere', async (_, content) => {
    const job = await createJob()
    job.writeOther(content)
    const before = [seen(job.path), seen(job.other)]
    expect(await job.replaceWith(job.other)).toEqual(misplaced)
    expect([seen(job.path), seen(job.other)]).toEqual(before)
  })

  it('if the job was canceled, or the original was edited', async () => {
    const canceled = await createJob()
    canceled.writeOther(SMALL)
    await canceled.replaceWith(canceled.other, 'cancelled')
    expect(readFileSync(canceled.other, 'utf8')).toBe(SMALL)

    const edited = await createJob()
    edited.writeOther(SMALL)
    writeFileSync(edited.path, 'edited')
    await edited.replaceWith(edited.other)
    expect(readFileSync(edited.other, 'utf8')).toBe(SMALL)
  })

  it('if it is the original itself, by its own path or through a linked folder', async () => {
    for (const name of ['photos', 'album']) {
      const job = await createJob()
      symlinkSync(job.photos, join(dirname(job.photos), 'album'))
      const before = seen(job.path)
      expect(await job.replaceWith(join(dirname(job.photos), name, 'a.jpg'))).toEqual(misplaced)
      expect(seen(job.path)).toEqual(before)
    }
  })

  it.each([
    ['a smaller photo', SMALL],
    ['a larger photo', LARGE],
  ])('if a link in the results folder leads to the folder of %s', async (_, content) => {
    const job = await createJob()
    job.writeOther(content)
    symlinkSync(job.others, join(job.output, 'sub'))
    const before = seen(job.other)
    expect(await job.replaceWith(join(job.output, 'sub', 'a.jpg'))).toEqual(misplaced)
    expect(seen(job.other)).toEqual(before)
  })

  it('if the service replaces the results folder, or the job’s folder, with a link', async () => {
    for (const isWhole of [false, true]) {
      const job = await createJob()
      const folder = isWhole ? dirname(job.output) : job.output
      const target = isWhole ? dirname(job.others) : job.others
      if (isWhole) renameSync(job.others, join(target, 'results'))
      rmSync(folder, { recursive: true })
      symlinkSync(target, folder)
      const other = join(job.output, 'a.jpg')
      writeFileSync(other, SMALL)
      expect(await job.replaceWith(other)).toEqual(misplaced)
      expect(readFileSync(other, 'utf8')).toBe(SMALL)
    }
  })

  it('if it is a hard link to another photo', async () => {
    const job = await createJob()
    job.writeOther(SMALL)
    const result = join(job.output, 'a.jpg')
    linkSync(job.other, result)
    const before = seen(job.other)
    expect(await job.replaceWith(result)).toMatchObject({ kind: 'kept', why: 'badResult' })
    expect(seen(job.other)).toEqual(before)
  })

  it('if it becomes a link while it is checked', async () => {
    const job = await createJob()
    job.writeOther(SMALL)
    const sub = join(job.output, 'sub')
    mkdirSync(sub)
    const result = join(sub, 'a.jpg')
    writeFileSync(result, SMALL)
    const before = seen(job.other)
    const state = await job.replaceWith(result, async () => {
      rmSync(sub, { recursive: true })
      symlinkSync(job.others, sub)
      return true
    })
    expect(state).toEqual(misplaced)
    expect(seen(job.other)).toEqual(before)
  })
})

it('accepts a result in a subfolder of the results folder', async () => {
  const job = await createJob()
  mkdirSync(join(job.output, 'sub'))
  const result = join(job.output, 'sub', 'a.jpg')
  writeFileSync(result, SMALL)
  expect(await job.replaceWith(result)).toMatchObject({ kind: 'replaced', place: job.path })
})

it.each([
  ['a photo', '\xff\xd8\xff small', 'a.jpg'],
  ['something else', 'small', 'a.bin'],
])('never gives %s the ending of a program', async (_, content, name) => {
  const job = await createJob()
  const result = join(job.output, 'a.exe')
  writeFileSync(result, content, 'latin1')
  expect(await job.replaceWith(result)).toMatchObject({ kind: 'replaced', place: join(job.photos, name) })
})
