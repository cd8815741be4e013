/** A vault whose process dies from SIGKILL before any of its steps on disk, and again while the next process recovers. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, parse } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import type { Vault } from '../../../src/main/vault/index.ts'
import { VAULT_PREFIX } from '../../../src/shared/model/replacement.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { firstOf, isLongSuite } from '../long-suite.ts'
import type { Request } from './other-process.ts'
import { filesIn } from './photo-contents.ts'
import { createOtherProcess, type OtherProcess } from './start-other-process.ts'
import { isGood, openTestVault } from './test-vault.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'

const START = Date.UTC(2026, 10, 25)
const TAKEN_AT = new Date('2024-05-01T10:00:00Z')

/** Photos that a job replaces: with a new ending, with the same one, and with one that another file already has. */
const REPLACED = { 'a.heic': 'a.jpg', 'b.jpg': 'b.jpg', 'c.heic': 'c (2).jpg' } as const
const EDITED = 'edited.jpg'
const NAMES = [...Object.keys(REPLACED), EDITED, 'not-smaller.jpg']

const originalOf = (name: string): string => `original ${name} `.padEnd(200, 'x')
const resultOf = (name: string): string => `result ${name}`.padEnd(name === 'not-smaller.jpg' ? 300 : 0, 'x')
const BY_OTHERS = { 'c.jpg': 'of another program', [EDITED]: `${EDITED} while the job ran` } as const

const KNOWN: ReadonlySet<string> = new Set([
  ...NAMES.flatMap((name) => [originalOf(name), resultOf(name), `${resultOf(name)}, edited`]),
  ...Object.values(BY_OTHERS),
])

type World = ReturnType<typeof createWorld>

/** The empty file that tests whether originals can be moved stays if the process dies just then. */
const isNoTest = (name: string): boolean => !/^\.mediatray-[0-9a-f]{16}$/.test(name)

/** The files that describe a vault, or the half of one. */
const isDescription = (path: string): boolean => {
  const { dir, base } = parse(path)
  return base === 'journal' || base.endsWith('.tmp') || parse(dir).base === 'records'
}

function createWorld(root: string) {
  const home = mkdtempSync(join(root, 'home-'))
  const photos = join(home, 'photos')
  const file = join(home, 'data', 'state.db')
  mkdirSync(photos)
  let now = START
  const paths = NAMES.map((name) => join(photos, name))
  for (const path of paths) {
    writeFileSync(path, originalOf(parse(path).base))
    utimesSync(path, TAKEN_AT, TAKEN_AT)
  }
  let output = ''
  let results: ReadonlyMap<string, string | undefined> = new Map(paths.map((path) => [path, undefined]))
  const at = (name: string): string => join(photos, name)
  const contentAt = (name: string): string => readFileSync(at(name), 'utf8')
  const vaults = (): readonly string[] =>
    readdirSync(home)
      .filter((name) => name.startsWith(VAULT_PREFIX))
      .map((name) => join(home, name))

  return {
    home,
    at,
    contentAt,
    pass: (days: number) => void (now += days * DAY_MS),
    output: () => output,
    /** Lets this process work on the vault. */
    async here<T>(work: (vault: Vault) => Promise<T>): Promise<T> {
      const vault = openTestVault({ file, home, clock: () => now })
      try {
        return await work(vault)
      } finally {
        await vault.close()
      }
    },
    prepare: async (vault: Vault) => {
      output = await vault.prepare(paths)
      results = new Map(paths.map((path) => [path, join(output, `${parse(path).name}.jpg`)]))
      for (const [path, result] of results) writeFileSync(result ?? '', resultOf(parse(path).base))
      for (const [name, content] of Object.entries(BY_OTHERS)) writeFileSync(at(name), content)
    },
    replace: (vault: Vault) => vault.replaceAll(output, results, isGood),
    cancel: (vault: Vault) => vault.replaceAll(output, results, 'cancelled'),
    request: (action: Request['action'], dieAt: number): Request => ({
      file,
      home,
      now,
      action,
      output,
      results: [...results].map(([path, result]) => [path, result ?? null]),
      open: [output],
      dieAt,
    }),
    names: (): readonly string[] => readdirSync(photos).filter(isNoTest),
    contents: (): readonly string[] =>
      filesIn([photos, ...vaults()])
        .filter(({ path }) => !isDescription(path))
        .map(({ content }) => content)
        .filter((content) => content !== ''),
    inVaults: (): readonly string[] =>
      vaults().flatMap((vault) =>
        readdirSync(vault).filter((name) => isNoTest(name) && !isDescription(name)),
      ),
    /** The originals in the journal, by their names, with the swaps that have begun. */
    kinds(): ReadonlyMap<string, string> {
      const connection = new DatabaseSync(file)
      const rows = connection.prepare('SELECT path, kind FROM replacements').all()
      connection.close()
      return new Map(rows.map(({ path, kind }) => [parse(String(path)).base, String(kind)]))
    },
  }
}

