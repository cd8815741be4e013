import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { isVaultOutput } from '../../../src/main/vault/index.ts'
import type { Replacement } from '../../../src/shared/model/replacement.ts'
import { failing, withFault, type Step } from '../../faults/vault/failing-steps.ts'
import { isGood } from '../../faults/vault/test-vault.ts'
import { firstOf, isLongSuite, describeInLongSuite } from '../../faults/long-suite.ts'
import { folderInMemory } from '../../temporary-folder.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'
import { createWorld, isRoot, it, itInLongSuite, ORIGINAL, RESULT, type World } from './vault-fixture.ts'

/** Prepares a job for one photo that it creates. */
async function prepareOne(world: World, name = 'a.jpg') {
  const path = world.photo(name)
  return { path, ...(await world.prepareAll([path])) }
}

async function replace(world: World, paths: readonly string[], content?: string) {
  const job = await world.prepareAll(paths, content)
  return { ...job, replacements: await job.replaceAll() }
}

/** Replaces one photo that it creates. */
async function replaceOne(world: World, name = 'a.jpg') {
  const path = world.photo(name)
  return { path, ...(await replace(world, [path])) }
}

const isLost = () => Promise.resolve('lost' as const)

/** The output folders of two jobs, in order. */
type Outputs = readonly [string, string]

const kindsOf = (replacements: readonly Replacement[]) => replacements.map(({ state }) => state.kind)
const whyKept = ([first]: readonly Replacement[]) =>
  first?.state.kind === 'kept' ? first.state.why : undefined

