import { chmod, mkdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Moment, takeBaseline } from '../../../src/main/watch/baseline.ts'
import { fingerprintFiles } from '../../../src/main/watch/fingerprint.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { newRoot } from './watched.ts'

const now = (): Moment => ({ clock: Date.now(), monotonic: performance.now() })
const before = (ms: number): Moment => ({ clock: Date.now() - ms, monotonic: performance.now() - ms })

/** Takes a baseline of `in` and returns a function that keeps only the names of files that belong to it. */
async function lay(root: string, options: { since: Moment; now?: () => Moment; recursive?: boolean }) {
  const folder = join(root, 'in')
  const { since, recursive = false, now: clock = now } = options
  const baseline = await takeBaseline(folder, recursive, since, clock)
  return async (...names: readonly string[]) => {
    const files = await fingerprintFiles(names.map((name) => join(folder, name)))
    return names.filter((_, index) => files[index] !== undefined && baseline.has(files[index]))
  }
}

const put = (root: string, name: string, content = name) => writeFile(join(root, 'in', name), content)

it('listed files are new if they were added after watching started, regardless of their modification time', async () => {
  const root = await newRoot()
  await put(root, 'copied.jpg')
  await utimes(join(root, 'in', 'copied.jpg'), 1_000_000, 1_000_000)
  expect(await (await lay(root, { since: before(60_000) }))('copied.jpg')).toEqual([])
  expect(await (await lay(root, { since: now() }))('copied.jpg')).toEqual(['copied.jpg'])
})

it('a file’s time is not trusted if the clock was set in the meantime', async () => {
  const root = await newRoot()
  await put(root, 'a.jpg')
  for (const set of [-5_000, 5_000, 3_600_000]) {
    const since = before(60_000)
    const there = await lay(root, { since: { ...since, clock: since.clock - set } })
    expect(await there('a.jpg')).toEqual(['a.jpg'])
  }
})

it('a file’s time is not trusted if it is in the future', async () => {
  const root = await newRoot()
  await put(root, 'a.jpg')
  const { ctimeMs } = await stat(join(root, 'in', 'a.jpg'))
  const earlier = (ms: number): Moment => ({ clock: ctimeMs - ms, monotonic: -ms })
  const there = await lay(root, { since: earlier(2_000), now: () => earlier(1_000) })
  expect(await there('a.jpg')).toEqual(['a.jpg'])
})

it('files in subfolders belong to the baseline if subfolders are included', async () => {
  const root = await newRoot()
  await mkdir(join(root, 'in', 'deep', 'deeper'), { recursive: true })
  const name = join('deep', 'deeper', 'a.jpg')
  await put(root, name)
  expect(await (await lay(root, { since: now(), recursive: true }))(name)).toEqual([name])
  expect(await (await lay(root, { since: now() }))(name)).toEqual([])
})

it('files in an unreadable folder count as existing', async () => {
  const root = await newRoot()
  const closed = join(root, 'in', 'closed')
  await mkdir(closed)
  await put(root, join('closed', 'a.jpg'))
  for (const folder of [root, join(root, 'in')]) await chmod(folder, 0o777)
  await chmod(closed, 0)
  const there = await asOrdinaryUser(() => lay(root, { since: now(), recursive: true }))
  await chmod(closed, 0o777)
  await put(root, 'b.jpg')
  expect(await there(join('closed', 'a.jpg'), 'b.jpg')).toEqual([join('closed', 'a.jpg')])
})
