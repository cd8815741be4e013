/** Volumes and files that behave differently: other volumes, read-only and full ones, names without case, no hard links, locks. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { isLockedByProgram } from '../../../src/main/vault/file-use.ts'
import { fullDiskOf } from '../../../src/main/vault/vault-parts.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { firstOf, isLongSuite } from '../../faults/long-suite.ts'
import { failing, withFault, type Step } from '../../faults/vault/failing-steps.ts'
import { filesIn } from '../../faults/vault/photo-contents.ts'
import { smallVolume, type SmallVolume } from '../../faults/vault/small-volume.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'
import { contentsIn, createWorld, isRoot, it, itInLongSuite, ORIGINAL, RESULT } from './vault-fixture.ts'

/** Mounts a volume, which is removed after the vault has closed its journal. Call it before a world is created. */
function mountedVolume(): SmallVolume {
  const volume = smallVolume(temporaryFolder())
  if (volume === undefined) throw new Error('Nothing can be mounted.')
  onTestFinished(() => volume[Symbol.dispose]())
  volume.mount()
  return volume
}

/** Makes a file or a folder append-only (a) or immutable (i) until the test ends. @returns whether the file system can do that */
function protect(path: string, attribute: 'a' | 'i'): boolean {
  onTestFinished(() => void spawnSync('chattr', [`-${attribute}`, path]))
  return spawnSync('chattr', [`+${attribute}`, path]).status === 0
}

it.runIf(isRoot)('originals on another volume stay on it, and wait while it isn’t mounted', async () => {
  const volume = mountedVolume()
  const world = createWorld()
  const { vault } = world
  const path = join(volume.mounted, 'photos', 'a.jpg')
  const { output, replaceAll } = await world.prepare(path)
  expect(dirname(dirname(dirname(output)))).toBe(volume.mounted)

  volume.unmount()
  await replaceAll()
  expect(vault().of(output)).toMatchObject([{ state: { kind: 'waiting' } }])
  vault().markRecorded(output)
  expect(vault().unrecorded()).toEqual([output])
  volume.mount()
  await replaceAll()
  expect(readFileSync(path, 'utf8')).toBe(RESULT)

  volume.unmount()
  await expect(vault().undo(output)).resolves.toMatchObject([{ kind: 'failed', why: 'away' }])
  for (let n = 0; n < 3; n++) {
    world.pass(31 * DAY_MS)
    await vault().tidy(() => false)
  }
  await vault().empty()
  expect(readdirSync(volume.mounted)).toEqual([])
  volume.mount()
  await vault().undo(output)
  expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
})

itInLongSuite.runIf(isRoot)(
  'while another volume is mounted in its place, such as the next memory card, a volume counts as away',
  async () => {
    const volume = mountedVolume()
    const world = createWorld()
    const { vault } = world
    const photos = join(volume.mounted, 'photos')
    const [replaced, interrupted] = [join(photos, 'a.jpg'), join(photos, 'b.jpg')]
    const first = await world.prepare(replaced)
    await first.replaceAll()
    const second = await world.prepare(interrupted)
    const third = await world.prepare(join(photos, 'c.jpg'))
    for (let step = 1; existsSync(interrupted); step++)
      await withFault({ kind: 'kill', step }, second.replaceAll)
    expect(existsSync(interrupted)).toBe(false)
    volume.unmount()

    using another = smallDisk(volume.mounted, '1m')
    mkdirSync(photos)
    writeFileSync(replaced, 'another photo')
    await vault().recover()
    await third.replaceAll()
    expect(await vault().undo(first.output)).toMatchObject([{ kind: 'failed', why: 'away' }])
    expect(vault().of(second.output)).toMatchObject([{ state: { kind: 'waiting' } }])
    expect(vault().of(third.output)).toMatchObject([{ state: { kind: 'waiting' } }])
    await expect(vault().totals()).resolves.toMatchObject({ away: 1 })
    expect(contentsIn(photos)).toEqual({ 'a.jpg': 'another photo' })
    another?.takeAway()
    volume.mount()
    await vault().recover()
    expect(contentsIn(photos)).toEqual({ 'a.jpg': RESULT, 'b.jpg': RESULT, 'c.jpg': ORIGINAL })
    for (const { output } of [first, second]) await vault().undo(output)
    expect(contentsIn(photos)).toEqual({ 'a.jpg': ORIGINAL, 'b.jpg': ORIGINAL, 'c.jpg': ORIGINAL })
  },
)

