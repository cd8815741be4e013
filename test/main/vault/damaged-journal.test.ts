/** A journal that is damaged or deleted is rebuilt from the vaults. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { replacedCounts } from '../../../src/shared/model/replacement.ts'
import { firstOf, isLongSuite } from '../../faults/long-suite.ts'
import { withFault } from '../../faults/vault/failing-steps.ts'
import { smallVolume } from '../../faults/vault/small-volume.ts'
import { openTestVault } from '../../faults/vault/test-vault.ts'
import { folderInMemory, temporaryFolder } from '../../temporary-folder.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'
import { createWorld, isRoot, it, itInLongSuite, ORIGINAL, RESULT, type World } from './vault-fixture.ts'

const DAMAGE: readonly (readonly [string, (world: World) => void])[] = [
  ['full of garbage', ({ file }) => writeFileSync(file, 'garbage '.repeat(1_000))],
  ['truncated', ({ file }) => writeFileSync(file, readFileSync(file).subarray(0, 5_000))],
  ['deleted', (world) => world.deleteJournal()],
  ['deleted with the whole data folder', ({ data }) => rmSync(data, { recursive: true })],
]

describe('a journal that is damaged or gone', () => {
  it.for(firstOf(DAMAGE, 2))('is rebuilt from the vaults: %s', async ([, damage], { world }) => {
    const [photo, other] = [world.at('a.heic'), world.at('b.jpg')]
    writeFileSync(world.at('a.jpg'), 'another photo')
    const first = await world.replace(photo)
    const second = await world.replace(other)
    const before = world.vault().of(first)
    expect(before).toMatchObject([{ state: { place: world.at('a (2).jpg') } }])
    await world.reopen(() => damage(world))
    expect(world.vault().isUsed()).toBe(true)
    await world.vault().recover()
    expect(world.vault().of(first)).toEqual(before)
    await expect(world.vault().totals()).resolves.toEqual({
      files: 2,
      bytes: 2 * ORIGINAL.length,
      vaults: [dirname(dirname(first))],
      away: 0,
      unrestored: [],
      unlisted: [],
    })
    await expect(world.vault().inFolder(dirname(photo), 'replaced')).resolves.toHaveLength(2)
    await expect(world.vault().undo(first)).resolves.toEqual([
      { path: photo, kind: 'restored', place: photo },
    ])
    await world.vault().undo(second)
    expect(readdirSync(dirname(photo)).toSorted()).toEqual(['a.heic', 'a.jpg', 'b.jpg'])
    for (const path of [photo, other]) expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
  })

  it('is completed from the vaults if an older copy of it was restored', async ({ world }) => {
    const [photo, later] = [world.at('a.jpg'), world.at('b.jpg')]
    const first = await world.replace(photo)
    const restoreCopy = await world.copyJournal()
    await world.vault().undo(first)
    const second = await world.replace(later)
    await restoreCopy()
    await world.vault().recover()
    await expect(world.vault().undo(second)).resolves.toMatchObject([{ kind: 'restored', place: later }])
    expect(world.vault().of(first)).toMatchObject([{ state: { kind: 'restored' } }])
    for (const path of [photo, later]) expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
    await expect(world.vault().totals()).resolves.toMatchObject({ files: 2, unlisted: [] })
  })

  itInLongSuite.for(['waiting', 'replaced', 'restored'] as const)(
    'is corrected from the vaults if a copy was restored in which the original was %s',
    async (kind, { world }) => {
      const path = world.at('a.heic')
      const { output, replaceAll } = await world.prepare(path)
      if (kind !== 'waiting') await replaceAll()
      if (kind === 'restored') await world.vault().undo(output)
      const restoreCopy = await world.copyJournal()
      if (kind === 'waiting') await replaceAll()
      else if (kind === 'restored') await world.vault().redo(output)
      else await world.vault().undo(output)
      if (kind === 'replaced') await world.vault().redo(output)
      const before = world.vault().of(output)
      await restoreCopy()
      await world.vault().recover()
      expect(world.vault().of(output)).toMatchObject(
        before.map(({ state: { kind } }) => ({ state: { kind } })),
      )
      await expect(world.vault().undo(output)).resolves.toMatchObject([{ kind: 'restored', place: path }])
      expect(readdirSync(dirname(path))).toEqual(['a.heic'])
      await expect(world.vault().totals()).resolves.toMatchObject({ files: 1, unlisted: [] })
    },
  )

  itInLongSuite(
    'is copied, and names the journal of the first data folder for an original that was restored there',
    async ({ world }) => {
      const output = await world.replace(world.at('a.jpg'))
      const otherData = join(world.home, 'copied')
      await world.reopen(() => cpSync(world.data, otherData, { recursive: true }))
      await world.vault().undo(output)
      writeFileSync(world.at('a.jpg'), 'an edited photo')
      const copy = world.openOther(join(otherData, 'state.db'))
      const restored = await copy.undo(output)
      expect(restored).toMatchObject([{ kind: 'failed', why: 'elsewhere', folder: world.data }])
      expect(readFileSync(world.at('a.jpg'), 'utf8')).toBe('an edited photo')
    },
  )

  itInLongSuite(
    'is copied, and names the first data folder for an original that was restored with the copy, and then replaced again',
    async ({ world }) => {
      const output = await world.replace(world.at('a.jpg'))
      const otherData = join(world.home, 'copied')
      await world.reopen(() => cpSync(world.data, otherData, { recursive: true }))
      const copy = world.openOther(join(otherData, 'state.db'))
      await copy.undo(output)
      await expect(copy.undo(output)).resolves.toEqual([])
      await world.vault().undo(output)
      await world.vault().redo(output)
      await expect(copy.undo(output)).resolves.toMatchObject([{ why: 'elsewhere', folder: world.data }])
    },
  )

  itInLongSuite(
    'is corrected from the vaults even if a program has saved the result there since',
    async ({ world }) => {
      const path = world.at('a.jpg')
      const output = await world.replace(path)
      const restoreCopy = await world.copyJournal()
      await world.vault().undo(output)
      const replaced = join(dirname(output), 'replaced')
      const [name = ''] = readdirSync(replaced)
      writeFileSync(join(replaced, name), 'saved by a program')
      await restoreCopy()
      await world.passDays(42)
      expect(readdirSync(dirname(path)).toSorted()).toEqual(['a (2).jpg', 'a.jpg'])
      expect(readFileSync(join(dirname(path), 'a (2).jpg'), 'utf8')).toBe('saved by a program')
    },
  )

  itInLongSuite.for(['waits', 'is replaced'])(
    'is corrected from the vaults if an older copy says that an original which was restored %s',
    async (before, { world }) => {
      const path = world.at('a.heic')
      const { output, replaceAll } = await world.prepare(path)
      if (before === 'is replaced') await replaceAll()
      const restoreCopy = await world.copyJournal()
      if (before === 'waits') await replaceAll()
      await world.vault().undo(output)
      await restoreCopy()
      await world.vault().recover()
      expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'restored' } }])
      await expect(world.vault().undo(output)).resolves.toEqual([])
      await world.vault().redo(output)
      expect(readFileSync(join(dirname(path), 'a.jpg'), 'utf8')).toBe(RESULT)
    },
  )

  itInLongSuite(
    'keeps an original for the whole time after it was replaced again, even if an older copy of the journal doesn’t know that',
    async ({ world }) => {
      const path = world.at('a.jpg')
      const output = await world.replace(path)
      await world.passDays(24)
      const restoreCopy = await world.copyJournal()
      await world.vault().undo(output)
      await world.vault().redo(output)
      await restoreCopy()
      await world.passDays(29)
      await expect(world.vault().totals()).resolves.toMatchObject({ files: 1 })
      await world.passDays(12)
      await expect(world.vault().totals()).resolves.toMatchObject({ files: 0 })
    },
  )

  itInLongSuite.each(['state', 'version'])(
    'loses one original at most if its %s can’t be read',
    async (column) => {
      for (const isDescribed of [true, false]) {
        const world = createWorld()
        const [path, other] = [world.at('a.jpg'), world.at('b.jpg')]
        const output = await world.replace(path)
        const second = await world.replace(other)
        await world.reopen(() => {
          world.changeJournal(`UPDATE replacements SET ${column} = 'not {json' WHERE path = ?`, path)
          if (!isDescribed) rmSync(join(dirname(output), 'records'), { recursive: true })
        })
        await world.vault().recover()
        if (!isDescribed) await world.passDays(40)
        await expect(world.vault().inFolder(dirname(path), 'replaced')).resolves.toHaveLength(
          isDescribed ? 2 : 1,
        )
        const undone = await world.vault().undo(output)
        expect(undone).toMatchObject([
          isDescribed ? { kind: 'restored', place: path } : { kind: 'failed', why: 'unreadable' },
        ])
        const held = join(isDescribed ? dirname(path) : join(dirname(output), 'originals'), 'a.jpg')
        expect(readFileSync(held, 'utf8')).toBe(ORIGINAL)
        expect(world.vault().of(second)).toMatchObject([
          { state: { kind: isDescribed ? 'replaced' : 'expired' } },
        ])
        await world.vault().empty()
        expect(readFileSync(held, 'utf8')).toBe(ORIGINAL)
      }
    },
  )

  itInLongSuite.for(['at', 'since', 'isRetained', 'isTold'])(
    'restores all originals if the %s of one is too large a number',
    async (column, { world }) => {
      const [path, other] = [world.at('a.jpg'), world.at('b.jpg')]
      const outputs = [await world.replace(path), await world.replace(other)]
      await world.reopen(() => {
        world.changeJournal(`UPDATE replacements SET ${column} = 9223372036854775807 WHERE path = ?`, path)
        world.changeJournal('UPDATE observed_time SET latest = 9223372036854775807')
      })
      await world.vault().recover()
      for (const output of outputs) {
        expect(await world.vault().undo(output)).toMatchObject([{ kind: 'restored' }])
      }
      expect([path, other].map((one) => readFileSync(one, 'utf8'))).toEqual([ORIGINAL, ORIGINAL])
    },
  )

  it('never counts an original as replaced whose entry can’t be read', async ({ world }) => {
    const { replaceAll } = await world.prepare(world.at('a.jpg'))
    await world.reopen(() => world.changeJournal(`UPDATE replacements SET version = '{"size":"?"}'`))
    const replacements = await replaceAll()
    expect(replacements).toMatchObject([{ state: { kind: 'kept', why: 'unreadable' } }])
    expect(replacedCounts(replacements)).toEqual({ replaced: 0, kept: 1, restored: 0 })
  })

  itInLongSuite('keeps originals for the whole time after it was rebuilt', async ({ world }) => {
    const output = await world.replace(world.at('a.jpg'))
    world.pass(25 * DAY_MS)
    await world.reopen(world.deleteJournal)
    await world.passDays(30)
    expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'replaced' } }])
    await world.passDays(2)
    expect(world.vault().of(output)).toMatchObject([{ state: { kind: 'expired' } }])
    expect(existsSync(dirname(output))).toBe(false)
  })

  itInLongSuite(
    'is rebuilt before another job starts, so that the volume keeps one vault',
    async ({ world }) => {
      const first = await world.replace(world.at('a.jpg'))
      await world.reopen(world.deleteJournal)
      const second = await world.replace(world.at('b.jpg'))
      expect(dirname(dirname(second))).toBe(dirname(dirname(first)))
      await expect(world.vault().totals()).resolves.toMatchObject({ files: 2 })
    },
  )

  it('doesn’t count an original that was deleted from the vault', async ({ world }) => {
    const output = await world.replace(world.at('a.jpg'))
    rmSync(join(dirname(output), 'originals'), { recursive: true })
    await expect(world.vault().totals()).resolves.toMatchObject({ files: 0, bytes: 0, vaults: [] })
  })

  itInLongSuite(
    'names a vault whose originals aren’t described, and never deletes them',
    async ({ world }) => {
      const output = await world.replace(world.at('a.jpg'))
      const original = join(dirname(output), 'originals', 'a.jpg')
      await world.reopen(() => {
        world.deleteJournal()
        writeFileSync(join(dirname(output), 'records', 'a.jpg.json'), '{"format":1')
      })
      for (const days of [0, 40, 2, 400]) {
        world.pass(days * DAY_MS)
        await world.vault().tidy(() => false)
      }
      await world.vault().empty()
      expect(readFileSync(original, 'utf8')).toBe(ORIGINAL)
      await expect(world.vault().totals()).resolves.toMatchObject({
        files: 0,
        unlisted: [dirname(dirname(output))],
      })
    },
  )

  it('never takes over the vault of another data folder that still exists', async ({ world }) => {
    const output = await world.replace(world.at('a.jpg'))
    const other = world.openOther(join(world.home, 'portable', 'state.db'))
    await other.tidy(() => false)
    expect(other.of(output)).toEqual([])
    await expect(other.totals()).resolves.toMatchObject({ files: 0, unlisted: [] })
    const path = world.at('b.jpg')
    writeFileSync(path, ORIGINAL)
    expect(dirname(dirname(await other.prepare([path])))).not.toBe(dirname(dirname(output)))
  })

  itInLongSuite('restores originals after a kill at any step of replacing or undoing', async () => {
    for (const operation of ['replacing', 'undoing']) {
      let happened = true
      for (let step = 1; happened; step += isLongSuite ? 1 : 5) {
        const world = createWorld(folderInMemory())
        const path = world.at('a.heic')
        const { output, replaceAll } = await world.prepare(path)
        if (operation === 'undoing') await replaceAll()
        const run = operation === 'undoing' ? () => world.vault().undo(output) : replaceAll
        happened = await withFault({ kind: 'kill', step }, run)
        await world.reopen(world.deleteJournal)
        await world.vault().recover()
        await world.vault().undo(output)
        expect(existsSync(path) && readFileSync(path, 'utf8'), `${operation}, step ${step}`).toBe(ORIGINAL)
      }
    }
  })

  itInLongSuite.runIf(isRoot)(
    'finds the vaults of other volumes again, also where they are mounted later',
    async () => {
      const folder = temporaryFolder()
      using volume = smallVolume(folder)
      if (volume === undefined) throw new Error('Nothing can be mounted.')
      volume.mount()
      const world = createWorld()
      const path = join(volume.mounted, 'photos', 'a.jpg')
      const output = await world.replace(path)
      volume.unmount()
      await world.reopen(world.deleteJournal)
      await world.vault().tidy(() => false)
      expect(world.vault().of(output)).toEqual([])
      volume.mount()
      await world.vault().recover()
      await expect(world.vault().totals()).resolves.toMatchObject({
        files: 1,
        vaults: [dirname(dirname(output))],
      })
      await world.vault().undo(output)
      expect(readFileSync(path, 'utf8')).toBe(ORIGINAL)
    },
  )

  itInLongSuite('finds originals whose folder was moved with their vault', async ({ world }) => {
    await world.replace(world.at('a.jpg'))
    const home = `${world.home}-moved`
    await world.vault().close()
    renameSync(world.home, home)
    onTestFinished(() => rmSync(home, { recursive: true }))
    const moved = openTestVault({ home, file: join(home, 'new', 'state.db'), clock: Date.now })
    onTestFinished(() => moved.close())
    await moved.recover()
    const [job] = await moved.inFolder(join(home, 'photos'), 'replaced')
    await moved.undo(job?.output ?? '')
    expect(readFileSync(join(home, 'photos', 'a.jpg'), 'utf8')).toBe(ORIGINAL)
  })
})
