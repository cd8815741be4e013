import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createUnusableEntries } from '../../../src/main/watch/unusable-entries.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { openScanned, until } from './watched.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

/** `ä.jpg` in Latin-1. */
const LATIN = Buffer.from('\xe4.jpg', 'latin1')
const inside = (root: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${root}/`), name])

test.runIf(process.platform === 'linux')(
  'subfolders that can’t be read and names that aren’t UTF-8 are found, but no ignored or other files',
  async () => {
    const root = temporaryFolder()
    await chmod(root, 0o755)
    await writeFile(inside(root, LATIN), 'x')
    await writeFile(inside(root, Buffer.from('\xe4.txt', 'latin1')), 'x')
    await writeFile(inside(root, Buffer.from('.\xe4.jpg', 'latin1')), 'x')
    await writeFile(join(root, 'ü.jpg'), 'x')
    await mkdir(join(root, 'sub', 'locked'), { recursive: true })
    await chmod(join(root, 'sub', 'locked'), 0)
    let changes = 0
    const entries = createUnusableEntries({
      folder: () => ({ recursive: true }),
      timing: { clock: Date.now },
      onChange: () => (changes += 1),
    })
    await asOrdinaryUser(() => entries.search(root))
    expect([entries.paths(), changes]).toEqual([[join(root, '\\xe4.jpg'), join(root, 'sub', 'locked')], 1])
    await chmod(join(root, 'sub', 'locked'), 0o755)
    expect(await asOrdinaryUser(() => entries.recheck(root))).toBe(true)
    expect(entries.paths()).toEqual([join(root, '\\xe4.jpg')])
  },
)

test.skipIf(process.platform === 'win32')(
  'pipes, sockets and devices that are named like photos are found, but no ignored or other ones',
  async () => {
    const root = temporaryFolder()
    const [pipe, socket] = [join(root, 'sub', 'pipe.jpg'), join(root, 'socket.mp4')]
    await mkdir(join(root, 'sub'))
    execFileSync('mkfifo', [pipe, join(root, 'pipe.txt'), join(root, '.pipe.jpg')])
    const server = createServer().listen(socket)
    await once(server, 'listening')
    let [changes, recursive] = [0, true]
    const entries = createUnusableEntries({
      folder: () => ({ recursive }),
      timing: { clock: Date.now },
      onChange: () => (changes += 1),
    })
    await entries.search(root)
    expect([entries.special(), entries.paths(), changes]).toEqual([[socket, pipe], [], 1])
    recursive = false
    await entries.recheck(root)
    expect([entries.special(), changes]).toEqual([[socket], 2])
    server.close()
    await once(server, 'close')
    await entries.recheck(root)
    expect([entries.special(), changes]).toEqual([[], 3])
  },
)

test('hidden photos and those that stay named like unfinished ones are found after a while, but not the notes of other programs', async () => {
  const root = temporaryFolder()
  const names = [
    '.hidden.jpg',
    'clip.mp4.part',
    '._a.jpg',
    '.mediatray-1-a.jpg',
    '.DS_Store',
    'a.tmp',
    'a.jpg',
  ]
  for (const name of names) await writeFile(join(root, name), 'x')
  let now = Date.now()
  let changes = 0
  const entries = createUnusableEntries({
    folder: () => ({ recursive: true }),
    timing: { clock: () => now },
    onChange: () => (changes += 1),
  })
  await entries.search(root)
  expect([entries.ignored(), changes]).toEqual([[], 0])
  now += 601_000
  await entries.recheck(root)
  expect([entries.ignored(), changes]).toEqual([[join(root, '.hidden.jpg'), join(root, 'clip.mp4.part')], 1])
})

itInLongSuite.skipIf(process.platform === 'win32')(
  'a watched folder reports a new pipe that is named like a photo, until a photo takes its place',
  async () => {
    const watched = await openScanned()
    const { watch, inbox } = watched
    const pipe = join(inbox, 'a.jpg')
    execFileSync('mkfifo', [pipe])
    await until('it is reported', () => watch.list()[0]?.special.count === 1)
    expect(watch.list()[0]).toMatchObject({ trouble: null, special: { paths: [pipe] } })
    await rm(pipe)
    await writeFile(pipe, 'x')
    await until(
      'it is submitted',
      () => watch.list()[0]?.special.count === 0 && watched.submitted().length === 1,
    )
  },
)

test('a watched folder reports a file that keeps an unfinished name, until it is renamed', async () => {
  const watched = await openScanned({}, { timing: { ...systemTiming, clock: () => Date.now() + 601_000 } })
  const part = join(watched.inbox, 'a.jpg.part')
  await writeFile(part, 'x')
  await until('it is reported', () => watched.watch.list()[0]?.ignored.count === 1)
  await rename(part, join(watched.inbox, 'a.jpg'))
  await until('nothing is left', () => watched.watch.list()[0]?.ignored.count === 0)
  await until('it is submitted', () => watched.submitted().length === 1)
})

itInLongSuite.runIf(process.platform === 'linux')(
  'a watched folder reports a new file whose name isn’t UTF-8, until it is renamed',
  async () => {
    const watched = await openScanned()
    const { watch, inbox, troubles } = watched
    await writeFile(inside(inbox, LATIN), 'x')
    await until('it is reported', () => watch.list()[0]?.unprocessed.count === 1)
    expect(watch.list()[0]).toMatchObject({
      trouble: 'unreadable',
      unprocessed: { paths: [join(inbox, '\\xe4.jpg')] },
    })
    expect(troubles).toMatchObject([{ kind: 'unreadable' }])
    await rename(inside(inbox, LATIN), join(inbox, 'a.jpg'))
    await until(
      'nothing is left',
      () => watch.list()[0]?.trouble === null && watched.submitted().length === 1,
    )
  },
)