it.runIf(isRoot)('a full disk stops replacing, and nothing has changed', async () => {
  const volume = mountedVolume()
  const world = createWorld(undefined, join(volume.files, '../data', 'state.db'))
  const path = join(volume.mounted, 'photos', 'a.heic')
  const { replaceAll } = await world.prepare(path)
  volume.fill()
  await expect(replaceAll()).rejects.toThrow()
  expect(contentsIn(dirname(path))).toEqual({ 'a.heic': ORIGINAL })
  volume.free()
  await replaceAll()
  expect(contentsIn(dirname(path))).toEqual({ 'a.jpg': RESULT })
})

itInLongSuite.runIf(isRoot)('a full disk of the journal stops replacing, and is named', async () => {
  const volume = mountedVolume()
  const data = join(volume.mounted, 'data')
  mkdirSync(data)
  const world = createWorld(undefined, join(data, 'state.db'))
  const { vault, photos } = world
  const { output, replaceAll } = await world.prepare(world.at('a.heic'))
  volume.fill()
  const error = await replaceAll().catch((thrown: unknown) => thrown)
  expect(fullDiskOf(error)).toBe('journal')
  expect(contentsIn(photos)).toEqual({ 'a.heic': ORIGINAL })
  volume.free()
  await replaceAll()
  expect(contentsIn(photos)).toEqual({ 'a.jpg': RESULT })
  volume.fill()
  await expect(vault().undo(output)).resolves.toMatchObject([{ kind: 'failed', why: 'dataFull' }])
  volume.free()
  await vault().undo(output)
  expect(contentsIn(photos)).toEqual({ 'a.heic': ORIGINAL })
})

it.runIf(isRoot)('a job can’t start in a read-only folder', async ({ world }) => {
  const folder = join(world.home, 'read-only')
  using disk = smallDisk(folder, '1m')
  writeFileSync(join(folder, 'a.jpg'), ORIGINAL)
  disk?.makeReadOnly()
  await expect(world.vault().prepare([join(folder, 'a.jpg')])).rejects.toMatchObject({ code: 'EROFS' })
})

itInLongSuite(
  'a file that is deleted while the originals are read doesn’t keep the others from being replaced',
  async ({ world }) => {
    const [kept, gone] = [join(world.home, 'a.jpg'), join(world.home, 'gone.jpg')]
    writeFileSync(kept, ORIGINAL)
    const { replaceAll } = await world.prepareAll([gone, kept])
    writeFileSync(gone, ORIGINAL)
    expect(await replaceAll()).toMatchObject([
      { path: gone, state: { kind: 'kept', why: 'changed' } },
      { path: kept, state: { kind: 'replaced' } },
    ])
  },
)

itInLongSuite.runIf(isRoot)(
  'a job can’t start in an append-only folder, and leaves nothing there',
  async ({ skip, world }) => {
    const path = world.photo('a.jpg')
    if (!protect(world.photos, 'a')) skip()
    await expect(world.vault().prepare([path])).rejects.toMatchObject({ code: 'EPERM' })
    expect(contentsIn(world.photos)).toEqual({ 'a.jpg': ORIGINAL })
    expect(readdirSync(world.home)).toEqual(['data', 'photos'])
  },
)

itInLongSuite.runIf(isRoot)(
  'a file that can’t leave its folder is kept, and doesn’t keep the others',
  async ({ skip, world }) => {
    const [locked, free] = [world.photo('a.jpg'), world.photo('b.jpg')]
    if (!protect(locked, 'i')) skip()
    await expect(world.vault().prepare([locked])).rejects.toMatchObject({ code: 'EPERM' })
    const { replaceAll } = await world.prepareAll([locked, free])
    await expect(replaceAll()).resolves.toMatchObject([
      { state: { kind: 'kept', why: 'readOnly' } },
      { state: { kind: 'replaced' } },
    ])
  },
)

