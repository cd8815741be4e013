/**
 * Replaces the originals of a finished job. Measures the processor time of everything but decoding the results: hashes, attributes,
 * journal, syncs, renames, and the notes for watched folders.
 */
import { execFile } from 'node:child_process'
import { hash, randomFillSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { openState } from '../src/main/core/open-state.ts'
import { notingIn } from '../src/main/core/open-vault.ts'
import { openVault } from '../src/main/vault/index.ts'
import { createProcessedFiles } from '../src/main/watch/index.ts'
import { cpuTime, timed } from './measure.ts'
import { atMostTimes, type BenchRow } from './row.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The files are small, so that the time for hashing them hardly matters. */
const FILES = 500
const ORIGINAL_BYTES = 100_000
const RESULT_BYTES = 30_000
/** Linux keeps these files in memory, so that the work of a disk and its file system doesn't count. */
const MEMORY = '/dev/shm'

export async function benchReplace(): Promise<readonly BenchRow[]> {
  await using folder = await temporaryFolder(existsSync(MEMORY) ? MEMORY : undefined)
  const [photos, data] = [join(folder.path, 'photos'), join(folder.path, 'data')]
  await mkdir(photos)
  const file = join(data, 'state.db')
  const { connection } = openState(file, Date.now)
  const vault = openVault({
    file,
    connection,
    home: folder.path,
    clock: Date.now,
    keepDays: () => ({ from: 'choice', days: 30 }),
    onKeepDays: () => undefined,
    notePlacing: notingIn(createProcessedFiles(connection, Date.now), Date.now),
    onChange: () => undefined,
    onReleased: () => undefined,
    log: () => undefined,
  })
  const floorBefore = await bareExchange(join(folder.path, 'before'))
  const names = Array.from({ length: FILES }, (_, n) => `IMG_${n}`)
  for (const name of names) await writeRandom(join(photos, `${name}.heic`), ORIGINAL_BYTES)
  const before = await usedTime()
  const output = await vault.prepare(names.map((name) => join(photos, `${name}.heic`)))
  const prepared = await usedTime()
  for (const name of names) await writeRandom(join(output, `${name}.jpg`), RESULT_BYTES)
  const results = new Map(
    names.map((name) => [join(photos, `${name}.heic`), join(output, `${name}.jpg`)] as const),
  )
  const start = await usedTime()
  let kinds: readonly string[] = []
  const wallMs = await timed(async () => {
    const replacements = await vault.replaceAll(output, results, () => Promise.resolve(true))
    kinds = replacements.map(({ state }) => state.kind)
  })
  const end = await usedTime()
  await vault.close()
  connection.close()
  if (kinds.some((kind) => kind !== 'replaced')) throw new Error('An original was kept.')
  return [
    atMostTimes(
      'replace the originals: overhead of each file',
      (end - start + prepared - before) / FILES,
      'ms',
      { floor: (floorBefore + (await bareExchange(join(folder.path, 'after')))) / 2, most: 2.2 },
      `processor time, child processes included, without decoding the result; ${FILES} files of 100 KB, in memory, because the rest depends on the disk; ${(wallMs / FILES).toFixed(1)} ms from start to end; the floor is hashing both files, ${FILE_OPERATIONS} other file operations, moving the files, syncing both folders, four synced rows in a database, and cp for the attributes`,
    ),
  ]
}

/** Returns the processor time of exchanging a file for another with nothing but the necessary steps, in ms. */
async function bareExchange(folder: string): Promise<number> {
  const [away, originals, results] = ['away', 'originals', 'results'].map((name) => join(folder, name))
  if (away === undefined || originals === undefined || results === undefined) return 0
  for (const one of [away, originals, results]) await mkdir(one, { recursive: true })
  const names = Array.from({ length: FILES }, (_, n) => String(n))
  for (const name of names) {
    await writeRandom(join(originals, name), ORIGINAL_BYTES)
    await writeRandom(join(results, name), RESULT_BYTES)
  }
  using database = new DatabaseSync(join(folder, 'bare.db'))
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE steps (name TEXT, hashes TEXT)',
  )
  const note = database.prepare('INSERT INTO steps VALUES (?, ?)')
  const start = await usedTime()
  for (const name of names) {
    for (let operation = 0; operation < FILE_OPERATIONS; operation++) await lstat(join(originals, name))
    const hashes = [await hashOf(join(originals, name)), await hashOf(join(results, name))].join()
    for (let step = 0; step < STEPS; step++) note.run(name, hashes)
    await rename(join(originals, name), join(away, name))
    await rename(join(results, name), join(originals, name))
    await syncFolder(away)
    await syncFolder(originals)
  }
  if (process.platform === 'linux') await execute('sh', ['-c', COPY_ATTRIBUTES, 'sh', away, originals])
  return ((await usedTime()) - start) / FILES
}

/**
 * Minimum number of file operations that check the files and their folders before each step, hold the folders open, and describe the original
 * in its vault. Each wakes another thread.
 */
const FILE_OPERATIONS = 40
/** How many steps of an exchange are noted durably before they happen. */
const STEPS = 4
/** Node can't read extended attributes or access control lists, so `cp` copies them for each file. */
const COPY_ATTRIBUTES =
  'for f in "$1"/*; do cp --attributes-only --preserve=mode,xattr -- "$f" "$2/${f##*/}"; done'
const execute = promisify(execFile)

const hashOf = async (file: string): Promise<string> => hash('sha256', await readFile(file))

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path)
  await folder.sync()
}

const writeRandom = (path: string, bytes: number): Promise<void> =>
  writeFile(path, randomFillSync(Buffer.allocUnsafe(bytes)))

/** Returns the processor time of this process and of the children that have ended, in ms. Only Linux reports those of children. */
async function usedTime(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'latin1').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Fields 16 and 17 of proc_pid_stat(5), in hundredths of a second.
  return cpuTime() + (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * 10
}