describe('replacing', () => {
  it('puts the result in the original’s place and the original into a folder that only the user can enter', async ({
    world,
  }) => {
    const { path, output, replacements } = await replaceOne(world)
    expect(replacements).toMatchObject([{ path, state: { kind: 'replaced', place: path } }])
    expect(readFileSync(path, 'utf8')).toBe(RESULT)
    const vault = dirname(dirname(output))
    expect(statSync(vault).mode & 0o777).toBe(0o700)
    expect(dirname(vault)).toBe(world.home)
    expect(isVaultOutput(output)).toBe(true)
    expect(new Set(world.placed)).toEqual(new Set([path]))
  })

  it('keeps an extension of the same format', async ({ world }) => {
    await replace(world, [world.photo('a.jpe'), world.photo('b.JFIF'), world.photo('c.heif')])
    expect(readdirSync(world.photos).toSorted()).toEqual(['a.jpe', 'b.JFIF', 'c.jpg'])
  })

  it('finds the originals in a folder, the last replacement of a file first', async ({ world }) => {
    mkdirSync(world.at('sea'))
    mkdirSync(world.at('sea 2'))
    const path = world.photo('sea/a.jpg')
    world.photo('sea 2/b.jpg')
    const first = await replace(world, [path])
    world.pass(1)
    const second = await replace(world, [path], 'short')
    await replace(world, [join(world.photos, 'sea 2', 'b.jpg')])
    const found = await world.vault().inFolder(world.at('sea'), 'replaced')
    expect(found).toEqual([
      { output: second.output, paths: [path] },
      { output: first.output, paths: [path] },
    ])
    for (const { output, paths } of found) await world.vault().undo(output, paths)
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
    const again = await world.vault().inFolder(path, 'restored')
    expect(again.map(({ output }) => output)).toEqual([first.output, second.output])
    for (const { output, paths } of again) await world.vault().redo(output, paths)
    expect(readFileSync(path, 'utf8')).toBe('short')
    await expect(world.vault().inFolder(world.photos, 'replaced')).resolves.toHaveLength(3)
  })

  it.for(
    firstOf([
      '2001-09-09T01:46:40Z',
      '1601-01-01T12:00:00Z',
      '1960-06-01T12:00:00.250Z',
      '1969-12-31T23:59:59.500Z',
      '2107-01-01T00:00:00Z',
    ]),
  )('keeps the date %s, and can be undone and redone by a later run', async (date, { world }) => {
    const path = world.photo('a.jpg')
    utimesSync(path, new Date(date), new Date(date))
    const { mtimeMs } = statSync(path)
    const { output, replacements } = await replace(world, [path])
    expect(kindsOf(replacements)).toEqual(['replaced'])
    expect(readFileSync(path, 'utf8')).toBe(RESULT)
    expect(statSync(path).mtimeMs).toBe(mtimeMs)
    for (const operation of ['undo', 'redo', 'undo'] as const) {
      await world.restart()
      await expect(world.vault()[operation](output)).resolves.toMatchObject([{ kind: 'restored' }])
      expect(readFileSync(path, 'utf8')).toBe(operation === 'undo' ? ORIGINAL : RESULT)
    }
    expect(statSync(path).mtimeMs).toBe(mtimeMs)
  })

  it('uses one vault for all folders of a volume', async ({ world }) => {
    const first = await replace(world, [world.photo('a.jpg')])
    mkdirSync(world.at('more'))
    const second = await replace(world, [world.photo('more/b.jpg')])
    expect(dirname(dirname(second.output))).toBe(dirname(dirname(first.output)))
    await expect(world.vault().totals()).resolves.toEqual({
      files: 2,
      bytes: 2 * ORIGINAL.length,
      vaults: [dirname(dirname(first.output))],
      away: 0,
      unrestored: [],
      unlisted: [],
    })
  })

  it('creates one vault for jobs that start at the same time', async ({ world }) => {
    const paths = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => world.photo(name))
    await Promise.all(paths.map((path) => world.vault().prepare([path])))
    expect(readdirSync(world.home).filter((name) => name.startsWith('.mediatray-vault-'))).toHaveLength(1)
  })

  itInLongSuite('never uses a folder that someone else prepared under a vault’s name', async ({ world }) => {
    const { output } = await replaceOne(world)
    const vault = dirname(dirname(output))
    rmSync(vault, { recursive: true })
    const elsewhere = join(world.home, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, vault)
    const again = await replace(world, [world.photo('b.jpg')])
    expect(dirname(dirname(again.output))).not.toBe(vault)
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

describe('an original keeps its place', () => {
  it('if it was edited while the job ran, and its result appears next to it, for no more users', async ({
    world,
  }) => {
    const path = world.photo('a.jpg')
    chmodSync(path, 0o600)
    const job = await world.prepareAll([path])
    writeFileSync(path, ORIGINAL.toUpperCase())
    const result = world.at('a (2).jpg')
    expect(await job.replaceAll()).toMatchObject([{ state: { kind: 'kept', why: 'changed', result } }])
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL.toUpperCase())
    expect(readFileSync(result, 'utf8')).toBe(RESULT)
    expect(statSync(result).mode & 0o777).toBe(0o600)
  })

  it('if it was edited and is processed again, and its result is deleted', async ({ world }) => {
    const { path, output, results } = await prepareOne(world)
    writeFileSync(path, ORIGINAL.toUpperCase())
    await world.vault().replaceAll(output, results, isGood, undefined, true)
    expect(world.vault().of(output)).toMatchObject([
      { state: { kind: 'kept', why: 'changed', result: null } },
    ])
    expect(readdirSync(world.photos)).toEqual(['a.jpg'])
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL.toUpperCase())
  })

  itInLongSuite.for(['before its turn', 'just before it is moved'])(
    'if it was moved away %s: it stays where it is, and its result doesn’t get its name',
    async (when, { world }) => {
      const { path, output, replaceAll } = await prepareOne(world)
      const moved = world.at('moved.jpg')
      if (when === 'before its turn') renameSync(path, moved)
      await withFault(undefined, replaceAll, ({ name, args }) => {
        if (name === 'rename' && args[0] === path && existsSync(path)) renameSync(path, moved)
      })
      const result = world.at('a (2).jpg')
      expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'kept', why: 'missing', result } }])
      expect([existsSync(path), readFileSync(moved, 'utf8')]).toEqual([false, ORIGINAL])
      expect(readFileSync(result, 'utf8')).toBe(RESULT)
    },
  )

  it('if it was edited without a trace in size and dates', async ({ world }) => {
    const path = world.photo('a.jpg')
    const { mtime, atime } = statSync(path)
    const job = await world.prepareAll([path])
    writeFileSync(path, ORIGINAL.replace('t', 'T'))
    utimesSync(path, atime, mtime)
    expect(whyKept(await job.replaceAll())).toBe('changed')
  })

  it('if another job has replaced it meanwhile, and the result, which may have been made from that job’s, is deleted', async ({
    world,
  }) => {
    const paths = [world.photo('a.jpg'), world.photo('b.heic')]
    const second = await world.prepareAll(paths, 'the result of a result')
    await replace(world, paths)
    expect(await second.replaceAll()).toMatchObject([
      { state: { kind: 'kept', why: 'changed', result: null } },
      { state: { kind: 'kept', why: 'missing', result: null } },
    ])
    expect(readdirSync(world.photos).toSorted()).toEqual(['a.jpg', 'b.jpg'])
  })

  it('if its result lost something, and its result appears next to it even if earlier jobs have replaced that file', async ({
    world,
  }) => {
    const path = world.photo('a.jpg')
    for (const content of ['a smaller result', 'smaller']) await replace(world, [path], content)
    const { output, results } = await world.prepareAll([path], 'lossy')
    const replacements = await world.vault().replaceAll(output, results, isLost)
    const result = world.at('a (2).jpg')
    expect(replacements).toMatchObject([{ state: { kind: 'kept', why: 'lost', result } }])
    expect([readFileSync(path, 'utf8'), readFileSync(result, 'utf8')]).toEqual(['smaller', 'lossy'])
  })

  itInLongSuite.for(['changed', 'missing'] as const)(
    'if it is a new photo with the name of one that was replaced, and is %s: its result appears next to it',
    async (why, { world }) => {
      const path = world.photo('a.heic')
      await replace(world, [path])
      world.photo('a.heic', 'the next photo with this name')
      const { replaceAll } = await world.prepareAll([path], 'the next result')
      if (why === 'changed') writeFileSync(path, 'edited')
      else rmSync(path)
      const result = world.at('a (2).jpg')
      expect(await replaceAll()).toMatchObject([{ state: { kind: 'kept', why, result } }])
      expect(readdirSync(world.photos)).toContain('a.jpg')
      expect(readFileSync(result, 'utf8')).toBe('the next result')
    },
  )

  itInLongSuite.each([
    ['nothing else happened', async () => undefined, null, 1],
    ['the second was undone', (world: World, [, second]: Outputs) => world.vault().undo(second), null, 1],
    [
      'both were undone',
      async (world: World, [first, second]: Outputs) => {
        await world.vault().undo(second)
        await world.vault().undo(first)
        writeFileSync(world.at('a.jpg'), 'edited')
      },
      'a (2).jpg',
      1,
    ],
    // The first one's original has expired by then, but not the second one's.
    ['the original expired', async () => undefined, null, 29],
  ] as const)(
    'if two jobs in a row have replaced it meanwhile, and %s: its result is deleted if one of theirs is there',
    async (_, then, name, days) => {
      const world = createWorld()
      const path = world.photo('a.jpg')
      const { output, replaceAll } = await world.prepareAll([path], 'may be made from a result')
      const first = await replace(world, [path], 'the first result'.repeat(2))
      await world.passDays(3, output)
      const second = await replace(world, [path], 'the second result')
      await world.passDays(days, output)
      await then(world, [first.output, second.output])
      await replaceAll()
      expect(kindsOf(world.vault().of(first.output)).includes('expired')).toBe(days > 1)
      const result = name && world.at(name)
      expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'kept', why: 'changed', result } }])
      expect(readdirSync(world.photos)).toHaveLength(name === null ? 1 : 2)
    },
  )

  it('if its result is missing, damaged or not smaller', async ({ world }) => {
    const paths = ['none.jpg', 'damaged.jpg', 'large.jpg'].map((name) => world.photo(name))
    const { output, results } = await world.prepareAll(paths)
    const [none = '', damaged = '', large = ''] = paths
    writeFileSync(results.get(damaged) ?? '', 'damaged')
    writeFileSync(results.get(large) ?? '', ORIGINAL)
    const made = new Map<string, string | undefined>([...results, [none, undefined]])
    const replacements = await world.vault().replaceAll(output, made, isGood)
    expect(replacements.map(({ state }) => state)).toMatchObject([
      { kind: 'kept', why: 'noResult' },
      { kind: 'kept', why: 'badResult' },
      { kind: 'kept', why: 'notSmaller', resultBytes: ORIGINAL.length },
    ])
    expect(readdirSync(world.photos).toSorted()).toEqual(['damaged.jpg', 'large.jpg', 'none.jpg'])
  })

  it('if it is read-only, a link, or one of several hard links', async ({ world }) => {
    const readOnly = world.photo('a.jpg')
    chmodSync(readOnly, 0o444)
    const target = world.photo('target.jpg')
    const link = world.at('b.jpg')
    symlinkSync(target, link)
    const linked = world.photo('c.jpg')
    linkSync(linked, join(world.home, 'c.jpg'))
    const { replacements } = await replace(world, [readOnly, link, linked])
    expect(replacements.map(({ state }) => state.kind === 'kept' && state.why)).toEqual([
      'readOnly',
      'link',
      'hardLink',
    ])
    expect(readFileSync(target, 'utf8')).toBe(ORIGINAL)
  })
})

