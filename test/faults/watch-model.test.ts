/**
 * Plays random rounds with a watched folder and the jobs that its files become: results among the originals, failing jobs, replaced and
 * restored originals, dates ahead, inodes with another content, renames,
 * also before a file's turn, copies and restarts.
 */
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, parse } from 'node:path'
import { expect, it } from 'vitest'
import { fingerprintFiles } from '../../src/main/watch/fingerprint.ts'
import type { FinishedJob, NotedResult } from '../../src/main/watch/index.ts'
import { sortFiles } from '../../src/main/watch/new-files.ts'
import { createOwnResults } from '../../src/main/watch/own-results.ts'
import { openStore } from '../main/watch/watched.ts'
import { folderInMemory } from '../temporary-folder.ts'
import { roundsOf } from './long-suite.ts'
import { seededRandom } from './seeded-random.ts'

const ROUNDS = roundsOf(400, 8)
const ACTIONS = 25
const SERVICES = ['built-in', 'built-in that fails', 'replaced', 'other', 'other that fails'] as const
type Service = (typeof SERVICES)[number]

it(`processes each new content once and no noted result in ${ROUNDS.length} rounds`, async () => {
  const folder = folderInMemory()
  for (const seed of ROUNDS) {
    const root = mkdtempSync(join(folder, 'round-'))
    await playRound(seed, root)
    rmSync(root, { recursive: true })
  }
})

async function playRound(seed: number, root: string): Promise<void> {
  const world = createWorld(root, seededRandom(seed))
  try {
    for (let n = 0; n < ACTIONS; n++) await world.act()
    expect(await world.scansUntilCalm(), `scans in round ${seed}`).toBe('calm')
    expect(world.faults(), `round ${seed}`).toEqual([])
  } finally {
    world.close()
  }
}

type Origin =
  | { readonly kind: 'foreign'; copies: number; wasScanned: boolean; wasLeft: boolean }
  | { readonly kind: 'noted' }
  /** Another service made it without a report. */
  | { readonly kind: 'unreported'; readonly ofUnreported: boolean; copies: number }

const read = (path: string): string => readFileSync(path, 'utf8')

const noted = (path: string, content: string): NotedResult => ({
  path,
  size: Buffer.byteLength(content),
  content: createHash('sha256').update(content).digest('hex'),
  at: Date.now(),
})

