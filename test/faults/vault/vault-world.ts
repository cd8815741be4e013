/** A folder of photos with a vault, and everything that can happen to it: jobs, edits, moves, deletions, undo. */
import { createHash } from 'node:crypto'
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
import { basename, join, parse } from 'node:path'
import { openVault, type Vault } from '../../../src/main/vault/index.ts'

export type VaultWorld = ReturnType<typeof createVaultWorld>

const isGood = async (_: string, result: string): Promise<boolean> =>
  !readFileSync(result, 'utf8').includes('damaged')

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** @param random from 0 to 1 */
export function createVaultWorld(root: string, random: () => number) {
  const photos = join(root, 'photos')
  mkdirSync(photos)
  const now = Date.UTC(2026, 10, 25)
  let serial = 0
  /** Hashes of everything that the user has made and not deleted. */
  const precious = new Set<string>()
  /** The jobs' output folders, with the originals and their results. */
  const jobs: { output: string; results: Map<string, string | undefined> }[] = []
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  const chance = (share: number): boolean => random() < share

  const open = (): Vault =>
    openVault({
      file: join(root, 'data', 'replacements.db'),
      home: root,
      clock: () => now,
      keepDays: () => 30,
      notePlace: async () => undefined,
      onChange: () => undefined,
      onSetAside: () => undefined,
      log: () => undefined,
    })
  let vault = open()

  const contentOf = (length: number): string => `${(serial += 1)} ${'x'.repeat(length)}`

  /** The user writes a file: a new inode, as editors do, or the same one. */
  function write(path: string, atomically = chance(0.5)): void {
    const content = contentOf(200 + Math.floor(random() * 200))
    if (existsSync(path)) forgetAt(path)
    precious.add(hashOf(content))
    if (!atomically) return writeFileSync(path, content)
    writeFileSync(`${path}.new`, content)
    renameSync(`${path}.new`, path)
  }

  /** The user gives up the content at this path, unless it is a result of ours. */
  function forgetAt(path: string): void {
    precious.delete(hashOf(readFileSync(path)))
  }

  const photoPaths = (): string[] =>
    readdirSync(photos)
      .map((name) => join(photos, name))
      .filter((path) => lstatSync(path).isFile() && !basename(path).startsWith('.'))

  for (let n = 0; n < 4; n++) write(join(photos, `photo-${n}.${n % 2 === 0 ? 'heic' : 'jpg'}`))

  /** Starts a job: some results are larger, damaged or missing. */
  async function startJob(): Promise<void> {
    const paths = photoPaths().filter(() => chance(0.6))
    if (paths.length === 0) return
    const output = await vault.prepare(paths)
    const results = new Map<string, string | undefined>(paths.map((path) => [path, undefined]))
    for (const path of paths) {
      const result = join(output, `${parse(path).name}.jpg`)
      const fate = random()
      if (fate > 0.9 || existsSync(result)) continue
      const content = fate > 0.8 ? contentOf(900) : `result of ${contentOf(20)}`
      writeFileSync(result, fate < 0.1 ? `damaged ${content}` : content)
      results.set(path, result)
    }
    jobs.push({ output, results })
  }

  function meddle(): void {
    const path = pick(photoPaths())
    if (path === undefined) return
    const what = random()
    if (what < 0.4) return write(path)
    if (what < 0.5) return renameSync(path, join(photos, `moved-${(serial += 1)}${parse(path).ext}`))
    if (what < 0.6) {
      forgetAt(path)
      return rmSync(path)
    }
    if (what < 0.7) return utimesSync(path, new Date(now), new Date(now - 5_000))
    if (what < 0.75) return linkSync(path, join(photos, `link-${(serial += 1)}${parse(path).ext}`))
    const taken = join(photos, `${parse(path).name}.jpg`)
    if (!existsSync(taken)) write(taken)
  }

  async function act(): Promise<void> {
    const job = pick(jobs)
    const what = random()
    if (job === undefined || what < 0.3) return startJob()
    if (what < 0.6) return void (await vault.replaceAll(job.output, job.results, isGood))
    if (what < 0.8) return void (await vault.undo(job.output))
    if (what < 0.9) return void (await vault.redo(job.output))
    await vault.tidy(() => true)
  }

  async function restart(): Promise<void> {
    await vault.close().catch(() => undefined)
    vault = open()
    await vault.tidy(() => true)
  }

  /** Returns the hashes of all files, wherever they are. */
  function everything(folder = root): Set<string> {
    const found = new Set<string>()
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (entry.isFile()) found.add(hashOf(readFileSync(join(entry.parentPath, entry.name))))
    }
    return found
  }

  /** Returns what the user has made that is nowhere anymore. */
  function lost(): readonly string[] {
    const all = everything()
    return [...precious].filter((hash) => !all.has(hash))
  }

  const states = (kind: string): readonly string[] =>
    jobs.flatMap(({ output }) =>
      vault
        .of(output)
        .filter(({ state }) => state.kind === kind)
        .map(({ path }) => path),
    )

  return {
    act,
    meddle,
    restart,
    lost,
    unfinished: () => states('waiting'),
    replaced: () => states('replaced'),
    async finishJobs() {
      for (const { output, results } of jobs) await vault.replaceAll(output, results, isGood)
    },
    async undoAll() {
      for (const { output } of jobs.toReversed()) await vault.undo(output)
    },
    emptyFiles: () => photoPaths().filter((path) => lstatSync(path).size === 0),
    close: () => vault.close(),
  }
}