describe('undoing', () => {
  it('restores the original to its own name if the replaced file was moved away', async ({ world }) => {
    const { path, output } = await replaceOne(world)
    rmSync(path)
    await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind: 'restored', place: path }])
  })

  it('restores an original that a program has changed in the vault through an open file', async ({
    world,
  }) => {
    const { path, output } = await replaceOne(world)
    writeFileSync(join(dirname(output), 'originals', 'a.jpg'), 'changed')
    await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind: 'restored', newer: true }])
    expect(readFileSync(path, 'utf8')).toBe('changed')
  })

  it('keeps both files if the replaced one was edited without a trace in size and dates', async ({
    world,
  }) => {
    const { path, output } = await replaceOne(world)
    const edited = editInvisibly(path)
    await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind: 'both' }])
    expect(readFileSync(path, 'utf8')).toBe(edited)
  })

  itInLongSuite.for([250, 255])(
    'restores originals with names of %i bytes, and replaces them again',
    async (bytes, { world }) => {
      const path = world.photo(`${'ä'.repeat((bytes - 5) / 2)}${bytes % 2 === 0 ? 'x' : ''}.heic`)
      const { output } = await replace(world, [path])
      for (const _ of [1, 2]) {
        await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind: 'restored', place: path }])
        expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
        await world.vault().redo(output)
      }
      const [replaced] = readdirSync(world.photos).filter((name) => name.endsWith('.jpg'))
      writeFileSync(join(world.photos, replaced ?? ''), 'edited')
      writeFileSync(path, 'another')
      await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind: 'both' }])
    },
  )

  itInLongSuite('restores the others if one fails unexpectedly, and reports that one', async ({ world }) => {
    const paths = [world.photo('a.jpg'), world.photo('b.jpg')]
    const { output } = await replace(world, paths)
    const [first] = readdirSync(join(dirname(output), 'originals'))
    // The first steps note that both are wanted.
    const fault = { kind: 'error', step: 3, code: 'EIO' } as const
    let changed: unknown
    await withFault(fault, async () => (changed = await world.vault().undo(output)))
    expect(first).toBe('a.jpg')
    expect(changed).toMatchObject([{ path: paths[0], kind: 'failed' }, { kind: 'restored' }])
  })

  itInLongSuite(
    'reports each file if the journal’s disk becomes full, and works when there is space again',
    async ({ world }) => {
      const paths = [world.photo('a.jpg'), world.photo('b.jpg')]
      const { output } = await replace(world, paths)
      let isFull = false
      let undone: unknown
      await withFault(
        undefined,
        async () => (undone = await world.vault().undo(output)),
        ({ name, args }) => {
          isFull ||= name === 'link' && args[1] === paths[1]
          if (isFull && name === 'run')
            throw Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
        },
      )
      expect(undone).toMatchObject([
        { path: paths[0], kind: 'restored' },
        { path: paths[1], kind: 'failed', why: 'dataFull' },
      ])
      await world.restart()
      expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual([ORIGINAL, ORIGINAL])
    },
  )

  itInLongSuite.for(['file', 'broken link'])(
    'names the reason if the original’s folder is a %s now, and works later',
    async (kind, { world }) => {
      const { path, output } = await replaceOne(world)
      renameSync(world.photos, join(world.home, 'renamed'))
      if (kind === 'file') writeFileSync(world.photos, 'x')
      else symlinkSync('nowhere', world.photos)
      await expect(world.vault().undo(output)).resolves.toEqual([{ path, kind: 'failed', why: 'noFolder' }])
      rmSync(world.photos)
      await expect(world.vault().undo(output)).resolves.toMatchObject([{ place: path }])
      expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
    },
  )

  itInLongSuite.skipIf(process.platform === 'win32')(
    'gives folders that it creates again the permissions and the owner that they had, also after a kill',
    async () => {
      for (const isKilled of [false, true]) {
        const world = createWorld()
        const above = world.at('private')
        const folder = join(above, 'in')
        mkdirSync(folder, { recursive: true })
        if (isRoot) chownSync(folder, 1234, 4321)
        chmodSync(folder, 0o2750)
        chmodSync(above, 0o700)
        const path = join(folder, 'a.jpg')
        writeFileSync(path, ORIGINAL)
        const rights = () =>
          [above, folder].map((one) => {
            const { mode, uid, gid } = statSync(one)
            return { mode, uid, gid }
          })
        const before = rights()
        const job = await world.prepareAll([path])
        if (isKilled)
          for (let step = 1; existsSync(path); step++) await withFault({ kind: 'kill', step }, job.replaceAll)
        else await job.replaceAll()
        renameSync(above, join(world.home, 'renamed'))
        if (isKilled) await world.restart(true)
        else await world.vault().undo(job.output)
        expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
        expect(rights()).toEqual(before)
      }
    },
  )

  it('creates the folder of an original again if it was renamed', async ({ world }) => {
    const { path, output } = await replaceOne(world)
    const renamed = join(world.home, 'renamed')
    renameSync(world.photos, renamed)
    await expect(world.vault().undo(output)).resolves.toEqual([{ path, kind: 'restored', place: path }])
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
    expect(readFileSync(join(renamed, 'a.jpg'), 'utf8')).toBe(RESULT)
  })

  it('reports that the original is gone if someone has emptied the vault', async ({ world }) => {
    const { output } = await replaceOne(world)
    rmSync(join(dirname(output), 'originals'), { recursive: true })
    await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind: 'failed', why: 'gone' }])
  })
})

