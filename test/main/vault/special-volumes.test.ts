/** Volumes and files that behave differently: other volumes, read-only and full ones, names without case, no hard links, locks. */
import { execFileSync, spawn } from 'node:child_process'
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
import { basename, dirname, join, parse } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { isLockedByProgram } from '../../../src/main/vault/file-use.ts'
import { fullDiskOf } from '../../../src/main/vault/vault-parts.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { firstOf, inLongSuite, isLongSuite } from '../../faults/long-suite.ts'
import { withFault, type Step } from '../../faults/vault/failing-steps.ts'
import { filesIn } from '../../faults/vault/photo-contents.ts'
import { smallVolume, type SmallVolume } from '../../faults/vault/small-volume.ts'
import { isGood } from '../../faults/vault/test-vault.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'
import { createWorld, isRoot, it, ORIGINAL, RESULT } from './vault-fixture.ts'

const itInLongSuite = inLongSuite(it)

const contentsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

async function onSmallVolume(work: (volume: SmallVolume) => Promise<void>): Promise<void> {
  const volume = smallVolume(temporaryFolder())
  if (volume === undefined) throw new Error('Nothing can be mounted.')
  // After the vault has closed its journal.
  onTestFinished(() => volume[Symbol.dispose]())
  volume.mount()
  await work(volume)
}

it.runIf(isRoot)('originals on another volume stay on it, and wait while it isn’t mounted', async () => {
  await onSmallVolume(async (volume) => {
    const world = createWorld()
    const { vault } = world
    const path = join(volume.mounted, 'photos', 'a.jpg')
    const { output, results } = await world.prepare(path)
    expect(dirname(dirname(dirname(output)))).toBe(volume.mounted)

    volume.unmount()
    await vault().replaceAll(output, results, isGood)
    expect(vault().of(output)).toMatchObject([{ state: { kind: 'waiting' } }])
    vault().markRecorded(output)
    expect(vault().unrecorded()).toEqual([output])
    volume.mount()
    await vault().replaceAll(output, results, isGood)
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
})

itInLongSuite.runIf(isRoot)(
  'while another volume is mounted in its place, such as the next memory card, a volume counts as away',
  async () => {
    await onSmallVolume(async (volume) => {
      const world = createWorld()
      const { vault } = world
      const photos = join(volume.mounted, 'photos')
      const [replaced, interrupted, waiting] = [
        join(photos, 'a.jpg'),
        join(photos, 'b.jpg'),
        join(photos, 'c.jpg'),
      ]
      const first = await world.prepare(replaced)
      await vault().replaceAll(first.output, first.results, isGood)
      const second = await world.prepare(interrupted)
      const third = await world.prepare(waiting)
      await killAfterMove(interrupted, () => vault().replaceAll(second.output, second.results, isGood))
      expect(existsSync(interrupted)).toBe(false)
      volume.unmount()

      await onAnotherVolume(volume.mounted, async () => {
        mkdirSync(photos)
        writeFileSync(replaced, 'another photo')
        await vault().recover()
        await vault().replaceAll(third.output, third.results, isGood)
        expect(await vault().undo(first.output)).toMatchObject([{ kind: 'failed', why: 'away' }])
        expect(vault().of(second.output)).toMatchObject([{ state: { kind: 'waiting' } }])
        expect(vault().of(third.output)).toMatchObject([{ state: { kind: 'waiting' } }])
        await expect(vault().totals()).resolves.toMatchObject({ away: 1 })
        expect(contentsIn(photos)).toEqual({ 'a.jpg': 'another photo' })
      })
      volume.mount()
      await vault().recover()
      expect(contentsIn(photos)).toEqual({ 'a.jpg': RESULT, 'b.jpg': RESULT, 'c.jpg': ORIGINAL })
      for (const { output } of [first, second]) await vault().undo(output)
      expect(contentsIn(photos)).toEqual({ 'a.jpg': ORIGINAL, 'b.jpg': ORIGINAL, 'c.jpg': ORIGINAL })
    })
  },
)

/** Ends all work right after a file has left its place. */
async function killAfterMove(path: string, work: () => Promise<unknown>): Promise<void> {
  for (let step = 1; existsSync(path); step++)
    await withFault({ kind: 'kill', step }, async () => void (await work()))
}

async function onAnotherVolume(mounted: string, work: () => Promise<void>): Promise<void> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mounted], { stdio: 'ignore' })
  try {
    await work()
  } finally {
    execFileSync('umount', [mounted], { stdio: 'ignore' })
  }
}

it.runIf(isRoot)('a full disk stops replacing, and nothing has changed', async () => {
  await onSmallVolume(async (volume) => {
    const world = createWorld(undefined, join(volume.files, '../data', 'state.db'))
    const { vault } = world
    const path = join(volume.mounted, 'photos', 'a.heic')
    const { output, results } = await world.prepare(path)
    volume.fill()
    await expect(vault().replaceAll(output, results, isGood)).rejects.toThrow()
    expect(contentsIn(dirname(path))).toEqual({ 'a.heic': ORIGINAL })
    volume.free()
    await vault().replaceAll(output, results, isGood)
    expect(contentsIn(dirname(path))).toEqual({ 'a.jpg': RESULT })
  })
})

