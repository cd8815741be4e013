/** Watched folders whose results replace the originals, with real files and a real vault. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, parse } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { notingIn } from '../../../src/main/core/open-vault.ts'
import { inVaultsOf } from '../../../src/main/core/submit-watched.ts'
import type { Vault } from '../../../src/main/vault/index.ts'
import type { Draft, StartResult } from '../../../src/shared/model/draft.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { isLongSuite, describeInLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { withFault } from '../../faults/vault/failing-steps.ts'
import { openWithJournal } from '../../faults/vault/test-vault.ts'
import { type Watched, folderIn, newRoot, open, openStore, scanned, settle, until } from './watched.ts'

const ORIGINAL = 'a photo '.repeat(100)

type Job = { readonly output: string; readonly results: ReadonlyMap<string, string> }

/** A vault, and a service that processes each submission as soon as it is asked to. */
async function createWorld({ replacesAtOnce = true } = {}) {
  const root = await newRoot()
  const file = join(root, 'state.db')
  const openAgain = (): Vault =>
    openWithJournal({
      file,
      home: root,
      clock: Date.now,
      keepDays: () => ({ from: 'choice', days: 30 }),
      onKeepDays: () => undefined,
      notePlacing: (...placing) => notingIn(saved, Date.now)(...placing),
      onChange: () => undefined,
      onReleased: () => undefined,
      log: () => undefined,
    })
  let saved = openStore(file)
  let vault = openAgain()
  onTestFinished(() => vault.close())
  const submitted: string[] = []
  const jobs: Job[] = []
  let running = 0

  const replace = (job: Job) => vault.replaceAll(job.output, job.results, async () => true)

  async function start({ source, output: { kind } }: Draft): Promise<StartResult> {
    expect(kind).toBe('replace')
    const paths = source.kind === 'files' ? source.items.map(({ path }) => path) : []
    running += 1
    try {
      return await process(paths)
    } finally {
      running -= 1
    }
  }

  async function process(paths: readonly string[]): Promise<StartResult> {
    const output = await vault.prepare(paths)
    submitted.push(...paths.map((path) => parse(path).base))
    const results = new Map(paths.map((path) => [path, join(output, `${parse(path).name}.jpg`)]))
    for (const result of results.values()) writeFileSync(result, `result ${parse(result).name}`)
    const job = { output, results }
    jobs.push(job)
    if (replacesAtOnce) await replace(job)
    return { ok: true, ids: [], jobs: [] }
  }

  return {
    root,
    submitted,
    jobs,
    replace,
    vault: () => vault,
    isIdle: () => running === 0,
    /** Waits until this many files are replaced, and for others that would follow by mistake. */
    async replaces(count: number): Promise<void> {
      await until('they are replaced', () => submitted.length === count && running === 0)
      await settle()
    },
    photo: (name: string): void => writeFileSync(join(root, 'in', name), ORIGINAL),
    read: (name: string): string => readFileSync(join(root, 'in', name), 'utf8'),
    async watch(folders: readonly Partial<WatchFolder>[] = [{}]): Promise<Watched> {
      const all = folders.map((change) => folderIn(root, { output: { kind: 'replace' }, ...change }))
      return scanned(open(root, all, { start, inVaults: inVaultsOf(vault) }))
    },
    /** @param change happens while nothing is open */
    async restartVault(change: () => void = () => undefined): Promise<void> {
      await vault.close()
      saved.close()
      change()
      saved = openStore(file)
      vault = openAgain()
      await vault.tidy(() => true)
    },
  }
}

/** The databases of the vault and of the watched folders. */
const databases = (root: string): readonly string[] =>
  readdirSync(root)
    .filter((name) => /^state\.db(-\w+)?$/.test(name))
    .map((name) => join(root, name))

/** Puts the databases aside. @returns puts them back */
function copyDatabases(root: string): () => void {
  const copies = databases(root).map((path) => [path, readFileSync(path)] as const)
  return () => {
    for (const path of databases(root)) rmSync(path)
    for (const [path, content] of copies) writeFileSync(path, content)
  }
}

describeInLongSuite('after an older copy of the data folder was restored, or without one', () => {
  it.each(['before the job', 'after the job', 'after undo'])(
    'no results and no restored originals are processed, but new photos are: copied %s',
    async (when) => {
      const world = await createWorld()
      let restore: (() => void) | undefined
      const copy = async (now: string): Promise<void> => {
        if (now === when) await world.restartVault(() => void (restore = copyDatabases(world.root)))
      }
      await (await world.watch()).close()
      await copy('before the job')
      const watched = await world.watch()
      world.photo('known.jpg')
      await world.replaces(1)
      await watched.close()
      const [{ output } = { output: '' }] = world.jobs
      await copy('after the job')
      if (when !== 'before the job') await world.vault().undo(output)
      await copy('after undo')
      if (when === 'after undo') await world.vault().redo(output)
      const before = world.read('known.jpg')
      await world.restartVault(restore)
      const again = await world.watch()
      world.photo('new.jpg')
      await until('processed', () => world.submitted.includes('new.jpg') && world.isIdle())
      await settle()
      await again.close()
      expect(world.read('known.jpg')).toBe(before)
      expect(world.submitted).toEqual(['known.jpg', 'new.jpg'])
    },
  )
})