/** Lets so much time pass that everything expires that may. */
const passExpiry = (world: World): Promise<void> => world.passDays(31)

/** An original is kept for some days, and has expired some days later. */
async function expectExpiry(world: World, output: string, kept: number, later: number): Promise<void> {
  await world.passDays(kept)
  expect(kindsOf(world.vault().of(output))).toEqual(['replaced'])
  await world.passDays(later)
  expect(kindsOf(world.vault().of(output))).toEqual(['expired'])
}

describe('expiry', () => {
  it('deletes originals after the chosen time', async ({ world }) => {
    const { path, output } = await replaceOne(world)
    await expectExpiry(world, output, 30, 1)
    expect(existsSync(dirname(output))).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe(RESULT)
  })

  it.for(firstOf([31, 1, 4_000, 60, 45]))(
    'keeps an original for the whole time if the clock was %i days behind when it was replaced',
    async (days, { world }) => {
      world.pass(-days * DAY_MS)
      const { output } = await replaceOne(world)
      world.pass(days * DAY_MS)
      await world.restart()
      await expectExpiry(world, output, 29, 2)
    },
  )

  it.for(firstOf([31, 1, 4_000, 60, 45]))(
    'keeps an original for the whole time while the clock is %i days ahead',
    async (days, { world }) => {
      const { output } = await replaceOne(world)
      world.pass(days * DAY_MS)
      await world.passDays(28)
      world.pass(-days * DAY_MS)
      await world.restart()
      await expectExpiry(world, output, 1, 4)
    },
  )

  itInLongSuite(
    'keeps an original for the whole time if the clock is behind at every start',
    async ({ world }) => {
      const { output } = await replaceOne(world)
      for (let day = 0; day < 29; day++) {
        world.pass(DAY_MS / 3)
        for (let start = 0; start < (isLongSuite ? 3 : 1); start++) {
          for (const wrong of [-500, 500]) {
            world.pass(wrong * DAY_MS)
            await world.restart()
          }
        }
        world.pass((2 * DAY_MS) / 3)
      }
      expect(kindsOf(world.vault().of(output))).toEqual(['replaced'])
    },
  )

  itInLongSuite('never deletes an original that couldn’t be restored', async ({ world }) => {
    const { path, output } = await replaceOne(world)
    const isMove = ({ name, args }: Step) => name === 'link' || (name === 'rename' && args[0] === path)
    await failing(isMove, 'EACCES', () => world.vault().undo(output))
    expect(readFileSync(path, 'utf8')).toBe(RESULT)
    await world.passDays(100)
    await world.vault().undo(output)
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
  })

  itInLongSuite('never deletes an original whose undo was killed and can’t be finished', async () => {
    for (let step = 1, isKilled = true; isKilled; step += isLongSuite ? 1 : 5) {
      const world = createWorld()
      const { path, output } = await replaceOne(world)
      isKilled = await withFault({ kind: 'kill', step }, () => world.vault().undo(output))
      // It first notes that the user wants the original back.
      const isBegun = step > 1
      const isMove = ({ name, args }: Step) => ['link', 'rename'].includes(name) && args.includes(path)
      await failing(isMove, 'EACCES', () => world.restart())
      if (isBegun) await world.passDays(40)
      if (isBegun) await world.vault().empty()
      await world.vault().undo(output)
      expect(readFileSync(path, 'utf8'), `killed at step ${step}`).toBe(ORIGINAL)
    }
  })

  itInLongSuite(
    'never deletes any original that a killed undo named, whether or not it had reached it',
    async () => {
      for (let step = 1, isKilled = true; isKilled; step += isLongSuite ? 3 : 13) {
        const world = createWorld()
        const paths = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => world.photo(name))
        const { output } = await replace(world, paths)
        isKilled = await withFault({ kind: 'kill', step }, () => world.vault().undo(output))
        await world.restart()
        // It first notes which originals the user wants back.
        if (step > 1) {
          await world.passDays(40)
          await world.vault().empty()
        }
        await world.vault().undo(output)
        for (const path of paths) expect(readFileSync(path, 'utf8'), `killed at step ${step}`).toBe(ORIGINAL)
      }
    },
  )

  itInLongSuite.for([false, true])(
    'never deletes an original whose replacement is gone (another photo has its name: %s)',
    async (isTaken, { world }) => {
      const { path, output } = await replaceOne(world)
      rmSync(path)
      if (isTaken) world.photo('a.jpg', 'another one')
      for (let n = 0; n < 3; n++) {
        world.pass(40 * DAY_MS)
        await world.restart()
      }
      await passExpiry(world)
      const kind = isTaken ? 'both' : 'restored'
      await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind }])
      expect(readFileSync(isTaken ? world.at('a (original).jpg') : path, 'utf8')).toBe(ORIGINAL)
    },
  )

  itInLongSuite('deletes the original of a file that was replaced twice', async ({ world }) => {
    const path = world.photo('a.jpg')
    const first = await replace(world, [path])
    const second = await replace(world, [path], 'short')
    await passExpiry(world)
    expect(kindsOf(world.vault().of(first.output))).toEqual(['expired'])
    expect(kindsOf(world.vault().of(second.output))).toEqual(['expired'])
  })

  itInLongSuite.each([
    ['expires', passExpiry],
    ['is emptied', (world: World) => world.vault().empty()],
  ])(
    'keeps an original that a program changed in the vault next to its result when the vault %s, even without a trace in size and dates',
    async (_, end) => {
      for (const edit of [(path: string) => writeFileSync(path, 'saved once more'), editInvisibly]) {
        const world = createWorld()
        const { path, output } = await replaceOne(world)
        const kept = join(dirname(output), 'originals', 'a.jpg')
        edit(kept)
        const edited = readFileSync(kept, 'utf8')
        await end(world)
        const place = world.at('a (original).jpg')
        expect(world.released).toEqual([place])
        expect([readFileSync(place, 'utf8'), readFileSync(path, 'utf8')]).toEqual([edited, RESULT])
        expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'restored', place, again: false } }])
        await expect(world.vault().totals()).resolves.toMatchObject({ files: 0 })
        expect(existsSync(dirname(output))).toBe(false)
      }
    },
  )

  itInLongSuite(
    'keeps a result that a program changed in the vault after its original was restored',
    async ({ world }) => {
      const { path, output } = await replaceOne(world, 'a.heic')
      await world.vault().undo(output)
      writeFileSync(join(dirname(output), 'replaced', '1 a.jpg'), 'saved once more')
      await passExpiry(world)
      const place = world.at('a.jpg')
      expect(world.released).toEqual([place])
      expect(readFileSync(place, 'utf8')).toBe('saved once more')
      expect(world.vault().of(output)).toMatchObject([
        { state: { kind: 'restored', place: path, again: false } },
      ])
    },
  )

  it('never happens if the user keeps originals forever, even if the settings get lost, and emptying the vault deletes them', async ({
    world,
  }) => {
    world.keepFor(null)
    const { output } = await replaceOne(world)
    await world.restart()
    world.loseChoice({ from: 'default', days: 30 })
    expect(world.vault().keepDays()).toBe(null)
    await passExpiry(world)
    world.loseChoice({ from: 'default', days: 30 })
    await passExpiry(world)
    expect(kindsOf(world.vault().of(output))).toEqual(['replaced'])
    await world.vault().empty()
    expect(kindsOf(world.vault().of(output))).toEqual(['expired'])
    await expect(world.vault().totals()).resolves.toMatchObject({ files: 0, bytes: 0 })
  })

  itInLongSuite('deletes the others if one can’t be deleted', async ({ world }) => {
    const { output } = await replace(world, [world.photo('a.jpg'), world.photo('b.jpg')])
    const undeletable = join(dirname(output), 'originals', 'a.jpg')
    rmSync(undeletable)
    mkdirSync(undeletable)
    await world.vault().empty()
    expect(kindsOf(world.vault().of(output))).toEqual(['replaced', 'expired'])
    await expect(world.vault().totals()).resolves.toMatchObject({ files: 1 })
    await replace(world, [world.photo('c.jpg')])
    await passExpiry(world)
    await expect(world.vault().totals()).resolves.toMatchObject({ files: 1 })
  })

  itInLongSuite('forgets a job that was never sent, with its folder', async ({ world }) => {
    const { output } = await world.prepareAll([world.photo('a.jpg')])
    rmSync(output, { recursive: true })
    await world.restart()
    expect(kindsOf(world.vault().of(output))).toEqual(['waiting'])
    world.pass(DAY_MS)
    await world.restart()
    expect(world.vault().of(output)).toEqual([])
    expect(existsSync(dirname(output))).toBe(false)
  })
})

