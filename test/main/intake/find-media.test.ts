import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import {
  findMedia,
  pathsFromArguments,
  type FindBatch,
  type FindOptions,
} from '../../../src/main/intake/index.ts'

let root: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'mediatray-intake-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function file(name: string, content = 'x'): Promise<string> {
  const path = join(root, name)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, content)
  return path
}

async function all(paths: readonly string[], options?: FindOptions) {
  const batches: FindBatch[] = []
  for await (const batch of findMedia(paths, options)) batches.push(batch)
  return {
    batches,
    items: batches.flatMap(({ items }) => items),
    names: batches.flatMap(({ items }) => items.map(({ name }) => name)),
    rejected: batches.flatMap((batch) => batch.rejected.map(({ name, reason }) => `${name}: ${reason}`)),
  }
}

describe('files and folders that are brought in', () => {
  it('become media items with kind and size, whatever the case of the extension', async () => {
    const { items } = await all([await file('a.JPG', '12345'), await file('b.MoV', '123')])
    expect(items).toEqual([
      { path: join(root, 'a.JPG'), name: 'a.JPG', kind: 'image', size: 5 },
      { path: join(root, 'b.MoV'), name: 'b.MoV', kind: 'video', size: 3 },
    ])
  })

  it('are taken in the order given, folders in the order of names', async () => {
    await file('album/c.png')
    await file('album/b.png')
    await file('album/sub/a.png')
    const { names } = await all([await file('z.jpg'), join(root, 'album'), await file('a.jpg')])
    expect(names).toEqual(['z.jpg', 'b.png', 'c.png', 'a.png', 'a.jpg'])
  })

  it('that can not be used are kept with the reason', async () => {
    execFileSync('mkfifo', [join(root, 'pipe.jpg')])
    const paths = [
      await file('notes.txt'),
      await file('empty.png', ''),
      join(root, 'gone.jpg'),
      join(root, 'pipe.jpg'),
    ]
    const { items, rejected } = await all([...paths, await file('big.mp4', '123456')], { maxBytes: 5 })
    expect(items).toEqual([])
    expect(rejected).toEqual([
      'notes.txt: unsupported',
      'empty.png: empty',
      'gone.jpg: missing',
      'pipe.jpg: notAFile',
      'big.mp4: tooLargeToUpload',
    ])
  })

  it('may be as large as an upload takes to the byte', async () => {
    const path = await file('just.mp4', '12345')
    expect((await all([path], { maxBytes: 5 })).rejected).toEqual([])
    expect((await all([path], { maxBytes: 4 })).rejected).toEqual(['just.mp4: tooLargeToUpload'])
  })

  it('that may not be read are kept with the reason', async () => {
    const secret = await file('locked/secret.jpg')
    await chmod(root, 0o755)
    await chmod(join(root, 'locked'), 0o000)
    await asOrdinaryUser(async () => {
      expect((await all([secret])).rejected).toEqual(['secret.jpg: unreadable'])
    })
  })

  it('with a name too long for the system are refused without an error', async () => {
    expect((await all([join(root, `${'x'.repeat(300)}.jpg`)])).rejected).toHaveLength(1)
  })

  it('are taken once, by whatever path they come', async () => {
    const photo = await file('album/a.jpg')
    await symlink(photo, join(root, 'link.jpg'))
    await symlink(join(root, 'album'), join(root, 'other'))
    const { names } = await all([
      photo,
      photo,
      join(root, 'link.jpg'),
      join(root, 'album'),
      join(root, 'other/a.jpg'),
    ])
    expect(names).toEqual(['a.jpg'])
  })

  it('are not taken again when the draft has them already', async () => {
    const photo = await file('a.jpg')
    await symlink(photo, join(root, 'link.jpg'))
    const paths = [photo, await file('b.jpg')]
    expect((await all(paths, { already: [join(root, 'link.jpg'), '/gone.jpg'] })).names).toEqual(['b.jpg'])
  })

  it('survive links that go round in circles and links to nothing', async () => {
    await file('album/a.jpg')
    await symlink(root, join(root, 'album/up'))
    await symlink(join(root, 'album/loop.jpg'), join(root, 'album/loop.jpg'))
    await symlink(join(root, 'nowhere.jpg'), join(root, 'album/dead.jpg'))
    const { names, rejected } = await all([root])
    expect(names).toEqual(['a.jpg'])
    expect(rejected).toEqual(['dead.jpg: missing', 'loop.jpg: unreadable'])
  })

  it('leave out what is hidden or the system’s, unless it is brought in by itself', async () => {
    const hidden = await file('.hidden.jpg')
    await file('.trash/a.jpg')
    await file('__MACOSX/b.jpg')
    await file('Thumbs.db')
    await file('Photos Library.photoslibrary/c.jpg')
    await file('d.jpg')
    const { names, rejected } = await all([root])
    expect(names).toEqual(['d.jpg'])
    expect(rejected).toEqual([])
    expect((await all([hidden])).names).toEqual(['.hidden.jpg'])
  })

  it('may be an empty folder, which brings nothing', async () => {
    expect(await all([root])).toMatchObject({ items: [], rejected: [] })
  })
})

