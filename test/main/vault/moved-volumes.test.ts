/** Folders that move to another disk, disks that are mounted elsewhere, and folders that are renamed, after originals were replaced. */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { firstOf, isLongSuite } from '../../faults/long-suite.ts'
import { withFault } from '../../faults/vault/failing-steps.ts'
import { filesIn } from '../../faults/vault/photo-contents.ts'
import {
  createWorld,
  isRoot,
  it,
  itInLongSuite,
  ORIGINAL,
  RESULT,
  TAKEN_AT,
  type World,
} from './vault-fixture.ts'

/** `npm test` samples the steps. */
const STRIDE = isLongSuite ? 1 : 11
function mount(folder: string, ...args: readonly string[]): () => void {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', [...args, folder])
  let isThere = true
  const unmount = (): void => {
    if (isThere) execFileSync('umount', ['--lazy', folder])
    isThere = false
  }
  onTestFinished(unmount)
  return unmount
}

const mountDisk = (folder: string): (() => void) => mount(folder, '-t', 'tmpfs', 'tmpfs')

type Three = [string, string, string]

/** Moves a folder to another disk that is mounted at the same path. */
function moveToOtherDisk(folder: string): void {
  renameSync(folder, `${folder}-before`)
  mountDisk(folder)
  cpSync(`${folder}-before`, folder, { recursive: true, preserveTimestamps: true })
  rmSync(`${folder}-before`, { recursive: true })
}

const contents = (...folders: readonly string[]): readonly string[] =>
  filesIn(folders)
    .map(({ content }) => content)
    .filter((content) => content === ORIGINAL || content === RESULT)
    .toSorted()

async function expectRestored({ vault }: World, output: string, path: string): Promise<void> {
  await vault().undo(output)
  expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
}

describe.runIf(isRoot)('after the folder has moved to another disk', () => {
  it('its vault is in the root of that disk, even if a link leads to the folder', async ({ world }) => {
    const disk = join(world.root, 'disk')
    mountDisk(disk)
    mkdirSync(join(disk, 'pictures', 'photos'), { recursive: true })
    rmSync(world.photos, { recursive: true })
    symlinkSync(join(disk, 'pictures', 'photos'), world.photos)
    const path = world.at('a.jpg')
    const output = await world.replace(path)
    expect(dirname(dirname(dirname(output)))).toBe(disk)
    await world.vault().undo(output)
    expect(readdirSync(join(disk, 'pictures', 'photos'))).toEqual(['a.jpg'])
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
  })

  itInLongSuite(
    'an original is restored with its date and permissions, and can be replaced again',
    async ({ world }) => {
      const path = world.at('a.heic')
      const output = await world.replace(path, '.jpg')
      moveToOtherDisk(world.photos)
      await expect(world.vault().undo(output)).resolves.toEqual([{ path, kind: 'restored', place: path }])
      expect(readdirSync(world.photos).filter((name) => !name.startsWith('.'))).toEqual(['a.heic'])
      expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
      expect(statSync(path).mode & 0o777).toBe(0o640)
      expect(statSync(path).mtime).toEqual(TAKEN_AT)

      await expect(world.vault().redo(output)).resolves.toMatchObject([{ kind: 'restored' }])
      expect(readFileSync(world.at('a.jpg'), 'utf8')).toBe(RESULT)
      await world.vault().undo(output)
      expect(contents(world.home)).toEqual([ORIGINAL, RESULT])
      await expect(world.vault().totals()).resolves.toMatchObject({ files: 1, unlisted: [] })
      await world.passDays(32)
      expect(contents(world.home)).toEqual([ORIGINAL])
    },
  )

  itInLongSuite('a restored original can be replaced again', async ({ world }) => {
    const path = world.at('a.heic')
    const output = await world.replace(path, '.jpg')
    await world.vault().undo(output)
    moveToOtherDisk(world.photos)
    await expect(world.vault().redo(output)).resolves.toMatchObject([{ kind: 'restored' }])
    expect(readFileSync(world.at('a.jpg'), 'utf8')).toBe(RESULT)
    await expectRestored(world, output, path)
  })

  itInLongSuite(
    'an ended job still replaces its original, or puts the result next to a changed one',
    async ({ world }) => {
      const [path, changed] = [world.at('a.jpg'), world.at('b.jpg')]
      const [job, other] = [await world.prepare(path), await world.prepare(changed)]
      writeFileSync(changed, 'edited')
      moveToOtherDisk(world.photos)
      for (const { replaceAll } of [job, other]) await replaceAll()
      expect(readFileSync(path, 'utf8')).toBe(RESULT)
      expect(readFileSync(world.at('b (2).jpg'), 'utf8')).toBe(RESULT)
      await world.vault().undo(job.output)
      expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
    },
  )

  itInLongSuite('an original is restored through a bind mount on the same disk', async ({ world }) => {
    const path = world.at('a.jpg')
    const output = await world.replace(path)
    const moved = join(world.root, 'moved')
    renameSync(world.photos, moved)
    mount(world.photos, '--bind', moved)
    await expectRestored(world, output, path)
  })

  itInLongSuite(
    'a full disk or an error at any step loses nothing, and the next attempt restores',
    async () => {
      for (const code of firstOf(['ENOSPC', 'EIO'])) {
        let hasFailed = true
        for (let step = 1; hasFailed; step += STRIDE) {
          const world = createWorld()
          const path = world.at('a.heic')
          const output = await world.replace(path, '.jpg')
          moveToOtherDisk(world.photos)
          const undo = () => world.vault().undo(output)
          hasFailed = await withFault({ kind: 'error', step, code }, () => undo().catch(() => undefined))
          const which = `${code}, step ${step}`
          expect(contents(world.home), which).toEqual(expect.arrayContaining([ORIGINAL, RESULT]))
          await world.vault().recover()
          await undo()
          expect(existsSync(path) && readFileSync(path, 'utf8'), which).toBe(ORIGINAL)
          expect(contents(world.home), which).toEqual([ORIGINAL, RESULT])
        }
      }
    },
  )

  itInLongSuite('a kill at any step loses nothing, and the next run finishes', async () => {
    let happened = true
    for (let step = 1; happened; step += STRIDE) {
      const world = createWorld()
      const path = world.at('a.heic')
      const output = await world.replace(path, '.jpg')
      moveToOtherDisk(world.photos)
      happened = await withFault({ kind: 'kill', step }, () => world.vault().undo(output))
      expect(contents(world.home), `step ${step}`).toEqual(expect.arrayContaining([ORIGINAL]))
      await world.reopen()
      await world.vault().recover()
      await world.vault().undo(output)
      expect(readFileSync(path, 'utf8'), `step ${step}`).toBe(ORIGINAL)
      expect(contents(world.home), `step ${step}`).toEqual([ORIGINAL, RESULT])
      await world.passDays(3)
      await expect(world.vault().totals()).resolves.toMatchObject({ files: 1, unlisted: [] })
    }
  })
})