itInLongSuite
  .runIf(isRoot)
  .for(['the home folder', 'the home folder, which has only subfolders,', 'the vault'])(
  'if %s is append-only, nothing is left in it, and originals are replaced through another vault',
  async (which, { world }) => {
    const path = world.at('a.jpg')
    let locked = world.home
    if (which === 'the vault') locked = dirname(dirname((await world.prepare(path)).output))
    else {
      writeFileSync(path, ORIGINAL)
      if (which === 'the home folder') writeFileSync(join(world.home, 'notes.txt'), 'x')
    }
    const hidden = () => readdirSync(locked).filter((name) => name !== 'data')
    const before = hidden()
    if (!protect(locked, 'a')) return
    const output = await world.vault().prepare([path])
    expect(output.startsWith(locked === world.home ? dirname(path) : world.home)).toBe(true)
    expect(output.startsWith(`${locked}/.`)).toBe(false)
    expect(hidden()).toEqual(before)
  },
)

it.for(firstOf(['kept', 'deleted']))(
  'an original that couldn’t be restored is named, and is %s as the user wants',
  async (what, { world }) => {
    const path = world.at('a.jpg')
    const output = await world.replace(path)
    await failing(
      ({ name }) => name === 'link' || name === 'rename',
      'EIO',
      async () => expect(await world.vault().undo(output)).toMatchObject([{ kind: 'failed' }]),
    )
    await expect(world.vault().totals()).resolves.toMatchObject({
      unrestored: [{ path, bytes: ORIGINAL.length }],
    })
    await world.vault().empty(what === 'deleted')
    await expect(world.vault().totals()).resolves.toMatchObject({ files: what === 'kept' ? 1 : 0 })
    await world.vault().undo(output)
    expect(readFileSync(path, 'utf8')).toBe(what === 'kept' ? ORIGINAL : RESULT)
  },
)

it('a job can’t start in a vault', async ({ world }) => {
  const output = await world.replace(world.at('a.jpg'))
  const held = join(dirname(output), 'originals', 'a.jpg')
  await expect(world.vault().prepare([held])).rejects.toThrow('is in a vault')
  expect(readFileSync(held, 'utf8')).toBe(ORIGINAL)
})

itInLongSuite(
  'if the folder becomes read-only, the original stays, and the result is kept until it expires',
  async ({ world }) => {
    const { vault } = world
    const path = world.at('a.heic')
    const { output, results, replaceAll } = await world.prepare(path)
    const isWrite = ({ name, args }: Step): boolean =>
      ['rename', 'link'].includes(name) && args.some((one) => String(one).startsWith(dirname(path)))
    await failing(isWrite, 'EROFS', replaceAll)
    const result = results.get(path) ?? ''
    expect(vault().of(output)).toMatchObject([{ state: { kind: 'kept', why: 'readOnly', result } }])
    expect(contentsIn(dirname(path))).toEqual({ 'a.heic': ORIGINAL })
    await expect(vault().totals()).resolves.toMatchObject({ files: 1, bytes: RESULT.length })
    await world.passDays(32)
    expect(vault().of(output)).toMatchObject([{ state: { kind: 'kept', why: 'readOnly', result: null } }])
    expect(readdirSync(dirname(dirname(output)))).toEqual(['journal'])
  },
)

itInLongSuite(
  'on a volume without hard links, such as a network drive, no file is overwritten',
  async ({ world }) => {
    const path = world.at('a.heic')
    const { output, replaceAll } = await world.prepare(path)
    writeFileSync(join(dirname(path), 'a.jpg'), 'someone else’s')
    await failing(
      ({ name }) => name === 'link',
      'ENOTSUP',
      async () => {
        await replaceAll()
        await world.vault().undo(output)
        await world.vault().redo(output)
      },
    )
    expect(contentsIn(dirname(path))).toEqual({ 'a (2).jpg': RESULT, 'a.jpg': 'someone else’s' })
  },
)

/** Returns the path of a file whose name is the same except for its case. */
function existingName(path: unknown): unknown {
  if (typeof path !== 'string') return path
  try {
    const name = basename(path).toLowerCase()
    const same = readdirSync(dirname(path)).find((one) => one.toLowerCase() === name)
    return same === undefined ? path : join(dirname(path), same)
  } catch {
    return path
  }
}

