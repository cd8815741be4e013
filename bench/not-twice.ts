/** Submits 10,000 files that an earlier job has already processed. Nothing is sent, and no content is read. */
import { onlyPlace } from '../src/shared/model/job-state.ts'
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openHistory } from '../src/main/history/index.ts'
import { builtInPresetKeys, printFile } from '../src/main/ledger/index.ts'
import { openOutbox } from '../src/main/outbox/index.ts'
import { asRecordId } from '../src/shared/model/ids.ts'
import { endHost } from './command.ts'
import { atMost, type BenchRow } from './row.ts'
import { temporaryFolder } from './temporary-folder.ts'

const FILES = 10_000
const ROUNDS = 3
const BUDGET_MS = 2_000
const PRESET = 'Web 2048'
const COMMAND = join(import.meta.dirname, '../dist/cli/mediatray.js')
const SAMPLE = join(import.meta.dirname, '../assets/samples/dawn-upright.jpg')
const LONG_AGO = new Date('2024-05-01T10:00:00Z')

export async function benchNotTwice(): Promise<readonly BenchRow[]> {
  await using folder = await temporaryFolder()
  const [photos, data] = [join(folder.path, 'photos'), join(folder.path, 'data')]
  const paths = await photosIn(photos)
  await enterAsDone(paths, join(folder.path, 'results'), data)
  const env = { ...process.env, MEDIATRAY_DATA_DIR: data }
  const args = [COMMAND, '--json', 'submit', photos, '--preset', PRESET, '--skip-done']
  const rounds: number[] = []
  let left = 0
  for (let round = 0; round < ROUNDS; round++) {
    await endHost(env)
    const startedAt = performance.now()
    const stdout = execFileSync(process.execPath, args, { env, encoding: 'utf8', maxBuffer: 1e9 })
    rounds.push(performance.now() - startedAt)
    left += (JSON.parse(stdout) as { readonly left: number }).left
  }
  await endHost(env)
  const outbox = openOutbox({
    file: join(data, 'outbox.db'),
    clock: Date.now,
    ids: () => asRecordId('none'),
  })
  const sent = left + [...outbox.pages()].flat().length
  outbox.close()
  return [
    atMost(
      'not twice: 10,000 known files',
      Math.min(...rounds),
      'ms',
      BUDGET_MS,
      `fastest of ${ROUNDS} whole commands, each with the start of its host`,
    ),
    atMost('not twice: 10,000 known files, submissions', sent, '', 0),
  ]
}

async function photosIn(folder: string): Promise<readonly string[]> {
  await mkdir(folder)
  const photo = (await readFile(SAMPLE)).subarray(0, 20_000)
  const paths = Array.from({ length: FILES }, (_, n) => join(folder, `IMG_${n}.jpg`))
  for (const [n, path] of paths.entries()) {
    await writeFile(path, Buffer.concat([photo, Buffer.alloc(n)]))
    await utimes(path, LONG_AGO, LONG_AGO)
  }
  return paths
}

/** Records the files as if a job had processed all of them. */
async function enterAsDone(paths: readonly string[], folder: string, data: string): Promise<void> {
  await mkdir(folder)
  await mkdir(data)
  const id = asRecordId('done')
  const history = openHistory({ file: join(data, 'history.db'), clock: Date.now, log: () => undefined })
  const preset = (await builtInPresetKeys(join(data, 'service/presets')))(PRESET) ?? ''
  const common = {
    preset,
    presetName: PRESET,
    variations: 1,
    role: 'input',
    recordId: id,
    at: Date.now(),
  } as const
  const entries = []
  for (const [n, path] of paths.entries()) {
    const result = join(folder, `${n}.jpg`)
    await writeFile(result, `result ${n}`)
    const printed = await printFile(path, Date.now)
    if (printed === undefined) throw new Error(`${path} has no fingerprint`)
    const { size, mtimeMs } = await stat(result)
    entries.push({
      ...common,
      ...printed,
      path,
      results: [{ path: result, size, mtime: Math.floor(mtimeMs) }],
    })
  }
  const output = { kind: 'folder', path: folder } as const
  history.recordSubmission({
    title: {
      id,
      name: 'IMG_0.jpg',
      firstPath: paths[0] ?? null,
      photos: FILES,
      videos: 0,
      files: FILES,
      preset: PRESET,
      variations: 1,
      output,
      driveInput: null,
      place: onlyPlace({ id, photos: FILES, videos: 0 }),
      origin: 'ours',
      createdAt: Date.now(),
    },
    plan: { items: [], grouping: 'together', preset: PRESET, variations: 1, output, driveInput: null },
  })
  history.recordResults(id, [{ file: '', outputPath: join(folder, '0.jpg'), index: 0 }], [])
  history.recordOutcome(id, { kind: 'done', results: FILES, uploaded: null }, Date.now())
  history.recordMeasured(id, { sizes: [], resultBytes: null, entries })
  history.close()
}