describe.runIf(isRoot)('a volume that is mounted elsewhere', () => {
  it('is found, even while another one is mounted where it was', async ({ world }) => {
    const [disk, first, second] = ['disk', 'first', 'second'].map((name) => join(world.root, name)) as Three
    const unmountDisk = mountDisk(disk)
    const unmountFirst = mount(first, '--bind', disk)
    const path = join(first, 'photos', 'a.heic')
    const output = await world.replace(path, '.jpg')
    const waiting = await world.prepare(join(first, 'photos', 'b.jpg'))
    unmountFirst()
    mount(second, '--bind', disk)
    unmountDisk()
    mountDisk(first)
    mkdirSync(join(first, 'photos'))
    await world.reopen()
    await world.vault().recover()
    const place = join(second, 'photos', 'a.heic')
    await expect(world.vault().undo(output)).resolves.toEqual([{ path, kind: 'restored', place }])
    expect(readFileSync(place, 'utf8')).toBe(ORIGINAL)
    await waiting.replaceAll()
    expect(readFileSync(join(second, 'photos', 'b.jpg'), 'utf8')).toBe(RESULT)
    expect(readdirSync(join(first, 'photos'))).toEqual([])
  })

  itInLongSuite(
    'isn’t exchanged for its backup for longer than it is away, even if an undo has used the backup',
    async () => {
      for (const isUsed of [false, true]) {
        const world = createWorld()
        const [disk, backup, store] = ['disk', 'backup', 'store'].map((name) =>
          join(world.root, name),
        ) as Three
        mkdirSync(store)
        const unmount = mount(disk, '--bind', store)
        const path = join(disk, 'photos', 'a.jpg')
        const output = await world.replace(path)
        unmount()
        const copy = join(world.root, 'copy')
        cpSync(store, copy, { recursive: true, preserveTimestamps: true })
        mount(backup, '--bind', copy)
        renameSync(store, join(world.root, 'unplugged'))
        await world.vault().recover()
        if (isUsed) {
          const place = join(backup, 'photos', 'a.jpg')
          await expect(world.vault().undo(output)).resolves.toEqual([{ path, kind: 'restored', place }])
        }
        mount(disk, '--bind', join(world.root, 'unplugged'))
        await world.vault().recover()
        await expect(world.vault().undo(output)).resolves.toEqual([{ path, kind: 'restored', place: path }])
        expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
        expect(readFileSync(join(copy, 'photos', 'a.jpg'), 'utf8')).toBe(isUsed ? ORIGINAL : RESULT)
      }
    },
  )

  itInLongSuite('is found with another device number', async ({ world }) => {
    const disk = join(world.root, 'disk')
    const path = join(disk, 'a.jpg')
    const unmount = mountDisk(disk)
    const output = await world.replace(path)
    const aside = join(world.root, 'aside')
    cpSync(disk, aside, { recursive: true })
    unmount()
    mountDisk(join(world.root, 'another'))
    mountDisk(disk)
    cpSync(aside, disk, { recursive: true })
    await world.reopen()
    await world.vault().recover()
    await expectRestored(world, output, path)
  })

  itInLongSuite(
    'that isn’t mounted anymore is named, and nothing is created at its path',
    async ({ world }) => {
      const [disk, bound] = [join(world.home, 'disk'), join(world.home, 'bound')]
      mkdirSync(disk)
      const unmount = mount(bound, '--bind', disk)
      const path = join(bound, 'a.jpg')
      const output = await world.replace(path)
      unmount()
      const hidden = join(world.root, 'hidden')
      renameSync(disk, hidden)
      await world.vault().recover()
      await expect(world.vault().undo(output)).resolves.toEqual([
        { path, kind: 'failed', why: 'away', folder: dirname(dirname(output)) },
      ])
      await world.passDays(40)
      await world.vault().empty()
      expect(readdirSync(bound)).toEqual([])
      renameSync(hidden, disk)
      mount(bound, '--bind', disk)
      await expectRestored(world, output, path)
    },
  )
})

