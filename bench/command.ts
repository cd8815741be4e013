/**
 * Whole commands, from the key that is pressed to the prompt that is back, against the tools that people have: npm included, and
 * in turns, so that a busy moment of the computer hits all of them.
 */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildAll, built } from './build.ts'
import { benchNotification } from './notification.ts'
import {
  CRF,
  isInstalled,
  makeFilm,
  throughFfmpeg,
  throughHandBrake,
  throughHeifConvert,
  throughMogrify,
  throughVips,
  type Tool,
} from './other-tools.ts'
import { LONGER_SIDE, median, race, recipe } from './photo-race.ts'
import type { BenchRow } from './row.ts'
import { makeHeics, makePhotos } from './sample-photos.ts'

const root = path.resolve(import.meta.dirname, '..')
const execute = promisify(execFile)

type Work = {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

type Way = (work: Work, argv: readonly string[]) => Promise<unknown>

const throughNpm: Way = ({ env }, argv) =>
  execute('npm', ['run', '--silent', 'cli', '--', ...argv], { cwd: root, env })

/** As the launcher of the packages starts it. */
const installed: Way = ({ env }, argv) =>
  execute(
    process.execPath,
    ['--disable-sigusr1', '--disable-proto=delete', built('cli/mediatray.js'), ...argv],
    { env },
  )

const submit = (work: Work, way: Way, files: readonly string[], preset: string, output: string) =>
  way(work, ['submit', ...files, '--preset', preset, '--output', output, '--wait'])

export async function benchCommand(): Promise<BenchRow[]> {
  await buildAll()
  const folder = await mkdtemp(path.join(tmpdir(), 'mediatray-bench-'))
  const data = path.join(folder, 'data')
  const work = { folder, env: { ...process.env, VIPSHOME: undefined, MEDIATRAY_DATA_DIR: data } }
  try {
    await writePresets(path.join(data, 'service', 'presets'))
    return [
      ...(await onePhoto(work)),
      ...(await manyPhotos(work)),
      ...(await phonePhotos(work)),
      ...(await film(work, 20)),
      ...(await film(work, 80)),
      await benchNotification(path.join(folder, 'app')),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writePresets(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const video = { codec: 'h264', speed: 'veryfast', crf: CRF, height: 720 }
  for (const document of [
    { name: 'bench photo', image: recipe },
    { name: 'bench film', video },
  ]) {
    await writeFile(path.join(folder, `${document.name}.json`), JSON.stringify(document))
  }
}

const budgetRow = (
  name: string,
  measured: number,
  unit: string,
  budget: string,
  met: boolean,
  note: string,
) => ({
  name: `whole command: ${name}`,
  measured,
  unit,
  budget,
  met,
  note,
})

async function onePhoto(work: Work): Promise<BenchRow[]> {
  const small = path.join(work.folder, 'small.jpg')
  await copyFile(path.join(root, 'assets/samples/dawn-upright.jpg'), small)
  const contenders = new Map([
    ['npm', (output: string) => submit(work, throughNpm, [small], 'bench photo', output)],
    ['installed', (output: string) => submit(work, installed, [small], 'bench photo', output)],
  ])
  const seconds = await race({ contenders, folder: work.folder, rounds: 5, results: 1 })
  const row = (way: string, most: number) => {
    const measured = median(seconds.get(way) ?? [])
    return budgetRow(
      `one small photo, ${way}`,
      measured,
      's',
      `≤ ${most}`,
      measured <= most,
      'median of 5; the command, the service and a worker start, on two cores',
    )
  }
  return [row('npm', 1.2), row('installed', 0.8)]
}

type Other = {
  readonly tool: Tool
  readonly run: (output: string) => Promise<unknown>
  /** Times as fast as that one. */
  readonly least: number
  readonly isSlow?: true
  readonly note?: string
}

type Comparison = {
  readonly what: string
  readonly ours: (output: string) => Promise<unknown>
  readonly others: readonly Other[]
  readonly rounds: number
  readonly results: number
}

async function compare(work: Work, { what, ours, others, rounds, results }: Comparison): Promise<BenchRow[]> {
  const there = others.filter(({ tool }) => isInstalled(tool))
  const contenders = new Map([['ours', ours], ...there.map(({ tool, run }) => [tool, run] as const)])
  const slow = there.filter(({ isSlow }) => isSlow).map(({ tool }) => tool)
  const seconds = await race({ contenders, folder: work.folder, rounds, results, slow })
  const own = median(seconds.get('ours') ?? [])
  return others.map(({ tool, least, note }) => {
    const theirs = median(seconds.get(tool) ?? [])
    const ratio = theirs / own
    const said = seconds.has(tool)
      ? `${own.toFixed(2)} s with npm, ${theirs.toFixed(2)} s${note === undefined ? '' : `; ${note}`}`
      : `${own.toFixed(2)} s with npm; ${tool} is not installed, so that there is nothing to compare it with`
    const met = seconds.has(tool) && ratio >= least
    return budgetRow(
      `${what} against ${tool}`,
      seconds.has(tool) ? ratio : 0,
      '× throughput',
      `≥ ${least}`,
      met,
      said,
    )
  })
}

async function manyPhotos(work: Work): Promise<BenchRow[]> {
  const photos = await makePhotos(path.join(work.folder, 'photos'), 60)
  return compare(work, {
    what: `60 photos of 12 megapixels to ${LONGER_SIDE} px JPEG`,
    ours: (output) => submit(work, throughNpm, photos, 'bench photo', output),
    others: [
      {
        tool: 'vipsthumbnail',
        run: (output) => throughVips(photos, output),
        least: 1.3,
        note: 'libvips does the work in both, and ours starts npm, the command, the service and two workers first',
      },
      { tool: 'mogrify', run: (output) => throughMogrify(photos, output), least: 3, isSlow: true },
    ],
    rounds: 3,
    results: photos.length,
  })
}

async function phonePhotos(work: Work): Promise<BenchRow[]> {
  const photos = await makeHeics(path.join(work.folder, 'heic'), 24)
  return compare(work, {
    what: `24 HEIC of a phone to ${LONGER_SIDE} px JPEG`,
    ours: (output) => submit(work, throughNpm, photos, 'bench photo', output),
    others: [
      { tool: 'vipsthumbnail', run: (output) => throughVips(photos, output), least: 1.5 },
      {
        tool: 'heif-convert',
        run: (output) => throughHeifConvert(photos, output),
        least: 1.5,
        isSlow: true,
        note: 'which scales nothing, while a sixth of ours is starting and reading code for two workers',
      },
    ],
    rounds: 3,
    results: photos.length,
  })
}

const STARTING =
  'ours starts npm, the command, the service and a worker first, which takes what one small photo takes'

/**
 * Starting npm, the command, the service and a worker takes the same however long the film is. The budget comes from a computer
 * that took 19 s for 20 s of film, so the longer film is what takes about as long on a quicker one.
 */
async function film(work: Work, seconds: number): Promise<BenchRow[]> {
  const source = path.join(work.folder, `film-${seconds}.mp4`)
  await makeFilm(source, seconds)
  return compare(work, {
    what: `${seconds} s of 1080p to 720p, x264 veryfast`,
    ours: (output) => submit(work, throughNpm, [source], 'bench film', output),
    others: [
      {
        tool: 'ffmpeg',
        run: (output) => throughFfmpeg(source, output),
        least: 0.97,
        note: STARTING,
      },
      {
        tool: 'HandBrakeCLI',
        run: (output) => throughHandBrake(source, output),
        least: 1.05,
        note: STARTING,
      },
    ],
    rounds: 2,
    results: 1,
  })
}