/** Finds files by names with another case, as macOS and Windows do. */
async function ignoringCase(work: () => Promise<void>): Promise<void> {
  const names = ['lstat', 'link', 'rename', 'open', 'rm', 'utimes', 'chmod'] as const
  const originals = names.map((name) => [name, fs[name]] as const)
  for (const [name, original] of originals) {
    Object.assign(fs, {
      [name]: (...args: readonly unknown[]): unknown => Reflect.apply(original, fs, args.map(existingName)),
    })
  }
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    for (const [name, original] of originals) Object.assign(fs, { [name]: original })
    syncBuiltinESMExports()
  }
}

itInLongSuite(
  'on a volume that ignores case, a name that differs only in case is taken',
  async ({ world }) => {
    const folder = join(world.home, 'photos')
    const job = await world.prepare(join(folder, 'IMG_1.HEIC'))
    const same = await world.prepare(join(folder, 'IMG_2.JPG'))
    writeFileSync(join(folder, 'img_1.JPG'), 'someone else’s')
    await ignoringCase(async () => {
      for (const { replaceAll } of [job, same]) await replaceAll()
    })
    expect(contentsIn(folder)).toEqual({
      'IMG_1 (2).jpg': RESULT,
      'IMG_2.JPG': RESULT,
      'img_1.JPG': 'someone else’s',
    })
    await ignoringCase(async () => {
      for (const { output } of [job, same]) await world.vault().undo(output)
    })
    expect(contentsIn(folder)).toEqual({
      'IMG_1.HEIC': ORIGINAL,
      'IMG_2.JPG': ORIGINAL,
      'img_1.JPG': 'someone else’s',
    })
  },
)

itInLongSuite.runIf(process.platform === 'linux')(
  'an original that another program has locked stays in its place',
  async ({ world }) => {
    const path = world.at('a.jpg')
    const first = await world.prepare(path)
    const program = spawn('flock', ['--exclusive', path, 'sh', '-c', 'echo locked; cat'])
    await once(program.stdout, 'data')
    await first.replaceAll()
    expect(world.vault().of(first.output)).toMatchObject([{ state: { kind: 'kept', why: 'inUse' } }])
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)

    program.stdin.end()
    await once(program, 'exit')
    await world.replace(path)
    expect(readFileSync(path, 'utf8')).toBe(RESULT)
  },
)

it.runIf(process.platform === 'linux')(
  'an original that a program still has open for writing stays in its place',
  async ({ world }) => {
    const path = world.at('a.jpg')
    const job = await world.prepare(path)
    const program = openSync(path, 'r+')
    await job.replaceAll()
    closeSync(program)
    expect(world.vault().of(job.output)).toMatchObject([{ state: { kind: 'kept', why: 'inUse' } }])
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
  },
)

itInLongSuite(
  'emptying never deletes what a program saved in the vault, even if the disk fails at any step',
  async () => {
    for (let step = 1, hasFailed = true; hasFailed; step += isLongSuite ? 1 : 4) {
      const world = createWorld()
      const path = world.at('a.heic')
      const output = await world.replace(path)
      const original = join(dirname(output), 'originals', basename(path))
      writeFileSync(original, 'saved by a program')
      hasFailed = await withFault({ kind: 'error', step, code: 'EBUSY' }, () => world.vault().empty())
      const saved = filesIn([world.home]).filter(({ content }) => content === 'saved by a program')
      expect(saved, `step ${step}`).toHaveLength(1)
    }
  },
)

itInLongSuite.runIf(isRoot && process.platform === 'linux')(
  'a lock on a file with the same inode number on another volume doesn’t count',
  async () => {
    const [one = '', other = ''] = ['one volume', 'other'].map((name) => join(temporaryFolder(), name))
    for (const folder of [one, other]) {
      const disk = smallDisk(folder, '1m')
      onTestFinished(() => disk?.takeAway())
      writeFileSync(join(folder, 'a.jpg'), ORIGINAL)
    }
    const [path, same] = [join(one, 'a.jpg'), join(other, 'a.jpg')]
    expect(statSync(path).ino).toBe(statSync(same).ino)
    const program = spawn('flock', ['--exclusive', path, 'sh', '-c', 'echo locked; cat'])
    await once(program.stdout, 'data')
    expect([await isLockedByProgram(path), await isLockedByProgram(same)]).toEqual([true, false])
    program.stdin.end()
    await once(program, 'exit')
  },
)
