/**
 * The built-in service's video processing against the ffmpeg command with the same settings: 1080p to 720p, x264
 * veryfast at crf 23, sound copied; once with nothing else, once turned upside down as well, for which our quicker way to scale
 * counts for less. Both are run in turn on the same clip, and the medians are compared.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { VideoRecipe } from '../src/shared/preset/preset.ts'
import { processVideo } from '../src/media/video/process-video.ts'
import type { BenchRow } from './row.ts'

const run = promisify(execFile)
const words = (text: string): string[] => text.split(' ')
const ROUNDS = 5
const SECONDS = 20

type Contest = {
  readonly what: string
  readonly rotate: 0 | 180
  /** The same for the command. */
  readonly filters: string
  readonly least: number
  readonly note?: string
}

const CONTESTS: readonly Contest[] = [
  {
    what: 'video 1080p to 720p',
    rotate: 0,
    filters: 'scale=-2:720',
    least: 1.05,
    note: 'decoding and x264, the same in both, are six sevenths of the work',
  },
  { what: 'the same and turned', rotate: 180, filters: 'hflip,vflip,scale=-2:720', least: 0.97 },
]

export async function benchVideo(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-bench-video-'))
  try {
    const input = join(folder, 'input.mp4')
    await makeInput(input)
    const version = await commandVersion()
    const rows: BenchRow[] = []
    for (const contest of CONTESTS) rows.push(await hold(contest, input, folder, version))
    return rows
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function hold(contest: Contest, input: string, folder: string, version: string): Promise<BenchRow> {
  const withCommand: Taken[] = []
  const inProcess: Taken[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    withCommand.push(await take(() => convertWithCommand(contest, input, join(folder, 'command.mp4'))))
    inProcess.push(await take(() => convertInProcess(contest, input, join(folder, 'own'))))
  }
  return row(contest, withCommand, inProcess, version)
}

type Taken = { readonly ms: number }

async function take(work: () => Promise<unknown>): Promise<Taken> {
  const start = performance.now()
  await work()
  return { ms: performance.now() - start }
}

/** Moving shapes with a little noise, as a camera has it, and a sound track. */
async function makeInput(path: string): Promise<void> {
  await run('ffmpeg', [
    ...words('-v error -nostdin -y'),
    ...words('-f lavfi -i'),
    `testsrc2=s=1920x1080:r=30:d=${SECONDS}`,
    ...words('-f lavfi -i'),
    `anoisesrc=d=${SECONDS}:a=0.2:r=48000`,
    ...words('-vf noise=alls=3:allf=t -c:v libx264 -preset ultrafast -crf 23'),
    ...words('-pix_fmt yuv420p -c:a aac -b:a 128k'),
    path,
  ])
}

function convertWithCommand({ filters }: Contest, input: string, output: string): Promise<unknown> {
  return run('ffmpeg', [
    ...words('-v error -nostdin -y -i'),
    input,
    ...words(`-vf ${filters} -c:v libx264 -preset veryfast -crf 23 -pix_fmt yuv420p`),
    ...words('-c:a copy -movflags +faststart'),
    output,
  ])
}

function convertInProcess({ rotate }: Contest, inputPath: string, outputBase: string): Promise<unknown> {
  return processVideo({
    inputPath,
    recipe: VideoRecipe.parse({ codec: 'h264', speed: 'veryfast', crf: 23, height: 720, rotate }),
    variation: undefined,
    neverLarger: false,
    temporaryPath: (extension) => `${outputBase}.${extension}`,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
}

async function commandVersion(): Promise<string> {
  const { stdout } = await run('ffmpeg', ['-version'])
  return /^ffmpeg version ([^ ]+)/.exec(stdout)?.[1] ?? 'unknown'
}

function row(
  { what, least, note }: Contest,
  withCommand: readonly Taken[],
  inProcess: readonly Taken[],
  version: string,
): BenchRow {
  const command = median(withCommand)
  const own = median(inProcess)
  const ratio = command / own
  return {
    name: `built-in service, ${what}`,
    measured: Number(ratio.toFixed(3)),
    unit: '× the speed of the ffmpeg command',
    budget: `≥ ${least}`,
    met: ratio >= least,
    note:
      `medians of ${ROUNDS}, taken in turn: ${seconds(own)} in-process (FFmpeg 8.1), ` +
      `${seconds(command)} command (${version}); ${availableParallelism()} cores` +
      (note === undefined ? '' : `; ${note}`),
  }
}

function median(taken: readonly Taken[]): number {
  const sorted = taken.map(({ ms }) => ms).toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
