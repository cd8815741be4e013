/**
 * Under a size: photos in four formats and films in three codecs, each for several sizes. How many are never over, how much of the
 * room they use, and how long it takes; a film against the plain time with the same encoder.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processVideo } from '../src/media/video/process-video.ts'
import { VideoRecipe } from '../src/shared/preset/preset.ts'
import { median } from './built-in.ts'
import { photoCorpus } from './photo-corpus.ts'
import { processPhoto } from './process-photo.ts'
import type { BenchRow } from './row.ts'
import { keepTables } from './table-file.ts'
import { processorTime } from './turns.ts'

const run = promisify(execFile)
const words = (text: string): string[] => text.split(' ')

const FORMATS = ['jpeg', 'webp', 'avif', 'jxl'] as const
/** Bytes of a photo of 480 × 360. */
const PHOTO_SIZES = [8_000, 16_000, 32_000]
const EVERY = 4
const CODECS = ['h264', 'hevc', 'vp9'] as const
const SECONDS = 12
/** Of what the plain recipe makes. */
const FILM_SHARES = [0.35, 0.7]
const WELL_USED = 0.9
const MOST_TIMES = 2.2

type Fit = {
  readonly what: string
  readonly room: number
  readonly bytes: number
  readonly seconds: number
  /** At the best quality that there is; more room than that can't be used. */
  readonly most?: number
}

export async function benchFits(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-bench-fits-'))
  try {
    const photos = await fitPhotos(folder)
    const { fits: films, times } = await fitFilms(folder)
    const head = ['what', 'bytes allowed', 'bytes made', 'share of the room', 's']
    await keepTables('fits', [{ head, lines: [...photos, ...films].map(lineOf) }])
    return [
      ...rowsOf('photo', photos),
      ...rowsOf('film', films),
      {
        name: 'film under a size against the plain one, processor time',
        measured: median(times),
        unit: '×',
        budget: `≤ ${MOST_TIMES} ×`,
        met: median(times) <= MOST_TIMES,
        note: `at most ${Math.max(...times).toFixed(2)} ×`,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fitPhotos(folder: string): Promise<readonly Fit[]> {
  const photos = (await photoCorpus(join(folder, 'photos'))).filter((_, n) => n % EVERY === 0)
  const fits: Fit[] = []
  for (const format of FORMATS)
    for (const [n, photo] of photos.entries()) {
      const most = (await processPhoto(photo, folder, { format, quality: 100 })).bytes.length
      for (const room of PHOTO_SIZES) {
        const { bytes, ms } = await processPhoto(photo, folder, { format, maxBytes: room, mayShrink: true })
        fits.push({
          what: `photo ${n + 1} as ${format}`,
          room,
          bytes: bytes.length,
          seconds: ms / 1000,
          most,
        })
      }
    }
  return fits
}

async function fitFilms(folder: string) {
  const film = join(folder, 'film.mp4')
  await makeFilm(film)
  const fits: Fit[] = []
  const times: number[] = []
  for (const codec of CODECS) {
    const plain = await convert(film, folder, { codec, crf: codec === 'vp9' ? 34 : 26 })
    for (const share of FILM_SHARES) {
      const room = Math.round(plain.bytes * share)
      const made = await convert(film, folder, { codec, maxBytes: room })
      fits.push({ what: `film as ${codec}`, room, bytes: made.bytes, seconds: made.seconds })
      times.push(made.seconds / plain.seconds)
    }
  }
  return { fits, times }
}

/** Moving shapes with grain, half of them standing still, and a sound track. */
async function makeFilm(path: string): Promise<void> {
  await run('ffmpeg', [
    ...words('-v error -nostdin -y -f lavfi -i'),
    `testsrc2=s=640x360:r=25:d=${SECONDS / 2}`,
    ...words('-f lavfi -i'),
    `mandelbrot=s=640x360:r=25:end_pts=150`,
    ...words('-f lavfi -i'),
    `anoisesrc=d=${SECONDS}:a=0.2:r=48000`,
    '-filter_complex',
    `[1:v]trim=duration=${SECONDS / 2},format=yuv420p[b];[0:v]format=yuv420p[a];[a][b]concat=n=2,noise=alls=4:allf=t[v]`,
    ...words('-map [v] -map 2:a -c:v libx264 -preset ultrafast -crf 14 -pix_fmt yuv420p -c:a aac -b:a 96k'),
    path,
  ])
}

let made = 0

async function convert(inputPath: string, folder: string, recipe: Partial<VideoRecipe>) {
  const before = processorTime()
  const { temporaryPath } = await processVideo({
    inputPath,
    recipe: VideoRecipe.parse({ container: 'mkv', speed: 'fast', engine: 'software', ...recipe }),
    variation: undefined,
    neverLarger: false,
    temporaryPath: (extension) => join(folder, `film-${(made += 1)}.${extension}`),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  return { bytes: (await stat(temporaryPath)).size, seconds: (processorTime() - before) / 1000 }
}

function rowsOf(kind: string, fits: readonly Fit[]): readonly BenchRow[] {
  const over = fits.filter(({ bytes, room }) => bytes > room).length
  const tooSmall = fits.filter(({ room, most = Infinity }) => most < room * WELL_USED).length
  const used = fits.filter(({ bytes, room }) => bytes <= room && bytes >= room * WELL_USED).length
  return [
    {
      name: `${kind} under a size: over it`,
      measured: over,
      unit: `of ${fits.length}`,
      budget: '= 0',
      met: over === 0,
    },
    {
      name: `${kind} under a size: uses nine tenths of the room`,
      measured: used / fits.length,
      unit: 'of all',
      budget: '≥ 0.9',
      met: used >= fits.length * 0.9,
      ...(tooSmall === 0 ? {} : { note: `${tooSmall} are smaller than that at their best quality` }),
    },
  ]
}

const lineOf = ({ what, room, bytes, seconds }: Fit): readonly string[] => [
  what,
  String(room),
  String(bytes),
  (bytes / room).toFixed(2),
  seconds.toFixed(2),
]
