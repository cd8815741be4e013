/**
 * Compares the built-in service's video processing, run in this process, with the ffmpeg command at the same settings: 1080p to
 * 720p, x264 veryfast at CRF 23, audio copied. A second comparison also rotates by 180°, so our faster scaler matters less.
 */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { processVideo } from '../src/media/video/process-video.ts'
import { VideoRecipe } from '../src/shared/preset/preset.ts'
import { makeVideo, runTool, throughFfmpeg } from './other-tools.ts'
import { type Candidate, CRF, race } from './race.ts'
import { atLeast, type BenchRow } from './row.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ROUNDS = 7
const SECONDS = 20

type Comparison = {
  readonly name: string
  readonly rotate: 0 | 180
  /** The equivalent filters for the ffmpeg command. */
  readonly filters: string
  readonly least: number
  readonly note: string
}

const COMPARISONS: readonly Comparison[] = [
  {
    name: 'video 1080p to 720p',
    rotate: 0,
    filters: 'scale=-2:720',
    least: 0.9,
    note: '; decoding and x264, which both share, are six sevenths of the work',
  },
  { name: 'the same, rotated', rotate: 180, filters: 'hflip,vflip,scale=-2:720', least: 0.88, note: '' },
]

export async function benchVideo(): Promise<BenchRow[]> {
  await using folder = await temporaryFolder()
  const input = path.join(folder.path, 'input.mp4')
  await makeVideo(input, SECONDS)
  const { stdout } = await runTool('ffmpeg', ['-version'])
  const version = /^ffmpeg version ([^ ]+)/.exec(stdout)?.[1] ?? 'unknown'
  const rows: BenchRow[] = []
  for (const { name, rotate, filters, least, note } of COMPARISONS) {
    const seconds = await race({
      candidates: new Map<string, Candidate>([
        ['command', (output) => throughFfmpeg(input, output, filters)],
        ['in process', (output) => convertInProcess(rotate, input, output)],
      ]),
      folder: folder.path,
      rounds: ROUNDS,
      results: 1,
    })
    const own = seconds.get('in process') ?? Number.NaN
    const command = seconds.get('command') ?? Number.NaN
    rows.push(
      atLeast(
        `built-in service, ${name}`,
        command / own,
        '× the speed of the ffmpeg command',
        least,
        `fastest of ${ROUNDS} alternating rounds: ${own.toFixed(2)} s in process (FFmpeg 8.1), ` +
          `${command.toFixed(2)} s command (${version}); ${availableParallelism()} cores${note}`,
      ),
    )
  }
  return rows
}

/** Converts without the service and its worker. */
export function convertInProcess(rotate: 0 | 180, inputPath: string, output: string): Promise<unknown> {
  return processVideo({
    inputPath,
    recipe: VideoRecipe.parse({ codec: 'h264', speed: 'veryfast', crf: CRF, height: 720, rotate }),
    variation: undefined,
    neverLarger: false,
    temporaryPath: (extension) => path.join(output, `video.${extension}`),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
}