describe('after a rename', () => {
  it('of the home folder, originals are found', async ({ world }) => {
    const output = await world.replace(world.at('a.heic'), '.jpg')
    const home = join(world.root, 'renamed')
    await world.reopen(() => {
      renameSync(world.home, home)
      return home
    })
    await world.vault().recover()
    const [found] = await world.vault().inFolder(join(home, 'photos'), 'replaced')
    expect(found?.output).toBe(output)
    await world.vault().undo(output)
    expect(contents(join(home, 'photos'))).toEqual([ORIGINAL])
    expect(existsSync(world.home)).toBe(false)
  })

  itInLongSuite(
    'of the home folder, an ended job still replaces its original, even if the disk fails while the vault is looked for',
    async () => {
      for (let [step, happened] = [1, true]; happened; step += STRIDE) {
        const world = createWorld()
        await world.replace(world.at('a.jpg'))
        const { output, replaceAll } = await world.prepare(world.at('b.jpg'))
        const home = join(world.root, 'renamed')
        await world.reopen(() => {
          renameSync(world.home, home)
          return home
        })
        const recover = () => world.vault().recover()
        happened = await withFault({ kind: 'error', step, code: 'EIO', within: home }, recover)
        await recover()
        await replaceAll()
        expect(world.vault().of(output), `step ${step}`).toMatchObject([
          { state: { kind: 'replaced', place: join(home, 'photos', 'b.jpg') } },
        ])
      }
    },
  )

  itInLongSuite(
    'of the vault, its folder is named, and the original is restored once it is back',
    async ({ world }) => {
      const path = world.at('a.jpg')
      const output = await world.replace(path)
      const vault = dirname(dirname(output))
      renameSync(vault, join(world.home, 'old photos'))
      await world.vault().recover()
      await expect(world.vault().undo(output)).resolves.toEqual([
        { path, kind: 'failed', why: 'away', folder: vault },
      ])
      await world.passDays(40)
      renameSync(join(world.home, 'old photos'), vault)
      await expectRestored(world, output, path)
    },
  )

  itInLongSuite(
    'of the folder that has the vault, the vault is found next to its old path, or near a path that is named',
    async () => {
      for (const isNear of [true, false]) {
        const world = createWorld()
        const output = await world.replace(world.at('a.jpg'))
        const vault = dirname(dirname(output))
        const from = join(world.root, 'volume', 'one')
        mkdirSync(from, { recursive: true })
        renameSync(vault, join(from, parse(vault).base))
        await world.vault().recover(join(from, 'photos', 'a.jpg'))
        const to = join(world.root, ...(isNear ? ['volume', 'two'] : ['far', 'away']))
        mkdirSync(dirname(to), { recursive: true })
        renameSync(from, to)
        if (!isNear) rmSync(join(world.root, 'volume'), { recursive: true })
        await world.vault().recover(isNear ? undefined : join(to, 'photos'))
        await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind: 'restored' }])
      }
    },
  )
})

