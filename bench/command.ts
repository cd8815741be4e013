/** Compares whole commands, from the key press to the next prompt, with the tools that users would run instead. */
import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, homedir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { endOwner } from '../src/client/reach-owner.ts'
import { readAddress } from '../src/node/owner-link/proof.ts'
import { barePackage, withBareOwner } from './bare-commands.ts'
import { built, ROOT } from './build.ts'
import { FILE_OPERATIONS, throughSharp } from './images.ts'
import { timed } from './measure.ts'
import { benchNotification } from './notification.ts'
import {
  isInstalled,
  makeVideo,
  throughFfmpeg,
  throughHandBrake,
  throughHeifConvert,
  throughMogrify,
  throughVips,
  type Tool,
} from './other-tools.ts'
import { type Candidate, CRF, LONGER_SIDE, race, recipe, type Seconds } from './race.ts'
import { areMet, atLeast, atMostAbove, atMostTimes, withoutBudget, type BenchRow } from './row.ts'
import { makeHeics, makePhotos } from './sample-photos.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { convertInProcess } from './video.ts'

const execute = promisify(execFile)

type Setup = {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Path of a small photo. */
  readonly small: string
  readonly bare: Awaited<ReturnType<typeof barePackage>>
}

type Launch = (setup: Setup, argv: readonly string[]) => Promise<unknown>

const throughNpm: Launch = ({ env }, argv) =>
  execute('npm', ['run', '--silent', 'cli', '--', ...argv], { cwd: ROOT, env })

/** Starts the command as the packages' launcher does. */
const installed: Launch = ({ env }, argv) =>
  execute(
    process.execPath,
    ['--disable-sigusr1', '--disable-proto=delete', built('cli/mediatray.js'), ...argv],
    // Packages have no compile cache, but `npm run` gives this process one.
    { env: { ...env, NODE_COMPILE_CACHE: undefined } },
  )

const submit =
  (setup: Setup, files: readonly string[], preset: string, launch = throughNpm): Candidate =>
  (output) =>
    launch(setup, ['submit', ...files, '--preset', preset, '--output', output, '--wait'])

export async function benchCommand(): Promise<BenchRow[]> {
  await using folder = await temporaryFolder()
  const data = path.join(folder.path, 'data')
  const env = { ...process.env, VIPSHOME: undefined, MEDIATRAY_DATA_DIR: data }
  const small = path.join(folder.path, 'small.jpg')
  await copyFile(path.join(ROOT, 'assets/samples/dawn-upright.jpg'), small)
  const setup = { folder: folder.path, env, small, bare: await barePackage(folder.path, env) }
  await writePresets(path.join(data, 'service', 'presets'))
  return [
    ...(await onePhoto(setup)),
    ...(await idleHost(setup)),
    ...(await manyPhotos(setup)),
    ...(await phonePhotos(setup)),
    ...(await video(setup, 20)),
    ...(await video(setup, 80)),
    await benchNotification(path.join(folder.path, 'app')),
  ]
}

async function writePresets(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const video = { codec: 'h264', speed: 'veryfast', crf: CRF, height: 720 }
  for (const document of [
    { name: 'bench photo', image: recipe },
    { name: 'bench video', video },
  ]) {
    await writeFile(path.join(folder, `${document.name}.json`), JSON.stringify(document))
  }
}

/** The command, the host, the service and a worker. */
const PROCESSES = 4