type Scenario = {
  readonly action: Request['action']
  /** Brings the world to where the action starts. */
  readonly before: (world: World, vault: Vault) => Promise<unknown>
  /** The same action in this process, after the recovery. */
  readonly again: (world: World, vault: Vault) => Promise<unknown>
  /** The originals that the action deletes on purpose. */
  readonly deletes: readonly string[]
  /** What `again` leaves in the folder, by name. */
  readonly after: Readonly<Record<string, string>>
}

const UNTOUCHED = Object.fromEntries(NAMES.map((name) => [name, originalOf(name)]))
const AT_START = { ...UNTOUCHED, ...BY_OTHERS }
const ASIDE = {
  ...BY_OTHERS,
  'edited (2).jpg': resultOf(EDITED),
  'not-smaller.jpg': originalOf('not-smaller.jpg'),
}
const AS_REPLACED = {
  ...ASIDE,
  ...Object.fromEntries(Object.entries(REPLACED).map(([name, place]) => [place, resultOf(name)])),
}
const AS_RESTORED = {
  ...ASIDE,
  ...Object.fromEntries(Object.keys(REPLACED).map((name) => [name, originalOf(name)])),
}

async function replaced(world: World, vault: Vault): Promise<void> {
  await world.prepare(vault)
  await world.replace(vault)
}

/** Two originals and the result of a restored one are in the vault. */
async function partlyRestored(world: World, vault: Vault): Promise<void> {
  await replaced(world, vault)
  await vault.undo(world.output(), [world.at('b.jpg')])
}
const PARTLY_RESTORED = { ...AS_REPLACED, 'b.jpg': originalOf('b.jpg') }

const tidy = (world: World, vault: Vault): Promise<void> => vault.tidy((output) => output === world.output())

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  replacing: {
    action: 'replace',
    before: (world, vault) => world.prepare(vault),
    again: (world, vault) => world.replace(vault),
    deletes: [],
    after: AS_REPLACED,
  },
  'preparing a job': {
    action: 'prepare',
    before: async () => undefined,
    again: (world, vault) => world.prepare(vault),
    deletes: [],
    after: AT_START,
  },
  canceling: {
    action: 'cancel',
    before: (world, vault) => world.prepare(vault),
    again: (world, vault) => world.cancel(vault),
    deletes: [],
    after: AT_START,
  },
  undo: {
    action: 'undo',
    async before(world, vault) {
      await replaced(world, vault)
      appendFileSync(world.at('c (2).jpg'), ', edited')
    },
    again: (world, vault) => vault.undo(world.output()),
    deletes: [],
    after: { ...AS_RESTORED, 'c (2).jpg': `${resultOf('c.heic')}, edited` },
  },
  redo: {
    action: 'redo',
    async before(world, vault) {
      await replaced(world, vault)
      await vault.undo(world.output())
    },
    again: (world, vault) => vault.redo(world.output()),
    deletes: [],
    after: AS_REPLACED,
  },
  expiry: {
    action: 'tidy',
    async before(world, vault) {
      await partlyRestored(world, vault)
      for (let day = 0; day < 30; day++) {
        world.pass(1)
        await tidy(world, vault)
      }
      world.pass(1)
    },
    again: tidy,
    deletes: ['a.heic', 'c.heic'],
    after: PARTLY_RESTORED,
  },
  'emptying the vault': {
    action: 'empty',
    before: partlyRestored,
    again: (_, vault) => vault.empty(),
    deletes: ['a.heic', 'c.heic'],
    after: PARTLY_RESTORED,
  },
}