itInLongSuite.runIf(isRoot)('a full disk of the journal stops replacing, and is named', async () => {
  await onSmallVolume(async (volume) => {
    const data = join(volume.mounted, 'data')
    mkdirSync(data)
    const world = createWorld(undefined, join(data, 'state.db'))
    const { vault } = world
    const path = join(world.home, 'photos', 'a.heic')
    const { output, results } = await world.prepare(path)
    volume.fill()
    const error: unknown = await vault()
      .replaceAll(output, results, isGood)
      .catch((thrown: unknown) => thrown)
    expect(fullDiskOf(error)).toBe('journal')
    expect(contentsIn(dirname(path))).toEqual({ 'a.heic': ORIGINAL })
    volume.free()
    await vault().replaceAll(output, results, isGood)
    expect(contentsIn(dirname(path))).toEqual({ 'a.jpg': RESULT })
    volume.fill()
    await expect(vault().undo(output)).resolves.toMatchObject([{ kind: 'failed', why: 'dataFull' }])
    volume.free()
    await vault().undo(output)
    expect(contentsIn(dirname(path))).toEqual({ 'a.heic': ORIGINAL })
  })
})

it.runIf(isRoot)('a job can’t start in a read-only folder', async ({ world }) => {
  const folder = join(world.home, 'read-only')
  const disk = smallDisk(folder, '1m')
  try {
    writeFileSync(join(folder, 'a.jpg'), ORIGINAL)
    disk?.makeReadOnly()
    await expect(world.vault().prepare([join(folder, 'a.jpg')])).rejects.toMatchObject({ code: 'EROFS' })
  } finally {
    disk?.[Symbol.dispose]()
  }
})

itInLongSuite(
  'a file that is deleted while the originals are read doesn’t keep the others from being replaced',
  async ({ world }) => {
    const [kept, gone] = [join(world.home, 'a.jpg'), join(world.home, 'gone.jpg')]
    writeFileSync(kept, ORIGINAL)
    const output = await world.vault().prepare([gone, kept])
    writeFileSync(gone, ORIGINAL)
    const results = new Map([gone, kept].map((path) => [path, join(output, basename(path))]))
    for (const result of results.values()) writeFileSync(result, RESULT)
    expect(await world.vault().replaceAll(output, results, isGood)).toMatchObject([
      { path: gone, state: { kind: 'kept', why: 'changed' } },
      { path: kept, state: { kind: 'replaced' } },
    ])
  },
)

itInLongSuite.runIf(isRoot)(
  'a job can’t start in an append-only folder, and leaves nothing there',
  async ({ skip }) => {
    const world = createWorld()
    const folder = join(world.home, 'photos')
    writeFileSync(join(folder, 'a.jpg'), ORIGINAL)
    try {
      execFileSync('chattr', ['+a', folder], { stdio: 'ignore' })
    } catch {
      skip()
    }
    try {
      await expect(world.vault().prepare([join(folder, 'a.jpg')])).rejects.toMatchObject({ code: 'EPERM' })
      expect(contentsIn(folder)).toEqual({ 'a.jpg': ORIGINAL })
      expect(readdirSync(world.home)).toEqual(['data', 'photos'])
    } finally {
      execFileSync('chattr', ['-a', folder])
    }
  },
)

itInLongSuite.runIf(isRoot)(
  'a file that can’t leave its folder is kept, and doesn’t keep the others',
  async ({ skip }) => {
    const world = createWorld()
    const [locked, free] = ['a.jpg', 'b.jpg'].map((name) => join(world.home, 'photos', name))
    for (const path of [locked ?? '', free ?? '']) writeFileSync(path, ORIGINAL)
    try {
      execFileSync('chattr', ['+i', locked ?? ''], { stdio: 'ignore' })
    } catch {
      skip()
    }
    try {
      await expect(world.vault().prepare([locked ?? ''])).rejects.toMatchObject({ code: 'EPERM' })
      const output = await world.vault().prepare([locked ?? '', free ?? ''])
      for (const name of ['a.jpg', 'b.jpg']) writeFileSync(join(output, name), RESULT)
      const results = new Map(
        [locked ?? '', free ?? ''].map((path) => [path, join(output, parse(path).base)]),
      )
      await expect(world.vault().replaceAll(output, results, isGood)).resolves.toMatchObject([
        { state: { kind: 'kept', why: 'readOnly' } },
        { state: { kind: 'replaced' } },
      ])
    } finally {
      execFileSync('chattr', ['-i', locked ?? ''])
    }
  },
)