it('results that replaced photos are never processed, even with another name, and later photos are', async () => {
  const world = await createWorld()
  await world.watch()
  world.photo('tower.jpg')
  world.photo('bridge.heic')
  await world.replaces(2)
  expect([world.read('tower.jpg'), world.read('bridge.jpg')].toSorted()).toEqual([
    'result bridge',
    'result tower',
  ])
  world.photo('boat.jpg')
  await world.replaces(3)
  expect(world.submitted.toSorted()).toEqual(['boat.jpg', 'bridge.heic', 'tower.jpg'])
})

itInLongSuite('a folder and its watched subfolder never process each other’s results', async () => {
  const world = await createWorld()
  mkdirSync(join(world.root, 'in', 'sub'))
  await world.watch([
    { id: 'outer', recursive: true },
    { id: 'inner', path: join(world.root, 'in', 'sub'), recursive: true },
  ])
  world.photo('sub/tower.jpg')
  world.photo('sub/bridge.heic')
  await until('both are replaced', () => new Set(world.submitted).size === 2 && world.isIdle())
  await settle()
  await until('nothing is in progress', world.isIdle)
  await settle()
  expect(new Set(world.submitted)).toEqual(new Set(['tower.jpg', 'bridge.heic']))
  // Each folder processes a photo at most once.
  expect(world.submitted.length).toBeLessThanOrEqual(4)
})

it('restored photos are not replaced again while the folder is watched', async () => {
  const world = await createWorld()
  await world.watch()
  world.photo('tower.jpg')
  world.photo('bridge.heic')
  await world.replaces(2)
  for (const { output } of world.jobs) await world.vault().undo(output)
  await settle()
  expect([world.read('tower.jpg'), world.read('bridge.heic')]).toEqual([ORIGINAL, ORIGINAL])
  expect(existsSync(join(world.root, 'in', 'bridge.jpg'))).toBe(false)
  for (const { output } of world.jobs) await world.vault().redo(output)
  await settle()
  expect(world.submitted.length).toBe(2)
})

itInLongSuite(
  'restored photos that are moved while nothing watches are not replaced again, but copies of them are',
  async () => {
    const world = await createWorld()
    const watched = await world.watch()
    world.photo('tower.jpg')
    world.photo('bridge.jpg')
    await world.replaces(2)
    await watched.close()
    for (const { output } of world.jobs) await world.vault().undo(output)
    const at = (name: string) => join(world.root, 'in', name)
    renameSync(at('tower.jpg'), at('moved.jpg'))
    const later = new Date(Date.now() + 60_000)
    copyFileSync(at('bridge.jpg'), at('copy.jpg'))
    utimesSync(at('copy.jpg'), later, later)
    await world.watch()
    await until('the copy is replaced', () => world.submitted.length > 2 && world.isIdle())
    await settle()
    expect(world.submitted.slice(2)).toEqual(['copy.jpg'])
  },
)

itInLongSuite(
  'a photo that is dated ahead is replaced once, also after it was restored and added again',
  async () => {
    const world = await createWorld()
    await world.watch()
    const ahead = new Date(Date.now() + 120_000)
    writeFileSync(join(world.root, 'tower.jpg'), ORIGINAL)
    utimesSync(join(world.root, 'tower.jpg'), ahead, ahead)
    renameSync(join(world.root, 'tower.jpg'), join(world.root, 'in', 'tower.jpg'))
    await world.replaces(1)
    expect([world.read('tower.jpg'), world.submitted.length]).toEqual(['result tower', 1])
    for (const { output } of world.jobs) await world.vault().undo(output)
    await settle()
    expect([world.read('tower.jpg'), world.submitted.length]).toEqual([ORIGINAL, 1])
    // Only the original that returned is known. The user may want a copy to be processed.
    world.photo('copy.jpg')
    await until('the copy is replaced', () => world.submitted.length === 2 && world.isIdle())
  },
)

itInLongSuite('results are never processed if the app was killed at any step of a replacement', async () => {
  const steps = Array.from({ length: 42 }, (_, n) => n + 1).filter(
    (step) => isLongSuite || step === 1 || step % 6 === 0,
  )
  const worlds = await Promise.all(steps.map(() => createWorld({ replacesAtOnce: false })))
  await Promise.all(
    worlds.map(async (world) => {
      const watched = await world.watch()
      world.photo('bridge.heic')
      await until('it is submitted', () => world.jobs.length === 1 && world.isIdle())
      await watched.close()
    }),
  )
  const killed: boolean[] = []
  for (const [n, world] of worlds.entries()) {
    const fault = { kind: 'kill', step: steps[n] ?? 0 } as const
    killed.push(
      await withFault(fault, async () => {
        for (const job of world.jobs) await world.replace(job)
      }),
    )
  }
  expect(killed.at(0)).toBe(true)
  expect(killed.at(-1), 'more steps than worlds').toBe(false)
  // The folder is watched before the replacement is finished, which is the worst order.
  await Promise.all(worlds.map((world) => world.watch()))
  await settle()
  for (const world of worlds) {
    await world.restartVault()
    for (const job of world.jobs) await world.replace(job)
  }
  await settle()
  expect(worlds.map(({ submitted }) => submitted)).toEqual(worlds.map(() => ['bridge.heic']))
  expect(worlds.map((world) => world.read('bridge.jpg'))).toEqual(worlds.map(() => 'result bridge'))
})