async function onePhoto(setup: Setup): Promise<BenchRow[]> {
  const { small, bare } = setup
  const racing = { folder: setup.folder, rounds: 5, results: 1 }
  const ours = [
    ['through npm', submit(setup, [small], 'bench photo')],
    ['installed', submit(setup, [small], 'bench photo', installed)],
  ] as const
  const row = (seconds: Seconds, launch: string, what: string, most: number, note: string) =>
    atMostTimes(
      `whole command, one small photo, ${launch}${what}`,
      seconds.get(launch) ?? Number.NaN,
      's',
      { floor: seconds.get(`bare, ${launch}`) ?? Number.NaN, most },
      `fastest of at least ${racing.rounds} rounds; ${note}`,
    )
  const starting = (seconds: Seconds) => {
    const note =
      'includes starting the command, the host, the service and a worker on two cores; the floor is four bare Node processes in a row, which load the packages that ours need, and process the photo with sharp'
    return [row(seconds, 'through npm', '', 2.4, note), row(seconds, 'installed', '', 2.8, note)]
  }
  const waiting = (seconds: Seconds) => {
    const note =
      'the host, the service and a worker still run; the floor is a bare Node process that processes the photo with sharp'
    return ['through npm', 'installed'].map((launch) => row(seconds, launch, ', again', 1.7, note))
  }
  const first = await race({
    ...racing,
    candidates: new Map([
      ...ours,
      ['bare, through npm', (output) => bare.throughNpm(PROCESSES, small, output)],
      ['bare, installed', (output) => bare.installed(PROCESSES, small, output)],
    ]),
    before: () => endHost(setup.env),
    isEnough: (seconds) => areMet(starting(seconds)),
  })
  const next = await race({
    ...racing,
    candidates: new Map([
      ...ours,
      ['bare, through npm', (output) => bare.throughNpm(1, small, output)],
      ['bare, installed', (output) => bare.installed(1, small, output)],
    ]),
    isEnough: (seconds) => areMet(waiting(seconds)),
  })
  return [...starting(first), ...waiting(next)]
}

/** The fastest times so far, in seconds, of bare processes that process a small photo, started through npm: as many as ours (`first`), or one (`again`). */
type Starts = Readonly<Record<'first' | 'again', number>>

function bareStarts({ folder, bare, small }: Setup) {
  const fastest = { first: Infinity, again: Infinity }
  const output = path.join(folder, 'bare-starts')
  return {
    fastest: fastest as Starts,
    async measure(): Promise<void> {
      await mkdir(output, { recursive: true })
      const first = await timed(() => bare.throughNpm(PROCESSES, small, output))
      const again = await timed(() => bare.throughNpm(1, small, output))
      fastest.first = Math.min(fastest.first, first / 1000)
      fastest.again = Math.min(fastest.again, again / 1000)
    },
  }
}

/** Ends the host that an earlier command has started. */
export const endHost = (env: NodeJS.ProcessEnv): Promise<void> =>
  endOwner({ env, cwd: ROOT, home: homedir(), platform: process.platform }, 'end')

const CLIENTS = 20

/** Measures the cost of a command that finds a running host, and the cost of an idle host. */
async function idleHost(setup: Setup): Promise<BenchRow[]> {
  const { env } = setup
  await endHost(env)
  const ours = await processorTime(env, [built('cli/mediatray.js'), 'history'])
  const minimal = await withBareOwner(setup.folder, (argv) => processorTime(env, argv))
  using bare = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)'])
  await sleep(2_000)
  const host = await memoryOf(readAddress(env['MEDIATRAY_DATA_DIR'] ?? '')?.pid ?? '')
  const floor = await memoryOf(String(bare.pid))
  return [
    atMostTimes(
      'a command that finds a host: processor time of its process',
      ours,
      'ms',
      { floor: minimal, most: 1.8 },
      `mean of ${CLIENTS}; the floor is a Node process that proves to another one that it knows a key, and prints its answer`,
    ),
    atMostAbove(
      'memory of a host that waits, without mapped files',
      host.own,
      'MB',
      { floor: floor.own, share: 38 },
      `after commands that only read; the floor is Node alone; with mapped files ${host.resident.toFixed(0)} MB, and Node alone ${floor.resident.toFixed(0)} MB`,
    ),
  ]
}

