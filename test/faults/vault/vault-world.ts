/**
 * Folders of photos with a vault, and everything that can happen to them: jobs, undo, edits, moves and deletions by others,
 * clocks that jump, an emptied vault, moved folders and volumes, an unmounted volume and a full disk.
 */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, parse } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { createPhotoContents, filesIn, type Found } from './photo-contents.ts'
import { rebased } from '../../../src/main/vault/locate-vaults.ts'
import { BALLAST, type SmallVolume } from './small-volume.ts'
import { isGood, openTestVault } from './test-vault.ts'
import { DAY_MS, HOUR_MS } from '../../../src/shared/durations.ts'

type Job = {
  readonly output: string
  readonly results: ReadonlyMap<string, string | undefined>
  /** The originals that waited when the user canceled the job. They are never replaced. */
  cancelled: readonly string[] | undefined
}

export type VaultWorld = ReturnType<typeof createVaultWorld>

export type WorldParts = {
  /** An empty folder. The user's home is in it. */
  readonly root: string
  /** From 0 to 1. */
  readonly random: () => number
  readonly volume: SmallVolume | undefined
}

export function createVaultWorld({ root, random, volume }: WorldParts) {
  let home = join(root, 'home')
  let folders = [join(home, 'photos'), ...(volume === undefined ? [] : [join(volume.mounted, 'photos')])]
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  // With a small volume, the journal is on that disk too, so that it can't be written either when the disk is full. It is in no folder
  // that the test reads, because reading SQLite's files would release the locks that this process holds on them.
  const data = volume === undefined ? join(root, 'data') : join(volume.files, '../data')
  rmSync(data, { recursive: true, force: true })
  const file = join(data, 'state.db')
  const contents = createPhotoContents()
  let trueTime = Date.UTC(2026, 10, 25)
  /** How wrong the clock is, in ms. */
  let wrong = 0
  let serial = 0
  let jobs: Job[] = []
  let mayExpire = false
  let lostMeanwhile: readonly string[] = []
  let journalCopy: Buffer | undefined
  const now = (): number => Math.round(trueTime + wrong)
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  const chance = (share: number): boolean => random() < share
  const trace: string[] = []
  const note = (what: string, about: object = {}): void =>
    void trace.push(`${what} ${inspect(about, { breakLength: Infinity })}`)
  const open = () => openTestVault({ file, home, clock: now, log: note })
  let vault = open()
  let isStopped = false

  // ── What others do ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Writes a photo: a new inode, as editors do, or the same one. */
  function write(path: string): void {
    const content = contents.photo(200 + Math.floor(random() * 200))
    const isAtomic = chance(0.5)
    contents.overwrite(path)
    writeFileSync(isAtomic ? `${path}.new` : path, content)
    if (isAtomic) renameSync(`${path}.new`, path)
  }

  /** The folders in which others can write now. */
  const writable = (): readonly string[] =>
    folders.filter((folder) => existsSync(folder) && !(volume?.isFull() === true && isOnVolume(folder)))
  const someFolder = (): string | undefined => pick(writable())
  const isOnVolume = (path: string): boolean => volume !== undefined && path.startsWith(volume.mounted)

  for (const [index, folder] of folders.entries())
    for (let n = 0; n < 3; n++) write(join(folder, `photo-${index}${n}.${n % 2 === 0 ? 'heic' : 'jpg'}`))

  /**
   * Others edit, move, link or delete a file.
   * @param isDuring whether an action runs. Then they don't remove files, because expiry can't see that in time, and their edits change
   * the date, because an edit that can't be seen at all is only found by reading the file, which happens a moment earlier
   */
  function meddle(isDuring = false): void {
    note('others meddle')
    const folder = someFolder()
    const path = folder && pick(photosIn(folder))
    if (path === undefined) return
    const { dir, name, ext } = parse(path)
    const what = random()
    if (what < 0.3) return write(path)
    if (what < 0.35) return utimesSync(path, new Date(trueTime), new Date(trueTime - 5_000))
    if (what < 0.4) return linkSync(path, join(dir, `link-${(serial += 1)}${ext}`))
    if (what < 0.5) return isDuring ? write(path) : editInvisibly(path)
    if (what < 0.6) {
      const taken = join(dir, `${name}.jpg`)
      if (!existsSync(taken)) write(taken)
    } else if (!isDuring && what < 0.8) renameSync(path, join(dir, `moved-${(serial += 1)}${ext}`))
    else if (!isDuring && what < 0.9) {
      contents.remove(path)
      rmSync(path)
    } else if (!isDuring) saveInVault()
  }

  /** A program saves a file that it had open when the file moved to a vault. */
  function saveInVault(): void {
    const held = filesIn(writable().flatMap((folder) => vaultsIn(dirname(folder))))
    const file = pick(held.filter(({ path }) => ['originals', 'replaced'].includes(basename(dirname(path)))))
    if (file !== undefined) writeFileSync(file.path, contents.savedInVault(file.content))
  }

  /** An edit of the same length that keeps inode and dates. */
  function editInvisibly(path: string): void {
    const { atime, mtime, size } = lstatSync(path)
    contents.overwrite(path)
    writeFileSync(path, contents.photo(size))
    utimesSync(path, atime, mtime)
  }

  // ── What the user does with Mediatray ──────────────────────────────────────────────────────────────────────────────

  /** Starts a job: some results are larger, damaged or missing. */
  async function startJob(): Promise<void> {
    const folder = someFolder()
    const paths = folder === undefined ? [] : photosIn(folder).filter(() => chance(0.6))
    if (paths.length === 0) return
    const output = await vault.prepare(paths)
    const results = new Map<string, string | undefined>(paths.map((path) => [path, undefined]))
    // The service reads what is there now. Others may have edited the files since.
    for (const path of paths.filter((one) => existsSync(one))) {
      const original = readFileSync(path, 'latin1')
      contents.becameOriginal(original)
      const result = join(output, `${parse(path).name}.jpg`)
      const fate = random()
      if (fate > 0.9 || existsSync(result)) continue
      const what = fate > 0.8 ? 'x'.repeat(900) : fate < 0.1 ? 'damaged' : ''
      writeFileSync(result, contents.resultOf(original, what))
      results.set(path, result)
    }
    jobs.push({ output, results, cancelled: undefined })
  }

  const checkOf = ({ cancelled }: Job) => (cancelled === undefined ? isGood : 'cancelled')
  const endJob = (job: Job) => vault.replaceAll(job.output, job.results, checkOf(job))

  /** The request is noted first. */
  function cancelJob(job: Job) {
    job.cancelled ??= journal().flatMap(({ job: folder, path, kind }) =>
      kind === 'waiting' && folder === dirname(job.output) ? [path] : [],
    )
    return endJob(job)
  }

  /** The user takes an undo back that may only finish now. */
  const takeBack = ({ output }: Job): void =>
    contents.takeBack(contentsInVault(everything(), ({ job }) => job === dirname(output)))

  function redoJob(job: Job) {
    takeBack(job)
    return vault.redo(job.output)
  }

  async function undoAll(): Promise<void> {
    for (const { output } of jobs.toReversed()) await vault.undo(output)
  }

  /** A folder, the home folder or the volume moves while Mediatray doesn't run. */
  async function moveFolders(): Promise<void> {
    await vault.close()
    const what = random()
    if (volume?.isMounted() === true && !volume.isFull() && what < 0.6) moveVolume(volume, what)
    else if (what < 0.8) {
      const folder = someFolder()
      if (folder !== undefined) moveTo(folder, join(dirname(folder), `photos-${(serial += 1)}`))
    } else {
      const before = home
      home = join(root, `home-${(serial += 1)}`)
      moveTo(before, home)
    }
    vault = open()
    await vault.recover()
  }

  function moveVolume(one: SmallVolume, what: number): void {
    if (what < 0.3) return one.moveToOtherDisk()
    const before = one.mounted
    one.mountElsewhere()
    noteMove(before, one.mounted)
  }

  function moveTo(from: string, to: string): void {
    renameSync(from, to)
    noteMove(from, to)
  }

  /** Undo may create the earlier folder again. */
  function noteMove(from: string, to: string): void {
    const moveOf = (path: string): string => rebased(path, from, to)
    folders = [...new Set([...folders.map(moveOf), ...folders])]
    contents.moved(moveOf)
  }

  const isOpen = (output: string): boolean => jobs.some((job) => job.output === output)

  async function tidy(): Promise<void> {
    mayExpire = true
    await vault.tidy(isOpen)
  }

  /** Time passes. Tidies as often as the app does, at least until the clock was right for a while. */
  async function passTime(): Promise<void> {
    if (chance(0.7)) {
      trueTime += chance(0.5) ? HOUR_MS * (1 + random()) : DAY_MS * (1 + 40 * random())
      return tidy()
    }
    for (let days = 40 * random(); days > 0; days--) {
      trueTime += DAY_MS
      await tidy()
      // A swap that is finished on the first day may have expired by the last one.
      lostMeanwhile = lost()
    }
  }

  /** The clock gets wrong by up to two months and stays so, or is corrected. */
  function driftTime(): void {
    wrong = wrong === 0 ? (chance(0.5) ? 1 : -1) * DAY_MS * (1 + 60 * random()) : 0
  }

  /** An older copy of the journal takes its place, or the current one is copied. */
  async function restoreJournal(): Promise<void> {
    await vault.close()
    const files = ['', '-wal', '-shm'].map((ending) => file + ending)
    if (journalCopy === undefined) journalCopy = existsSync(file) ? readFileSync(file) : undefined
    else {
      for (const one of files) rmSync(one, { force: true })
      writeFileSync(file, journalCopy)
      journalCopy = undefined
      contents.forgetUndo()
      for (const job of jobs) if (job.cancelled !== undefined) job.cancelled = []
    }
    vault = open()
    await vault.recover()
  }

  /** The clock is wrong by years for less than a day. */
  async function jumpTime(): Promise<void> {
    const before = wrong
    wrong = (chance(0.5) ? 1 : -1) * DAY_MS * (200 + 3_000 * random())
    try {
      await tidy()
      trueTime += HOUR_MS
      if (chance(0.5)) await act(0.3 + 0.35 * random())
      trueTime += HOUR_MS
      await tidy()
    } finally {
      wrong = before
    }
    await tidy()
  }

  async function empty(): Promise<void> {
    const before = everything()
    try {
      await vault.empty()
    } finally {
      contents.giveUpAllOf(before, everything())
    }
  }

  function changeVolume(): void {
    if (volume === undefined) return
    if (chance(0.4)) return volume.isFull() ? volume.free() : volume.fill()
    if (volume.isMounted()) volume.unmount()
    else volume.mount()
  }

  /** The upper end of each action's share of `random`. An action needs a job, which is started first. */
  const actions: readonly (readonly [number, string, (job: Job) => unknown])[] = [
    [0.25, 'job starts', startJob],
    [0.46, 'job ends', endJob],
    [0.5, 'job is canceled', cancelJob],
    [0.58, 'undo', ({ output }) => vault.undo(output)],
    [0.65, 'undo one', ({ output, results }) => vault.undo(output, [...results.keys()].slice(0, 1))],
    [0.75, 'redo', redoJob],
    [0.79, 'undo all', undoAll],
    [0.81, 'vaults are emptied', empty],
    [0.83, 'record is deleted', (job) => (jobs = jobs.filter((one) => one !== job))],
    [0.86, 'clock jumps', jumpTime],
    [0.88, 'clock drifts', driftTime],
    [0.89, 'journal is copied or restored', restoreJournal],
    [0.92, 'folders move', moveFolders],
    [0.95, 'volume changes', changeVolume],
    [1, 'time passes', passTime],
  ]

  async function act(what = random()): Promise<void> {
    const job = pick(jobs)
    const [, name, perform] = actions.find(([share]) => job !== undefined && what < share) ?? [
      '',
      'job starts',
      startJob,
    ]
    note(name)
    await perform(job as Job)
  }

  async function restart(): Promise<void> {
    note('restart')
    await vault.close().catch(() => undefined)
    isStopped = false
    vault = open()
    await tidy()
  }

  /** Starts again with everything connected and enough space. */
  async function restartWell(): Promise<void> {
    volume?.free()
    volume?.mount()
    await restart()
  }

  // ── What must be true ──────────────────────────────────────────────────────────────────────────────────────────────

  /** Returns all photos at the paths that the user sees, also while the volume isn't mounted. */
  const everything = (): readonly Found[] =>
    filesIn(volume === undefined ? [home] : [volume.files, home])
      .filter(({ path }) => !/\/\.mediatray-[0-9a-f]{16}$/.test(path) && basename(path) !== BALLAST)
      .map((found) => ({ ...found, path: seen(found.path) }))

  /** The other disk is a mount point itself, so Mediatray may find its vault there while the volume isn't mounted. */
  const seen = (path: string): string => (volume === undefined ? path : seenPath(volume, path))

  function lost(): readonly string[] {
    const may = mayExpire
    mayExpire = false
    const all = everything()
    // An undo notes them first, and they stay noted until they are back.
    contents.want(contentsInVault(all, ({ isRetained }) => isRetained))
    const earlier = lostMeanwhile
    lostMeanwhile = []
    return [...earlier, ...contents.lost(all, may, trueTime)]
  }

  /** Returns the contents of the originals of these rows, as far as they are in vaults. */
  function contentsInVault(all: readonly Found[], isMeant: (row: Row) => boolean): readonly string[] {
    const meant = new Set(
      journal()
        .filter((row) => isMeant(row))
        .map(({ original, swap }) => original ?? swap?.entering.from),
    )
    return all.filter(({ path, isInVault }) => isInVault && meant.has(path)).map(({ content }) => content)
  }

  type Row = {
    readonly job: string
    readonly path: string
    readonly isRetained: boolean
    /** Where the job's folder is now. */
    readonly folder: string
    readonly kind: string
    readonly original?: string
    readonly result?: unknown
    readonly swap?: { readonly entering: { readonly from: string } }
  }

  function journal(): readonly Row[] {
    if (!existsSync(file)) return []
    const connection = new DatabaseSync(file)
    const rows = connection.prepare('SELECT job, path, folder, isRetained, state FROM replacements').all()
    connection.close()
    return rows.map(({ job, path, folder, isRetained, state }) => ({
      job: String(job),
      path: String(path),
      isRetained: isRetained === 1,
      folder: seen(String(folder)),
      ...(JSON.parse(String(state), (_, part: unknown) =>
        typeof part === 'string' ? seen(part) : part,
      ) as Omit<Row, 'job' | 'path' | 'isRetained' | 'folder'>),
    }))
  }

  /** Returns the files in the vaults that the journal doesn't know. */
  function unaccounted(): readonly string[] {
    const known = new Set<string>()
    const outputs = new Set<string>()
    const jobFolders = new Set<string>()
    // A job that was killed while it was forgotten is removed two days later, by the clock that its folder is named after.
    const yesterday = new Date(Math.min(trueTime, now()) - DAY_MS).toISOString().slice(0, 10)
    const isYoung = (job: string): boolean => !jobFolders.has(job) && basename(job) >= yesterday
    for (const { folder: job, kind, original, result } of journal()) {
      jobFolders.add(job)
      if (original !== undefined) known.add(original)
      if (typeof result === 'string') known.add(result)
      if (kind === 'waiting') outputs.add(join(job, 'results'))
      if (kind === 'swapping') known.add(`swapping ${job}`)
    }
    const all = filesIn([...vaultsIn(home), ...(volume === undefined ? [] : vaultsIn(volume.mounted))])
    return [
      ...[...known].filter((path) => path.startsWith('swapping')),
      ...all
        .map(({ path }) => path)
        .filter((path) => basename(path) !== 'journal' && !isDescription(path, outputs))
        .filter(
          (path) => !known.has(path) && !outputs.has(dirname(path)) && !isYoung(dirname(dirname(path))),
        ),
    ]
  }

  const states = (kind: string): readonly string[] =>
    jobs.flatMap(({ output }) =>
      vault
        .of(output)
        .filter(({ state }) => state.kind === kind)
        .map(({ path }) => path),
    )

  return {
    note,
    /** What has happened. */
    trace: (): readonly string[] => trace,
    act: () => act(),
    /** Mediatray ends in an orderly way while an action may run. */
    stop(): void {
      note('stop')
      vault.stop()
      if (chance(0.5)) void vault.close()
      isStopped = true
    },
    isStopped: () => isStopped,
    meddle,
    restart,
    restartWell,
    lost,
    broken: () => contents.broken(everything()),
    unaccounted,
    unfinished: () => states('waiting'),
    /** Originals in the vaults. The end of a process may leave an entry whose original was deleted on purpose. */
    replaced: () =>
      journal().flatMap(({ job, kind, original }) =>
        kind === 'replaced' && isOpen(join(job, 'results')) && existsSync(original ?? '')
          ? [original ?? '']
          : [],
      ),
    /** Originals that were replaced although the user had canceled their job before. */
    replacedAfterCancel: () =>
      journal().flatMap(({ job: folder, path, kind }) => {
        const job = jobs.find(({ output }) => dirname(output) === folder)
        return kind === 'replaced' && job?.cancelled?.includes(path) === true ? [path] : []
      }),
    isFull: () => volume?.isFull() === true,
    async finishJobs() {
      for (const job of jobs) await endJob(job)
    },
    undoAll,
    close: () => vault.close(),
  }
}

/** Whether the file describes a job's original, or what was one. The folder stays while the job waits or its vault holds files. */
function isDescription(path: string, waiting: ReadonlySet<string>): boolean {
  const job = dirname(dirname(path))
  const isUsed =
    waiting.has(join(job, 'results')) || ['originals', 'replaced'].some((name) => existsSync(join(job, name)))
  return isUsed && basename(dirname(path)) === 'records'
}

const vaultsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('.mediatray-vault-'))
    .map((name) => join(folder, name))

const photosIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .map((name) => join(folder, name))
        // An empty file may be the placeholder of a file system without hard links.
        .filter((path) => isPhoto(path))
    : []

const seenPath = ({ files, mounted }: SmallVolume, path: string): string =>
  path.startsWith(files) ? mounted + path.slice(files.length) : path

function isPhoto(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size > 0
}