/** Replaces an original until the moment in which it is in the vault and its result isn't in its place yet. */
async function killed(world: World) {
  let [step, between] = [0, 0]
  const before = await prepareOne(world, 'before.jpg')
  await withFault(undefined, before.replaceAll, ({ name }) => {
    if (name === 'link') between = step
    if (name !== 'exec') step += 1
  })
  await world.vault().undo(before.output)
  await world.vault().empty()
  const { path, output, replaceAll } = await prepareOne(world)
  const original = join(dirname(output), 'originals', 'a.jpg')
  await withFault({ kind: 'kill', step: between }, replaceAll)
  expect([existsSync(path), existsSync(original)]).toEqual([false, true])
  return { path, output }
}

describe('after a kill between two moves', () => {
  it('counts and finds the original, and finishes the swap on request', async ({ world }) => {
    const { path, output } = await killed(world)
    await expect(world.vault().totals()).resolves.toMatchObject({ files: 1, bytes: ORIGINAL.length })
    await expect(world.vault().inFolder(world.photos, 'replaced')).resolves.toEqual([
      { output, paths: [path] },
    ])
    await world.vault().recover()
    expect(readFileSync(path, 'utf8')).toBe(RESULT)
  })

  itInLongSuite('counts the days of the original from the end of the swap', async ({ world }) => {
    const { output } = await killed(world)
    world.pass(40 * DAY_MS)
    await expectExpiry(world, output, 29, 2)
  })

  itInLongSuite(
    'reports the original that an interrupted undo restored, whether recovery or the next undo finishes it',
    async () => {
      for (const isRecovered of [true, false]) {
        const world = createWorld()
        const { path, output } = await replaceOne(world)
        for (let step = 1; existsSync(path); step++)
          await withFault({ kind: 'kill', step }, () => world.vault().undo(output))
        const file = { path, kind: 'restored', place: path }
        if (isRecovered)
          await expect(world.vault().recover()).resolves.toEqual([{ output, became: 'restored', file }])
        else await expect(world.vault().undo(output)).resolves.toEqual([file])
        expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
        await expect(world.vault().recover()).resolves.toEqual([])
      }
    },
  )

  itInLongSuite('finishes the swap when the vault is emptied, and keeps that original', async ({ world }) => {
    const { path, output } = await killed(world)
    await world.vault().empty()
    expect(readFileSync(path, 'utf8')).toBe(RESULT)
    expect(kindsOf(world.vault().of(output))).toEqual(['replaced'])
  })

  itInLongSuite(
    'returns the original to its path if its folder was renamed meanwhile, and the result appears next to it',
    async ({ world }) => {
      const { path, output } = await killed(world)
      renameSync(world.photos, join(world.home, 'renamed'))
      await world.vault().recover()
      expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
      const result = world.at('a (2).jpg')
      expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'kept', result } }])
      expect(readFileSync(result, 'utf8')).toBe(RESULT)
    },
  )
})