describe('the user may name', () => {
  it('the file that replaced an original, also after it was moved', async ({ world }) => {
    const path = world.at('pic.bmp')
    const output = await world.replace(path, '.jpg')
    const [named, moved] = [world.at('pic.jpg'), join(world.home, 'elsewhere.jpg')]
    await expect(world.vault().inFolder(named, 'replaced')).resolves.toEqual([{ output, paths: [path] }])
    renameSync(named, moved)
    await expect(world.vault().inFolder(moved, 'replaced')).resolves.toEqual([{ output, paths: [path] }])
    await expect(world.vault().inFolder(join(world.home, 'other.jpg'), 'replaced')).resolves.toEqual([])
  })

  itInLongSuite(
    'a moved file that replaced an original, without the originals of files with the same content',
    async ({ world }) => {
      const [first, second] = [world.at('a.jpg'), world.at('b.jpg')]
      const outputs = [await world.replace(first), await world.replace(second)]
      const moved = join(world.home, 'moved.jpg')
      for (const [index, path] of [first, second].entries()) {
        renameSync(path, moved)
        await expect(world.vault().inFolder(moved, 'replaced')).resolves.toEqual([
          { output: outputs[index], paths: [path] },
        ])
        renameSync(moved, path)
      }
      renameSync(first, moved)
      renameSync(second, join(world.home, 'b.jpg'))
      await expect(world.vault().inFolder(moved, 'replaced')).resolves.toEqual([
        { output: outputs[0], paths: [first] },
      ])
    },
  )

  it('not a copy of a file that replaced an original', async ({ world }) => {
    const path = world.at('a.jpg')
    await world.replace(path)
    const copy = join(world.home, 'copy.jpg')
    copyFileSync(path, copy)
    await expect(world.vault().inFolder(copy, 'replaced')).resolves.toEqual([])
  })

  it('a renamed folder of files that replaced originals, or one of its subfolders', async ({ world }) => {
    const [first, second] = [world.at('a.jpg'), join(world.photos, 'sea', 'a.jpg')]
    mkdirSync(dirname(second))
    const outputs = [await world.replace(first), await world.replace(second)]
    const renamed = join(world.home, 'renamed')
    renameSync(world.photos, renamed)
    const found = await world.vault().inFolder(renamed, 'replaced')
    expect(found.map(({ output }) => output).toSorted()).toEqual(outputs.toSorted())
    await expect(world.vault().inFolder(join(renamed, 'sea'), 'replaced')).resolves.toEqual([
      { output: outputs[1], paths: [second] },
    ])
    rmSync(join(renamed, 'sea', 'a.jpg'))
    await expect(world.vault().inFolder(renamed, 'replaced')).resolves.toEqual([
      { output: outputs[0], paths: [first] },
    ])
    await expect(world.vault().inFolder(join(world.home, 'empty'), 'replaced')).resolves.toEqual([])
  })

  it('an original by its own name, without those that were replaced by a file with that name', async ({
    world,
  }) => {
    await world.replace(world.at('pic.bmp'), '.jpg')
    const path = world.at('pic.jpg')
    const output = await world.replace(path)
    await expect(world.vault().inFolder(path, 'replaced')).resolves.toEqual([{ output, paths: [path] }])
  })

  it('a folder through a link, or without the link through which it was added', async ({ world }) => {
    const link = join(world.root, 'link')
    symlinkSync(world.photos, link)
    const [first, second] = [world.at('a.jpg'), join(link, 'b.jpg')]
    const outputs = [await world.replace(first), await world.replace(second)]
    for (const folder of [link, world.photos]) {
      const found = await world.vault().inFolder(folder, 'replaced')
      expect(found.map(({ output }) => output).toSorted()).toEqual(outputs.toSorted())
    }
    await expect(world.vault().inFolder(join(link, 'a.jpg'), 'replaced')).resolves.toHaveLength(1)
    await expect(world.vault().inFolder(world.at('b.jpg'), 'replaced')).resolves.toHaveLength(1)
  })
})