/** What must be true at any moment: every file is whole, and no original is lost. */
function expectWhole(world: World, { deletes }: Scenario, which: string): void {
  const contents = world.contents()
  expect(
    contents.filter((content) => !KNOWN.has(content)),
    which,
  ).toEqual([])
  for (const name of NAMES) {
    if (deletes.includes(name) || (name === EDITED && contents.includes(BY_OTHERS[EDITED]))) continue
    expect(contents, `${which}: ${name}`).toContain(originalOf(name))
  }
}

/** Returns the photos that aren't in the folder: neither the original nor its result. */
function missing(world: World): readonly string[] {
  const found = world.names().map((name) => world.contentAt(name))
  return NAMES.filter((name) => !found.some((content) => content.includes(name)))
}

type Kill = { readonly root: string; readonly other: OtherProcess; readonly scenario: Scenario }

async function startWorld({ root, scenario }: Kill): Promise<World> {
  const world = createWorld(root)
  await world.here((vault) => scenario.before(world, vault))
  return world
}

/** Returns the steps of an action that isn't killed. */
async function stepsOf(kill: Kill): Promise<readonly string[]> {
  const { scenario, other } = kill
  const world = await startWorld(kill)
  const answer = await other.act(world.request(scenario.action, 0))
  expect(answer?.error).toBe(null)
  await other.act(world.request('close', 0))
  return answer?.steps ?? []
}

async function killAt(dieAt: number, kill: Kill): Promise<void> {
  const { scenario, other } = kill
  const { action, again, after, deletes } = scenario
  const which = `step ${dieAt}`
  const world = await startWorld(kill)
  await expect(other.act(world.request(action, dieAt)), which).resolves.toBe(null)
  expectWhole(world, scenario, which)
  // A place is only empty between the two moves of a swap.
  for (const name of missing(world)) expect(world.kinds().get(name), which).toBe('swapping')

  // The next start is killed too, at another step each time.
  const answer = await other.act(world.request('tidy', 1 + ((dieAt * 7) % 23)))
  expectWhole(world, scenario, which)
  if (answer !== null) await other.act(world.request('close', 0))

  await world.here((vault) => tidy(world, vault))
  expectWhole(world, scenario, which)
  expect(missing(world), which).toEqual([])
  expect([...world.kinds().values()], which).not.toContain('swapping')

  await world.here((vault) => again(world, vault))
  const left = Object.fromEntries(world.names().map((name) => [name, world.contentAt(name)]))
  expect(left, which).toEqual(after)

  await world.here((vault) => vault.undo(world.output()))
  for (const name of action === 'prepare' ? [] : Object.keys(REPLACED)) {
    if (deletes.includes(name)) continue
    expect(world.contentAt(name), which).toBe(originalOf(name))
    expect(statSync(world.at(name)).mtime, which).toEqual(TAKEN_AT)
  }
  // A job that was killed while it was prepared is forgotten two days later.
  world.pass(3)
  await world.here(async (vault) => {
    await vault.empty()
    await vault.tidy(() => false)
  })
  expect(world.inVaults(), which).toEqual([])
  rmSync(world.home, { recursive: true })
}

it.each(firstOf(Object.entries(SCENARIOS)))(
  'killed at any step, %s leaves every file whole, and the next start finishes it or undoes it',
  async (_, scenario) => {
    const other = createOtherProcess()
    onTestFinished(() => other.end())
    const kill = { root: temporaryFolder(), other, scenario }
    const steps = await stepsOf(kill)
    for (const dieAt of isLongSuite ? steps.map((_step, index) => index + 1) : sampled(steps))
      await killAt(dieAt, kill)
  },
)

/** Where a kill does the most harm: while a place is empty, or else after the first file was moved or deleted. */
function sampled(steps: readonly string[]): readonly number[] {
  const link = steps.indexOf('link')
  const change = steps.findIndex((name) => name === 'rename' || name === 'rm')
  return [link === -1 ? change + 2 : link + 1]
}