const many = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => file(`many/${String(index).padStart(5, '0')}.jpg`)))

const nobodyAnswers = () => Promise.reject(new Error('Nobody is there to answer.'))

describe('many files', () => {
  it('come in small batches with progress, and everything else goes on in between', async () => {
    await many(2_000)
    let turns = 0
    let going = true
    const turn = () => {
      turns++
      if (going) setImmediate(turn)
    }
    setImmediate(turn)
    let largest = 0
    let last = 0
    let batches = 0
    for await (const { items, progress } of findMedia([join(root, 'many')])) {
      batches++
      largest = Math.max(largest, items.length)
      expect(progress.found).toBeGreaterThan(last)
      last = progress.found
    }
    going = false
    expect(last).toBe(2_000)
    expect(largest).toBeLessThanOrEqual(64)
    expect(turns).toBeGreaterThan(batches)
  })

  it('stop at once when they are no longer wanted', async () => {
    await many(500)
    const cancel = new AbortController()
    let batches = 0
    for await (const batch of findMedia([join(root, 'many')], { signal: cancel.signal })) {
      expect(batch.items.length).toBeGreaterThan(0)
      batches++
      cancel.abort()
    }
    expect(batches).toBe(1)
  })

  it.each([
    ['takeAll', 300],
    ['takeSome', 100],
    ['stop', 100],
  ] as const)('beyond the cap wait for an answer: %s', async (answer, expected) => {
    await many(300)
    const questions: unknown[] = []
    const { items, batches } = await all([join(root, 'many')], {
      cap: 100,
      ask: (question) => {
        questions.push(question)
        return Promise.resolve(answer)
      },
    })
    expect(questions).toEqual([{ found: 101, cap: 100 }])
    expect(items).toHaveLength(expected)
    expect(new Set(items.map(({ path }) => path)).size).toBe(expected)
    expect(batches.filter(({ progress }) => progress.question)).toHaveLength(1)
  })

  it('beyond the cap are all taken where nobody is there to be asked', async () => {
    await many(300)
    expect((await all([join(root, 'many')], { cap: 100 })).items).toHaveLength(300)
  })

  it('up to the cap need no answer', async () => {
    await many(100)
    expect((await all([join(root, 'many')], { cap: 100, ask: nobodyAnswers })).items).toHaveLength(100)
  })
})

describe('paths among arguments', () => {
  it('are plain or file URLs, relative to the folder of whoever gave them', () => {
    const url = pathToFileURL('/photos/ä b#1.jpg').href
    expect(pathsFromArguments(['a.jpg', '/b.jpg', url], '/home/ada').paths).toEqual([
      '/home/ada/a.jpg',
      '/b.jpg',
      '/photos/ä b#1.jpg',
    ])
  })

  it('leave out options, unless they come after two dashes, and links of other kinds', () => {
    const values = [
      '--hidden',
      '-x',
      'mediatray://job/1',
      'https://example.org/a.jpg',
      '',
      'a.jpg',
      '--',
      '-b.jpg',
    ]
    expect(pathsFromArguments(values, '/w').paths).toEqual(['/w/a.jpg', '/w/-b.jpg'])
  })

  it('name what no file on this computer stands behind', () => {
    expect(pathsFromArguments(['file://other-host/a.jpg'], '/w').rejected).toMatchObject([
      { path: 'file://other-host/a.jpg', name: 'a.jpg', reason: 'missing' },
    ])
  })
})
