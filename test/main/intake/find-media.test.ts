import { execFileSync } from 'node:child_process'
import { chmod, link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { asOrdinaryUser } from '../../as-ordinary-user.ts'
import { canMakeForeignLinks, makeForeignLink } from '../../foreign-link.ts'
import {
  findMedia,
  pathsFromArguments,
  type FindBatch,
  type FindOptions,
} from '../../../src/main/intake/index.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

let root: string

beforeEach(async () => {
  root = temporaryFolder()
})

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

describe('added files and folders', () => {
  it('become media items with kind and size, regardless of the case of the extension', async () => {
    const { items } = await all([await file('a.JPG', '12345'), await file('b.MoV', '123')])
    expect(items).toMatchObject([
      { path: join(root, 'a.JPG'), name: 'a.JPG', kind: 'image', size: 5 },
      { path: join(root, 'b.MoV'), name: 'b.MoV', kind: 'video', size: 3 },
    ])
  })

  it('keep the given order, with the contents of folders sorted by name', async () => {
    await file('album/c.png')
    await file('album/b.png')
    await file('album/sub/a.png')
    const { names } = await all([await file('z.jpg'), join(root, 'album'), await file('a.jpg')])
    expect(names).toEqual(['z.jpg', 'b.png', 'c.png', 'a.png', 'a.jpg'])
  })

  it('that can’t be used are listed with the reason', async () => {
    execFileSync('mkfifo', [join(root, 'pipe.jpg')])
    const paths = [
      await file('notes.txt'),
      await file('empty.png', ''),
      join(root, 'gone.jpg'),
      join(root, 'pipe.jpg'),
    ]
    const { items, rejected, batches } = await all([...paths, await file('big.mp4', '123456')], {
      maxBytes: 5,
    })
    expect(items).toEqual([])
    expect(batches.flatMap((batch) => batch.rejected.map(({ size }) => size))).toEqual([
      1,
      0,
      undefined,
      undefined,
      6,
    ])
    expect(rejected).toEqual([
      'notes.txt: unsupported',
      'empty.png: empty',
      'gone.jpg: missing',
      'pipe.jpg: notAFile',
      'big.mp4: tooLargeToUpload',
    ])
  })

  it('may be exactly as large as the upload limit', async () => {
    const path = await file('just.mp4', '12345')
    expect((await all([path], { maxBytes: 5 })).rejected).toEqual([])
    expect((await all([path], { maxBytes: 4 })).rejected).toEqual(['just.mp4: tooLargeToUpload'])
  })

  it('that can’t be read are listed with the reason', async () => {
    const secret = await file('locked/secret.jpg')
    await chmod(root, 0o755)
    await chmod(join(root, 'locked'), 0o000)
    await asOrdinaryUser(async () => {
      expect((await all([secret])).rejected).toEqual(['secret.jpg: unreadable'])
    })
  })

  it('with names too long for the system are rejected without an error', async () => {
    expect((await all([join(root, `${'x'.repeat(300)}.jpg`)])).rejected).toHaveLength(1)
  })

  it('are added once, even if given under several paths, and rather as themselves than as a link', async () => {
    const photo = await file('album/a.jpg')
    await symlink('a.jpg', join(root, 'album/0.jpg'))
    expect((await all([join(root, 'album')])).names).toEqual(['a.jpg'])
    expect((await all([join(root, 'album/0.jpg'), photo])).names).toEqual(['a.jpg'])
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

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'are added once if they are also reached through another mount point, unlike hard links',
    async () => {
      const [path, one] = [await file('photos/a.jpg'), await file('photos/b.jpg')]
      await link(one, join(root, 'photos', 'c.jpg'))
      await mkdir(join(root, 'mounted'))
      execFileSync('mount', ['--bind', join(root, 'photos'), join(root, 'mounted')])
      onTestFinished(() => void execFileSync('umount', [join(root, 'mounted')]))
      expect((await all([path, join(root, 'mounted', 'a.jpg'), join(root, 'photos')])).names).toEqual([
        'a.jpg',
        'b.jpg',
        'c.jpg',
      ])
      const again = await all([join(root, 'mounted')], { already: [path] })
      expect(again.names).toEqual(['b.jpg', 'c.jpg'])
    },
  )

  it('are not added again if the draft already has them', async () => {
    const photo = await file('a.jpg')
    await symlink(photo, join(root, 'link.jpg'))
    const paths = [photo, await file('b.jpg')]
    expect((await all(paths, { already: [join(root, 'link.jpg'), '/gone.jpg'] })).names).toEqual(['b.jpg'])
  })

  it('may contain circular and dangling links', async () => {
    await file('album/a.jpg')
    await symlink(root, join(root, 'album/up'))
    await symlink(join(root, 'album/loop.jpg'), join(root, 'album/loop.jpg'))
    await symlink(join(root, 'nowhere.jpg'), join(root, 'album/dead.jpg'))
    const { names, rejected } = await all([root])
    expect(names).toEqual(['a.jpg'])
    expect(rejected).toEqual(['dead.jpg: missing', 'loop.jpg: unreadable'])
  })

  it.runIf(process.platform === 'linux')('whose names aren’t UTF-8 are named with that reason', async () => {
    await file('album/a.jpg')
    await writeFile(Buffer.from(`${root}/album/caf\xe9.jpg`, 'latin1'), 'x')
    const { names, rejected } = await all([
      join(root, 'album'),
      join(root, 'caf\uFFFD.jpg'),
      join(root, 'gone.jpg'),
    ])
    expect(names).toEqual(['a.jpg'])
    expect(rejected).toEqual([
      'caf\uFFFD.jpg: nameUnreadable',
      'caf\uFFFD.jpg: nameUnreadable',
      'gone.jpg: missing',
    ])
  })

  it('include the targets of links within a folder, but not of links that lead out of it', async () => {
    const photo = await file('private/secret.jpg')
    await file('album/below/a.jpg')
    await file('album/.objects/b.jpg')
    await symlink(photo, join(root, 'album/absolute.jpg'))
    await symlink('../private/secret.jpg', join(root, 'album/relative.jpg'))
    await symlink('../private', join(root, 'album/folder'))
    await symlink('/gone/nowhere.jpg', join(root, 'album/nowhere.jpg'))
    await symlink('folder/secret.jpg', join(root, 'album/in-two-steps.jpg'))
    await symlink('.objects/b.jpg', join(root, 'album/inside.jpg'))
    await symlink('.', join(root, 'album/again'))
    const { names, rejected } = await all([join(root, 'album')])
    expect(names).toEqual(['a.jpg', 'inside.jpg'])
    expect(rejected).toEqual(
      ['absolute.jpg', 'folder', 'in-two-steps.jpg', 'nowhere.jpg', 'relative.jpg'].map(
        (name) => `${name}: leadsOutside`,
      ),
    )
  })

  it('include the target of a directly added link, and the targets of links within that folder', async () => {
    await file('album/a.jpg')
    await symlink('a.jpg', join(root, 'album/same.jpg'))
    await symlink(join(root, 'album'), join(root, 'shortcut'))
    await symlink(await file('b.jpg'), join(root, 'link.jpg'))
    const { names, rejected } = await all([join(root, 'shortcut'), join(root, 'link.jpg')])
    expect([names, rejected]).toEqual([['a.jpg', 'link.jpg'], []])
  })

  it.runIf(canMakeForeignLinks)(
    'don’t include the target of another user’s link on a given path',
    async () => {
      await file('private/sub/secret.jpg')
      makeForeignLink(join(root, 'private'), join(root, 'shared'))
      makeForeignLink(join(root, 'private/sub/secret.jpg'), join(root, 'link.jpg'))
      makeForeignLink(join(root, 'nowhere'), join(root, 'dead'))
      const named = ['shared', 'shared/sub', 'shared/sub/secret.jpg', 'link.jpg', 'dead']
      const { names, rejected } = await all(named.map((name) => join(root, name)))
      expect(names).toEqual([])
      expect(rejected).toEqual(
        ['shared', 'sub', 'secret.jpg', 'link.jpg', 'dead'].map((name) => `${name}: foreignLink`),
      )
    },
  )

  it('exclude hidden and system files, unless those are added directly', async () => {
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

  it('may be an empty folder, which adds nothing', async () => {
    expect(await all([root])).toMatchObject({ items: [], rejected: [] })
  })
})

const many = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => file(`many/${String(index).padStart(5, '0')}.jpg`)))

const nobodyAnswers = () => Promise.reject(new Error('No one can answer.'))

describe('many files', () => {
  itInLongSuite('are reported in small batches with progress, without blocking the event loop', async () => {
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

  itInLongSuite('are no longer reported once the scan is canceled', async () => {
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
  ] as const)('beyond the limit wait for the user’s choice: %s', async (answer, expected) => {
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

  it('beyond the limit are all added if no one can be asked', async () => {
    await many(300)
    expect((await all([join(root, 'many')], { cap: 100 })).items).toHaveLength(300)
  })

  it('up to the limit are added without asking', async () => {
    await many(100)
    expect((await all([join(root, 'many')], { cap: 100, ask: nobodyAnswers })).items).toHaveLength(100)
  })
})

describe('paths among arguments', () => {
  it('may be file URLs or plain paths, which are relative to the caller’s folder', () => {
    const url = pathToFileURL('/photos/ä b#1.jpg').href
    expect(pathsFromArguments(['a.jpg', '/b.jpg', url], '/home/ada').paths).toEqual([
      '/home/ada/a.jpg',
      '/b.jpg',
      '/photos/ä b#1.jpg',
    ])
  })

  it('exclude options before -- and URLs that aren’t file URLs', () => {
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

  it('exclude file URLs of other computers, which are reported as missing', () => {
    expect(pathsFromArguments(['file://other-host/a.jpg'], '/w').rejected).toMatchObject([
      { path: 'file://other-host/a.jpg', name: 'a.jpg', reason: 'missing' },
    ])
  })
})
