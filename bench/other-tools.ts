/** Runs the tools that users would run instead, with equivalent settings. Photos are divided among one process per core. */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { ensurePackages, type Need } from '../scripts/system-packages.ts'
import { onPath } from '../scripts/on-path.ts'
import { words } from '../src/media/words.ts'
import { CRF, inParallel, LONGER_SIDE, QUALITY } from './race.ts'

const TOOLS = {
  ffmpeg: 'ffmpeg',
  curl: 'curl',
  rclone: 'rclone',
  vipsthumbnail: 'libvips-tools',
  mogrify: 'imagemagick',
  'heif-convert': 'libheif-examples',
  HandBrakeCLI: 'handbrake-cli',
} as const satisfies Readonly<Record<string, string>>
export type Tool = keyof typeof TOOLS

/** Installs missing tools if possible. Benchmarks report the tools that are still missing. */
export function installTools(): void {
  const needs = Object.entries(TOOLS).map(([command, name]): Need => ({ package: name, command }))
  try {
    ensurePackages('The comparisons', needs)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
  }
}

export const isInstalled = (tool: Tool): boolean => onPath(tool) !== undefined

const execute = promisify(execFile)

/**
 * Runs a tool without `VIPSHOME`: sharp's libvips sets it to the folder of its build, and `vipsthumbnail` would load its
 * modules from there.
 */
export const runTool = (tool: Tool, args: readonly string[]): Promise<{ readonly stdout: string }> =>
  execute(tool, [...args], {
    env: { ...process.env, VIPSHOME: undefined },
    maxBuffer: 64 * 1024 * 1024,
  })

/** Divides the photos among one process per core. */
function inParts(photos: readonly string[], work: (part: readonly string[]) => Promise<unknown>) {
  const size = Math.ceil(photos.length / availableParallelism())
  const parts = Array.from({ length: availableParallelism() }, (_, index) =>
    photos.slice(index * size, (index + 1) * size),
  )
  return Promise.all(parts.map(work))
}

const fitSize = `${LONGER_SIDE}x${LONGER_SIDE}>`

export const throughVips = (photos: readonly string[], output: string): Promise<unknown> =>
  inParts(photos, (part) =>
    runTool('vipsthumbnail', [
      ...part,
      '--size',
      fitSize,
      '-o',
      path.join(output, `%s.jpg[Q=${QUALITY},strip]`),
    ]),
  )

export const throughMogrify = (photos: readonly string[], output: string): Promise<unknown> =>
  inParts(photos, (part) => {
    const options = words(`-auto-orient -resize ${fitSize} -quality ${QUALITY} -strip`)
    return runTool('mogrify', ['-path', output, ...options, ...part])
  })

/** Converts at full size: the tool can't resize. */
export const throughHeifConvert = (photos: readonly string[], output: string): Promise<unknown> =>
  inParallel(photos, availableParallelism(), (photo) =>
    runTool('heif-convert', [
      '-q',
      String(QUALITY),
      photo,
      path.join(output, `${path.parse(photo).name}.jpg`),
    ]),
  )

export const throughFfmpeg = (video: string, output: string, filters = 'scale=-2:720'): Promise<unknown> =>
  ffmpeg('-i', video, [
    ...words(`-vf ${filters} -c:v libx264 -preset veryfast -crf ${CRF} -pix_fmt yuv420p`),
    ...words('-c:a copy -movflags +faststart'),
    path.join(output, 'video.mp4'),
  ])

export const throughHandBrake = (video: string, output: string): Promise<unknown> =>
  runTool('HandBrakeCLI', [
    '-i',
    video,
    '-o',
    path.join(output, 'video.mp4'),
    ...words(`-e x264 --encoder-preset veryfast -q ${CRF} -w 1280 -l 720 -E copy -O`),
  ])

/** Runs ffmpeg and overwrites the output. */
export const ffmpeg = (...args: readonly (string | readonly string[])[]): Promise<unknown> =>
  runTool('ffmpeg', [...words('-v error -nostdin -y'), ...args.flat()])

/** Creates a 1080p video: moving shapes with a little noise, like a camera's, and an audio track. */
export const makeVideo = (video: string, seconds: number): Promise<unknown> =>
  ffmpeg(
    ['-f', 'lavfi', '-i', `testsrc2=s=1920x1080:r=30:d=${seconds}`],
    ['-f', 'lavfi', '-i', `anoisesrc=d=${seconds}:a=0.2:r=48000`],
    words('-vf noise=alls=3:allf=t -c:v libx264 -preset ultrafast -crf 23'),
    words('-pix_fmt yuv420p -c:a aac -b:a 128k'),
    video,
  )