/** Returns the mean CPU time of a Node process with these arguments, in ms. The first one, which starts a host, doesn't count. */
async function processorTime(env: NodeJS.ProcessEnv, argv: readonly string[]): Promise<number> {
  const command = [process.execPath, ...argv].map((word) => `'${word}'`).join(' ')
  const { stdout } = await execute(
    'sh',
    ['-c', `set -e; ${command} >&2; times; for i in $(seq ${CLIENTS}); do ${command} >&2; done; times`],
    { env: { ...env, NODE_COMPILE_CACHE: undefined } },
  )
  // Each `times` prints two lines: the times of the shell and those of its child processes.
  const [before = 0, after = 0] = stdout
    .trim()
    .split('\n')
    .filter((_, line) => line % 2 === 1)
    .map(secondsOf)
  return ((after - before) / CLIENTS) * 1000
}

/**
 * Reads the resident memory of a process in MB. `own`: without mapped files. All processes share the pages of Node's program file, and the
 * kernel decides how many of them it maps in advance.
 */
async function memoryOf(pid: string): Promise<{ readonly resident: number; readonly own: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * (1_024 / 1e6)
  return { resident: of('VmRSS'), own: of('RssAnon') }
}

/** Adds user and system time, as in `0m1.250s 0m0.420s`. */
const secondsOf = (line: string): number =>
  [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  )

type Other = {
  readonly tool: Tool
  readonly run: Candidate
  /** Our minimum throughput as a multiple of the tool's. */
  readonly least: number
  /** Our minimum if the command runs again; only where the startup time matters. */
  readonly leastAgain?: number
  readonly isSlow?: true
  readonly note?: string
}

type Comparison = {
  readonly what: string
  readonly ours: Candidate
  /** The same work without the command, the host and the service, then parts of it. The first one and a bare start are the floor. */
  readonly parts?: ReadonlyMap<string, Candidate>
  readonly others: readonly Other[]
  readonly rounds: number
  readonly results: number
}

/** Names the candidate that runs our command again, into the same folder, while the host, the service and the workers still run. */
const AGAIN = 'again'

/** The minimum share of the floor's throughput, where the floor is lower than a budget. */
const LEAST_OF_FLOOR = { first: 0.82, again: 0.88 }

async function compare(
  setup: Setup,
  { what, ours, parts = new Map(), others, rounds, results }: Comparison,
): Promise<BenchRow[]> {
  const available = others.filter(({ tool }) => isInstalled(tool))
  const candidates = new Map([
    ['ours', ours],
    ...(others.some(({ leastAgain }) => leastAgain !== undefined) ? [[AGAIN, ours] as const] : []),
    ...parts,
    ...available.map(({ tool, run }) => [tool, run] as const),
  ])
  const slow = available.filter(({ isSlow }) => isSlow).map(({ tool }) => tool)
  const starts = bareStarts(setup)
  async function before(name: string): Promise<void> {
    if (name !== AGAIN) await endHost(setup.env)
    if (name === 'ours') await starts.measure()
  }
  const rowsOf = (seconds: Seconds) =>
    comparisonRows({ what, parts: [...parts.keys()], others, starts: starts.fastest, seconds })
  const seconds = await race({
    candidates,
    folder: setup.folder,
    rounds,
    results,
    slow,
    sharing: new Map([[AGAIN, 'ours']]),
    before,
    isEnough: (found) => areMet(rowsOf(found)),
  })
  return rowsOf(seconds)
}