function createWorld(root: string, random: () => number) {
  const inbox = join(root, 'in')
  mkdirSync(join(inbox, 'results'), { recursive: true })
  const origins = new Map<string, Origin>()
  const processed: string[] = []
  /** Contents whose job has found them missing. */
  const missed = new Set<string>()
  const faults: string[] = []
  /** Names of files that may be unreported results, and whose jobs have failed without a report, too. What is named after them is left. */
  const inDoubt: string[] = []
  const replaced: { readonly path: string; readonly content: string }[] = []
  let notes: NotedResult[] = []
  let running: string[] = []
  let made = 0
  const open = () => {
    const store = openStore(join(root, 'state.db'))
    const own = createOwnResults(
      store,
      {
        busyFolders: () => running,
        endedInto: () => [],
        endedWatched: () => [],
        takePlaced(keep) {
          keep(notes)
          notes = []
        },
      },
      () => undefined,
    )
    return { store, own }
  }
  let { store, own } = open()

  const chance = (share: number) => random() < share
  const oneOf = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)]
  const files = (): string[] =>
    [inbox, join(inbox, 'results')].flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => join(folder, name)),
    )
  /** All contents have the same size. */
  const newContent = (what: string) => `${what} ${String((made += 1)).padStart(6, '0')}`
  const dateOf = () => new Date(oneOf([Date.now() + 120_000, 1_700_000_000_000, Date.now()]) ?? 0)
  function freePath(): string {
    const stem = oneOf(['scan', ...files().map((path) => parse(path).name)]) ?? 'scan'
    const folder = oneOf([inbox, join(inbox, 'results')]) ?? inbox
    return join(folder, `${stem.slice(0, 40)}-${(made += 1)}.jpg`)
  }

  /** A file system's clock may advance only every few milliseconds. A watched file is stable for longer. */
  function waitForClock(): void {
    const probe = join(root, 'probe')
    const now = () => {
      writeFileSync(probe, '')
      return Math.floor(statSync(probe).ctimeMs)
    }
    for (const before = now(); now() <= before;);
  }

  function put(path: string, content: string, date = dateOf()): void {
    waitForClock()
    writeFileSync(path, content)
    utimesSync(path, date, date)
  }

  function add(path: string): void {
    const content = newContent('photo')
    origins.set(content, { kind: 'foreign', copies: 0, wasScanned: false, wasLeft: false })
    put(path, content)
  }

  const actions: readonly (() => Promise<unknown> | void)[] = [
    () => add(freePath()),
    () => add(freePath()),
    async () => scan(),
    async () => scan(),
    function restart() {
      store.close()
      ;({ store, own } = open())
    },
    function rename() {
      const path = oneOf(files())
      if (path !== undefined) renameSync(path, freePath())
    },
    function remove() {
      const path = oneOf(files())
      if (path !== undefined) rmSync(path)
    },
    function copy() {
      const path = oneOf(files())
      if (path === undefined) return
      const to = freePath()
      copyFileSync(path, to)
      const { atime, mtime } = statSync(path)
      utimesSync(to, atime, mtime)
      const origin = origins.get(read(path))
      if (origin !== undefined && origin.kind !== 'noted') origin.copies += 1
    },
    /** Like a deleted file whose inode a new one gets, with the same size and date. */
    function reuseInode() {
      const path = oneOf(files())
      if (path === undefined) return
      const { mtime } = statSync(path)
      const content = newContent('photo')
      origins.set(content, { kind: 'foreign', copies: 0, wasScanned: false, wasLeft: false })
      put(path, content, mtime)
      if (chance(0.7)) renameSync(path, freePath())
    },
    function undo() {
      const original = replaced.pop()
      if (original === undefined) return
      rmSync(original.path, { force: true })
      store.noteReturned(noted(original.path, original.content))
      put(original.path, original.content)
      const origin = origins.get(original.content)
      // If the user renames it before the next scan, it is a new file.
      if (origin?.kind === 'foreign') origin.copies += 1
    },
  ]

  async function sortAndLeave(paths: readonly string[]) {
    await own.refresh()
    const { fresh, left, unclear, changed } = await sortFiles(await fingerprintFiles(paths), {
      root: inbox,
      isUnderWay: () => false,
      knows: (file) => store.knows('w', file),
      sameAs: (file) => store.sameAs('w', file),
      own,
    })
    if (unclear.length + changed.length > 0) faults.push('files that no job writes are unclear')
    store.leave('w', left)
    return fresh
  }

  /**
   * Scans while the user does nothing and one service does all jobs. A scan finds all that is new. If the service never reports its
   * results, the next one finds those. What such a service makes of them is left, so no scan finds anything after that.
   */
  async function scansUntilCalm(): Promise<'calm' | readonly number[]> {
    const service = oneOf(SERVICES)
    const found = [await scan(service)]
    if (service === 'other that fails') found.push(await scan(service))
    found.push(await scan(service))
    return found.at(-1) === 0 ? 'calm' : found
  }

  /** @param service does all jobs, and no file is renamed before its turn; without it, anything can happen */
  async function scan(service?: Service): Promise<number> {
    const paths = files()
    for (const path of paths) {
      const origin = origins.get(read(path))
      const isLeft = inDoubt.some((stem) => parse(path).name.startsWith(stem))
      if (origin?.kind !== 'foreign') continue
      // It stays known under another name.
      origin.wasLeft ||= isLeft
      origin.wasScanned ||= !origin.wasLeft
    }
    const fresh = await sortAndLeave(paths)
    store.beginTaking('w', fresh, `key ${made}`)
    store.finishTaking('w', `key ${made}`)
    const jobs = fresh.map(({ path }) => ({ path, content: read(path) }))
    for (const job of jobs) {
      if (service !== undefined || missed.has(job.content) || !chance(0.2))
        runJob(job.path, job.content, service ?? oneOf(SERVICES))
      else await missJob(job.path, job.content)
    }
    await own.refresh()
    return fresh.length
  }

  /** The file is renamed before its turn, and perhaps found under its new name before the job ends. */
  async function missJob(path: string, content: string): Promise<void> {
    missed.add(content)
    // It is new under its new name, unless it is deleted or overwritten before the next scan.
    const origin = origins.get(content)
    if (origin?.kind === 'foreign') origin.wasScanned = false
    const renamed = freePath()
    waitForClock()
    renameSync(path, renamed)
    if (chance(0.5)) await sortAndLeave([renamed])
    if (chance(0.3)) add(path)
    const now = Date.now()
    const ended = { inputs: [path], results: [], complete: true, since: now, until: now }
    own.note({ id: `missed ${content}`, outputFolder: null, watched: 'w', gone: [path], later: [], ...ended })
  }

  function runJob(path: string, content: string, service?: Service): void {
    processed.push(content)
    const origin = origins.get(content)
    const result = newContent('made ')
    if (service === 'replaced') {
      origins.set(result, { kind: 'noted' })
      store.noteResults([noted(path, result)])
      const { mtime } = statSync(path)
      rmSync(path)
      put(path, result, mtime)
      if (origin?.kind === 'foreign') replaced.push({ path, content })
      return
    }
    const outputFolder = oneOf([inbox, join(inbox, 'results')]) ?? inbox
    const place = join(outputFolder, `${parse(path).name}-web-${made}.jpg`)
    const isUnreported = service === 'other that fails'
    if (isUnreported && store.wasDoubtful(path)) inDoubt.push(parse(path).name)
    running = [outputFolder]
    const since = Date.now()
    if (service?.startsWith('built-in') === true) notes.push(noted(place, result))
    put(place, result)
    origins.set(
      result,
      isUnreported
        ? { kind: 'unreported', ofUnreported: origin?.kind === 'unreported', copies: 0 }
        : { kind: 'noted' },
    )
    const work: FinishedJob = {
      id: `job ${made}`,
      outputFolder,
      watched: 'w',
      gone: [],
      later: [],
      inputs: [path],
      results: service === 'built-in' || service === 'other' ? [place] : [],
      complete: !isUnreported,
      since,
      until: Date.now(),
    }
    own.note(work)
    running = []
  }

  return {
    act: async () => oneOf(actions)?.(),
    scansUntilCalm,
    close: () => store.close(),
    /** Describes what was lost, or processed too often. */
    faults(): readonly string[] {
      for (const [content, origin] of origins) {
        const times = processed.filter((one) => one === content).length
        if (origin.kind === 'foreign' && origin.wasScanned && times === 0) faults.push(`never: ${content}`)
        const most = { foreign: 1, noted: 0, unreported: 1 }[origin.kind]
        const copies = origin.kind === 'noted' ? 0 : origin.copies
        const isOwnOfOwn = origin.kind === 'unreported' && origin.ofUnreported
        // A copy or a file of another service is processed once more at most.
        if (times > most + copies && !isOwnOfOwn) faults.push(`${times} times: ${content}`)
      }
      return faults
    },
  }
}
