/** The tools that people have, with the settings of our presets, in as many processes as there are cores. */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { ensurePackages, type Need } from '../scripts/system-packages.ts'
import { onPath } from '../scripts/on-path.ts'
import { inParallel, LONGER_SIDE, QUALITY } from './photo-race.ts'

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

/** Installs them where that can be done from here; a benchmark does without those that are missing, and says so. */
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

/** sharp's libvips tells those that this process starts where it was built: there `vipsthumbnail` would look for its own parts. */
const environment = () => ({ ...process.env, VIPSHOME: undefined })

const run = (tool: Tool, args: readonly string[]): Promise<unknown> =>
  execute(tool, [...args], { env: environment(), maxBuffer: 64 * 1024 * 1024 })

const words = (text: string): string[] => text.split(' ')

/** One process for each core, each with its part of the photos. */
function inParts(photos: readonly string[], work: (part: readonly string[]) => Promise<unknown>) {
  const size = Math.ceil(photos.length / availableParallelism())
  const parts = Array.from({ length: availableParallelism() }, (_, index) =>
    photos.slice(index * size, (index + 1) * size),
  )
  return Promise.all(parts.map(work))
}

const atMost = `${LONGER_SIDE}x${LONGER_SIDE}>`

export const throughVips = (photos: readonly string[], output: string): Promise<unknown> =>
  inParts(photos, (part) =>
    run('vipsthumbnail', [...part, '--size', atMost, '-o', path.join(output, `%s.jpg[Q=${QUALITY},strip]`)]),
  )

export const throughMogrify = (photos: readonly string[], output: string): Promise<unknown> =>
  inParts(photos, (part) =>
    run('mogrify', [
      '-path',
      output,
      ...words(`-auto-orient -resize ${atMost} -quality ${QUALITY} -strip`),
      ...part,
    ]),
  )

/** It scales nothing. */
export const throughHeifConvert = (photos: readonly string[], output: string): Promise<unknown> =>
  inParallel(photos, availableParallelism(), (photo) =>
    run('heif-convert', ['-q', String(QUALITY), photo, path.join(output, `${path.parse(photo).name}.jpg`)]),
  )

export const CRF = 23

export const throughFfmpeg = (film: string, output: string): Promise<unknown> =>
  run('ffmpeg', [
    ...words('-v error -nostdin -y -i'),
    film,
    ...words(`-vf scale=-2:720 -c:v libx264 -preset veryfast -crf ${CRF} -pix_fmt yuv420p`),
    ...words('-c:a copy -movflags +faststart'),
    path.join(output, 'film.mp4'),
  ])

export const throughHandBrake = (film: string, output: string): Promise<unknown> =>
  run('HandBrakeCLI', [
    '-i',
    film,
    '-o',
    path.join(output, 'film.mp4'),
    ...words(`-e x264 --encoder-preset veryfast -q ${CRF} -w 1280 -l 720 -E copy -O`),
  ])

/** Moving shapes with a little noise, as a camera has it, and a sound track. */
export const makeFilm = (film: string, seconds: number): Promise<unknown> =>
  run('ffmpeg', [
    ...words('-v error -nostdin -y -f lavfi -i'),
    `testsrc2=s=1920x1080:r=30:d=${seconds}`,
    ...words('-f lavfi -i'),
    `anoisesrc=d=${seconds}:a=0.2:r=48000`,
    ...words('-vf noise=alls=3:allf=t -c:v libx264 -preset ultrafast -crf 23'),
    ...words('-pix_fmt yuv420p -c:a aac -b:a 128k'),
    film,
  ])