function comparisonRows({
  what,
  parts,
  others,
  starts,
  seconds,
}: {
  readonly what: string
  readonly parts: readonly string[]
  readonly others: readonly Other[]
  readonly starts: Starts
  readonly seconds: Seconds
}): BenchRow[] {
  const alone = parts.map((name) => `; ${name}: ${seconds.get(name)?.toFixed(2)} s`)
  const work = seconds.get(parts[0] ?? '')
  const row = ({ tool, note }: Other, run: string, least: number): BenchRow => {
    const turn = run === AGAIN ? 'again' : 'first'
    const own = seconds.get(run) ?? Number.NaN
    const theirs = seconds.get(tool)
    const name = `whole command, ${what}${run === AGAIN ? ', again' : ''}, against ${tool}`
    if (theirs === undefined)
      return withoutBudget(name, Number.NaN, '× throughput', `${tool} isn’t installed`)
    const notes = [...(note === undefined ? [] : [`; ${note}`]), ...alone].join('')
    const most = work === undefined ? undefined : theirs / (starts[turn] + work)
    const ofFloor = most === undefined ? '' : `; the floor is ${most.toFixed(2)} ×`
    return atLeast(
      name,
      theirs / own,
      '× throughput',
      // On some computers, starting a process takes longer, or the other tool's build has faster code for the work itself.
      Number(Math.min(least, LEAST_OF_FLOOR[turn] * (most ?? Infinity)).toFixed(2)),
      `${own.toFixed(2)} s with npm, ${theirs.toFixed(2)} s${ofFloor}${run === AGAIN ? '' : notes}`,
    )
  }
  return others.flatMap((other) => [
    row(other, 'ours', other.least),
    ...(other.leastAgain === undefined ? [] : [row(other, AGAIN, other.leastAgain)]),
  ])
}

async function manyPhotos(setup: Setup): Promise<BenchRow[]> {
  const photos = await makePhotos(path.join(setup.folder, 'photos'), 60)
  return compare(setup, {
    what: `60 photos of 12 megapixels to ${LONGER_SIDE} px`,
    ours: submit(setup, photos, 'bench photo'),
    parts: new Map([
      [
        'sharp alone, with our file operations',
        (output) => throughSharp(photos, output, availableParallelism() + 1, FILE_OPERATIONS),
      ],
    ]),
    others: [
      {
        tool: 'vipsthumbnail',
        run: (output) => throughVips(photos, output),
        least: 1.1,
        leastAgain: 1.28,
        note: 'both use libvips, and ours first starts npm, the command, the service and two workers',
      },
      {
        tool: 'mogrify',
        run: (output) => throughMogrify(photos, output),
        least: 3,
        isSlow: true,
        note: 'mogrify has one round',
      },
    ],
    rounds: 3,
    results: photos.length,
  })
}

async function phonePhotos(setup: Setup): Promise<BenchRow[]> {
  const photos = await makeHeics(path.join(setup.folder, 'heic'), 24)
  return compare(setup, {
    what: `24 HEIC of 12 megapixels to ${LONGER_SIDE} px`,
    ours: submit(setup, photos, 'bench photo'),
    others: [
      { tool: 'vipsthumbnail', run: (output) => throughVips(photos, output), least: 1.3, leastAgain: 1.5 },
      {
        tool: 'heif-convert',
        run: (output) => throughHeifConvert(photos, output),
        least: 1.3,
        leastAgain: 1.5,
        note: 'it doesn’t resize, and a sixth of our time is starting two workers',
      },
    ],
    rounds: 3,
    results: photos.length,
  })
}

const STARTUP_NOTE =
  'ours first starts npm, the command, the service and a worker, which takes as long as one small photo'

/**
 * Startup takes the same time for any length of video. The budget was set on a computer that needed 19 s for 20 s of video. A faster one
 * needs about as long for 80 s.
 */
async function video(setup: Setup, seconds: number): Promise<BenchRow[]> {
  const source = path.join(setup.folder, `video-${seconds}.mp4`)
  await makeVideo(source, seconds)
  return compare(setup, {
    what: `${seconds} s of 1080p to 720p, x264 veryfast`,
    ours: submit(setup, [source], 'bench video'),
    parts: new Map([['our conversion alone', (output: string) => convertInProcess(0, source, output)]]),
    others: [
      {
        tool: 'ffmpeg',
        run: (output) => throughFfmpeg(source, output),
        least: 0.85,
        leastAgain: 0.95,
        note: STARTUP_NOTE,
      },
      {
        tool: 'HandBrakeCLI',
        run: (output) => throughHandBrake(source, output),
        least: 0.95,
        leastAgain: 1.05,
        note: STARTUP_NOTE,
      },
    ],
    // A round of the long video takes a minute.
    rounds: seconds > 20 ? 2 : 3,
    results: 1,
  })
}