itInLongSuite
  .runIf(isRoot)
  .each(['the home folder', 'the home folder, which has only subfolders,', 'the vault'])(
  'if %s is append-only, nothing is left in it, and originals are replaced through another vault',
  async (which) => {
    const world = createWorld()
    const path = join(world.home, 'photos', 'a.jpg')
    let locked = world.home
    if (which === 'the vault') locked = dirname(dirname((await world.prepare(path)).output))
    else {
      writeFileSync(path, ORIGINAL)
      if (which === 'the home folder') writeFileSync(join(world.home, 'notes.txt'), 'x')
    }
    const hidden = () => readdirSync(locked).filter((name) => name !== 'data')
    const before = hidden()
    try {
      execFileSync('chattr', ['+a', locked], { stdio: 'ignore' })
    } catch {
      return
    }
    try {
      const output = await world.vault().prepare([path])
      expect(output.startsWith(locked === world.home ? dirname(path) : world.home)).toBe(true)
      expect(output.startsWith(`${locked}/.`)).toBe(false)
      expect(hidden()).toEqual(before)
    } finally {
      execFileSync('chattr', ['-a', locked])
    }
  },
)

it.each(firstOf(['kept', 'deleted']))(
  'an original that couldn’t be restored is named, and is %s as the user wants',
  async (what) => {
    const world = createWorld()
    const path = join(world.home, 'photos', 'a.jpg')
    const { output, results } = await world.prepare(path)
    await world.vault().replaceAll(output, results, isGood)
    await withFault(
      undefined,
      async () => expect(await world.vault().undo(output)).toMatchObject([{ kind: 'failed' }]),
      ({ name }) => {
        if (name === 'link' || name === 'rename') throw Object.assign(new Error('EIO'), { code: 'EIO' })
      },
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
  const job = await world.prepare(join(world.home, 'photos', 'a.jpg'))
  await world.vault().replaceAll(job.output, job.results, isGood)
  const held = join(dirname(job.output), 'originals', 'a.jpg')
  await expect(world.vault().prepare([held])).rejects.toThrow('is in a vault')
  expect(readFileSync(held, 'utf8')).toBe(ORIGINAL)
})

itInLongSuite(
  'if the folder becomes read-only, the original stays, and the result is kept until it expires',
  async ({ world }) => {
    const { vault } = world
    const path = join(world.home, 'photos', 'a.heic')
    const { output, results } = await world.prepare(path)
    const isWrite = ({ name, args }: Step): boolean =>
      ['rename', 'link'].includes(name) && args.some((one) => String(one).startsWith(dirname(path)))
    await withFault(
      undefined,
      async () => void (await vault().replaceAll(output, results, isGood)),
      (step) => {
        if (isWrite(step)) throw Object.assign(new Error('EROFS'), { code: 'EROFS' })
      },
    )
    const result = results.get(path) ?? ''
    expect(vault().of(output)).toMatchObject([{ state: { kind: 'kept', why: 'readOnly', result } }])
    expect(contentsIn(dirname(path))).toEqual({ 'a.heic': ORIGINAL })
    await expect(vault().totals()).resolves.toMatchObject({ files: 1, bytes: RESULT.length })
    for (let day = 0; day < 32; day++) {
      world.pass(DAY_MS)
      await vault().tidy(() => false)
    }
    expect(vault().of(output)).toMatchObject([{ state: { kind: 'kept', why: 'readOnly', result: null } }])
    expect(readdirSync(dirname(dirname(output)))).toEqual(['journal'])
  },
)

itInLongSuite(
  'on a volume without hard links, such as a network drive, no file is overwritten',
  async ({ world }) => {
    const path = join(world.home, 'photos', 'a.heic')
    const { output, results } = await world.prepare(path)
    writeFileSync(join(dirname(path), 'a.jpg'), 'someone else’s')
    await withFault(
      undefined,
      async () => {
        await world.vault().replaceAll(output, results, isGood)
        await world.vault().undo(output)
        await world.vault().redo(output)
      },
      ({ name }) => {
        if (name === 'link') throw Object.assign(new Error('ENOTSUP'), { code: 'ENOTSUP' })
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
      for (const { output, results } of [job, same]) await world.vault().replaceAll(output, results, isGood)
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
    const path = join(world.home, 'photos', 'a.jpg')
    const first = await world.prepare(path)
    const program = spawn('flock', ['--exclusive', path, 'sh', '-c', 'echo locked; cat'])
    await once(program.stdout, 'data')
    await world.vault().replaceAll(first.output, first.results, isGood)
    expect(world.vault().of(first.output)).toMatchObject([{ state: { kind: 'kept', why: 'inUse' } }])
    expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)

    program.stdin.end()
    await once(program, 'exit')
    const second = await world.prepare(path)
    await world.vault().replaceAll(second.output, second.results, isGood)
    expect(readFileSync(path, 'utf8')).toBe(RESULT)
  },
)

it.runIf(process.platform === 'linux')(
  'an original that a program still has open for writing stays in its place',
  async ({ world }) => {
    const path = join(world.home, 'photos', 'a.jpg')
    const job = await world.prepare(path)
    const program = openSync(path, 'r+')
    await world.vault().replaceAll(job.output, job.results, isGood)
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
      const path = join(world.home, 'photos', 'a.heic')
      const { output, results } = await world.prepare(path)
      await world.vault().replaceAll(output, results, isGood)
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
      mkdirSync(folder)
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder])
      onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
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