/** Changes a file's content, but not its size, its dates or its inode. */
function editInvisibly(path: string): string {
  const { atime, mtime } = statSync(path)
  const edited = readFileSync(path, 'utf8').toUpperCase()
  writeFileSync(path, edited)
  utimesSync(path, atime, mtime)
  return edited
}

/** Prepares an operation for photos that it creates. */
async function begin(operation: 'replacing' | 'undoing', ...names: readonly string[]) {
  const world = createWorld(folderInMemory())
  const paths = names.map((name) => world.photo(name))
  const job = await world.prepareAll(paths)
  if (operation === 'undoing') await job.replaceAll()
  const run = operation === 'undoing' ? () => world.vault().undo(job.output) : job.replaceAll
  return { world, job, run }
}

describeInLongSuite('at every step', () => {
  it.each(['ENOSPC', 'EIO', 'EACCES', 'EXDEV', 'EBUSY'])(
    'survives %s, and the next run leaves whole files',
    async (code) => {
      // Errors other than a full disk take the same way.
      const stride = isLongSuite ? 1 : code === 'ENOSPC' ? 17 : 47
      for (const operation of ['replacing', 'undoing'] as const) {
        let happened = true
        for (let step = 1; happened; step += stride) {
          const { world, job, run } = await begin(operation, 'a.heic', 'b.jpg')
          happened = await withFault({ kind: 'error', step, code }, run)
          await world.restart(true)
          const which = `${operation}, step ${step}`
          await job.replaceAll()
          await world.vault().undo(job.output)
          const originals = readdirSync(world.photos).filter(
            (name) => readFileSync(world.at(name), 'utf8') === ORIGINAL,
          )
          // A result that can't be read counts as edited, so both files are kept.
          const names = originals.map((name) => name.replace(' (original)', '')).toSorted()
          expect(names, which).toEqual(['a.heic', 'b.jpg'])
          for (const name of readdirSync(world.photos))
            expect([ORIGINAL, RESULT], which).toContain(readFileSync(world.at(name), 'utf8'))
        }
      }
    },
  )

  it.each(['replacing', 'undoing'] as const)(
    'leaves an edit without a trace in its place if it came after a kill while %s',
    async (operation) => {
      let edits = 0
      let happened = true
      for (let step = 1; happened; step += isLongSuite ? 1 : 3) {
        const { world, job, run } = await begin(operation, 'a.jpg')
        const path = world.at('a.jpg')
        happened = await withFault({ kind: 'kill', step }, run)
        const before = operation === 'undoing' ? RESULT : ORIGINAL
        const isInPlace = existsSync(path) && readFileSync(path, 'utf8') === before
        const edited = isInPlace ? editInvisibly(path) : null
        await world.restart(true)
        await job.replaceAll()
        if (edited === null) continue
        edits += 1
        expect(readFileSync(path, 'utf8'), `step ${step}`).toBe(edited)
      }
      expect(edits).toBeGreaterThan(1)
    },
  )
})
