/**
 * Files that arrive between turning watching on and the end of the first scan are processed; the user is asked only about files
 * that were there before.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fileClockTicks } from '../../file-clock.ts'
import { folderIn, newRoot, open, openScanned, until } from './watched.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

/** A scan that starts only when the test releases it. */
function heldScan() {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<boolean>()
  return {
    asked: asked.promise,
    release: () => released.resolve(false),
    needsPolling(): Promise<boolean> {
      asked.resolve()
      return released.promise
    },
  }
}

it('a file that arrives before the first scan is processed, and the user is asked about existing ones', async () => {
  const root = await newRoot()
  await writeFile(join(root, 'in', 'old.jpg'), 'was there')
  const scan = heldScan()
  const watched = open(root, [folderIn(root)], scan)
  await scan.asked
  await fileClockTicks(root)
  await writeFile(join(watched.inbox, 'early.jpg'), 'came')
  scan.release()
  await watched.watch.whenScanned()
  expect(watched.watch.list()[0]?.question).toBe(1)
  await watched.submitsOnly([['early.jpg']])
  expect(watched.troubles).toMatchObject([{ kind: 'question', files: 1 }])
})

itInLongSuite(
  'a file that arrives while another folder is still being scanned is processed too',
  async () => {
    const root = await newRoot()
    const second = join(root, 'second')
    await mkdir(second)
    await writeFile(join(second, 'old.jpg'), 'was there')
    await fileClockTicks(root)
    const scan = heldScan()
    const watched = open(root, [folderIn(root), folderIn(root, { id: 'second', path: second })], scan)
    await scan.asked
    await fileClockTicks(root)
    await writeFile(join(second, 'early.jpg'), 'came')
    scan.release()
    await until('the second folder is scanned', () => watched.watch.list()[1]?.question === 1)
    await watched.submitsOnly([['early.jpg']])
  },
)

it.each([
  ['rewritten counts as new', (old: string) => writeFile(old, 'another picture'), [['old.jpg']]],
  ['renamed is still asked about', (old: string) => rename(old, `${old}.2.jpg`), []],
] as const)('an existing file that is %s before the scan', async (_, change, submitted) => {
  const root = await newRoot()
  const old = join(root, 'in', 'old.jpg')
  await writeFile(old, 'was there')
  const scan = heldScan()
  const watched = open(root, [folderIn(root)], scan)
  await scan.asked
  await fileClockTicks(root)
  await change(old)
  scan.release()
  await watched.watch.whenScanned()
  await until('it is submitted', () => watched.submitted().length === submitted.length)
  expect([watched.submitted(), watched.watch.list()[0]?.question]).toEqual([
    submitted,
    submitted.length === 0 ? 1 : null,
  ])
})

it('asks about many files that arrived while the app was off, but not about one that arrived since', async () => {
  const first = await openScanned()
  const { root } = first
  await first.close()
  for (let n = 0; n < 6; n += 1) await writeFile(join(first.inbox, `${n}.jpg`), `content ${n}`)
  const scan = heldScan()
  const again = open(root, [folderIn(root)], { ...scan, many: 5 })
  await scan.asked
  await fileClockTicks(root)
  await writeFile(join(again.inbox, 'early.jpg'), 'came')
  scan.release()
  await again.watch.whenScanned()
  expect(again.watch.list()[0]?.question).toBe(6)
  await again.submits([['early.jpg']])
})

it('a folder is shown as scanning until the scan ends, but not while it is disabled or missing', async () => {
  const root = await newRoot()
  const scan = heldScan()
  const watched = open(root, [folderIn(root), folderIn(root, { id: 'off', enabled: false })], scan)
  expect(watched.watch.list().map(({ scanning }) => scanning)).toEqual([true, false])
  await scan.asked
  expect(watched.watch.list()[0]?.scanning).toBe(true)
  let told = 0
  watched.watch.onChange(() => (told += 1))
  scan.release()
  await watched.watch.whenScanned()
  expect(watched.watch.list()[0]?.scanning).toBe(false)
  await until('it is reported', () => told > 0)
  await rename(watched.inbox, join(root, 'away'))
  await until('it is missing', () => watched.watch.list()[0]?.trouble === 'missing')
  expect(watched.watch.list()[0]?.scanning).toBe(false)
})
