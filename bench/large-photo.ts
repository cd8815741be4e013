/** Measures the whole command with a HEIC photo of 200 megapixels, the largest that cameras take. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { built } from './build.ts'
import { endHost } from './command.ts'
import { isInstalled, throughVips } from './other-tools.ts'
import { type Candidate, race, recipe } from './race.ts'
import { atLeast, atMost, type BenchRow, withoutBudget } from './row.ts'
import { makeHeic, turned } from '../test/media/image/make-heic.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ROUNDS = 3
const MB = 1_000_000
const OTHER = 'vipsthumbnail'
/** It decodes all tiles in full. */
const LEAST = 4

export async function benchLargePhoto(): Promise<readonly BenchRow[]> {
  await using folder = await temporaryFolder()
  const [photo, data] = [join(folder.path, 'large.heic'), join(folder.path, 'data')]
  const presets = join(data, 'service/presets')
  await writeFile(photo, largeHeic())
  await mkdir(presets, { recursive: true })
  await writeFile(join(presets, 'photo.json'), JSON.stringify({ name: 'photo', image: recipe }))
  // Packages have no compile cache, but `npm run` gives this process one.
  const env = { ...process.env, MEDIATRAY_DATA_DIR: data, NODE_COMPILE_CACHE: undefined }
  let peak = 0
  const ours: Candidate = async (output) => {
    const options = ['--preset', 'photo', '--output', output, '--wait']
    peak = Math.max(peak, await peakOf([built('cli/mediatray.js'), 'submit', photo, ...options], env))
  }
  const seconds = await race({
    candidates: new Map([
      ['ours', ours],
      ...(isInstalled(OTHER) ? [[OTHER, (output: string) => throughVips([photo], output)] as const] : []),
    ]),
    folder: folder.path,
    rounds: ROUNDS,
    results: 1,
    slow: [OTHER],
    before: () => endHost(env),
  })
  const [own, theirs] = [seconds.get('ours') ?? Number.NaN, seconds.get(OTHER)]
  const what = 'whole command, one HEIC of 200 megapixels, installed'
  const ratio = [`${what}, against ${OTHER}`, (theirs ?? Number.NaN) / own, '× throughput'] as const
  const note = `${own.toFixed(2)} s with a new host; fastest of ${ROUNDS}`
  return [
    theirs === undefined
      ? withoutBudget(...ratio, `${note}; ${OTHER} isn’t installed`)
      : atLeast(...ratio, LEAST, `${note}; ${theirs.toFixed(2)} s in one round of ${OTHER}`),
    atMost(
      `${what}: memory`,
      peak / MB,
      'MB',
      600,
      'highest resident size of one process, as Linux reports it',
    ),
  ]
}

/** 32 × 24 tiles of 512 pixels, rotated by 90°. */
const largeHeic = () =>
  makeHeic({
    tile: { width: 512, height: 512 },
    columns: 32,
    rows: 24,
    width: 16_320,
    height: 12_288,
    range: 'pc',
    properties: [turned(3)],
  })

/** Runs Node. @returns the highest resident size that the process or any of its descendants had, in bytes */
async function peakOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  let peak = 0
  const ended = new Promise<void>((resolve, reject) => {
    const child = execFile(process.execPath, args, { env }, (error) => {
      clearInterval(sampling)
      if (error) reject(error)
      else resolve()
    })
    // The system keeps the peak of each process, so sampling misses only its last moments.
    const sampling = setInterval(() => {
      void peakWithDescendants(child.pid ?? 0).then((bytes) => (peak = Math.max(peak, bytes)))
    }, 20)
  })
  await ended
  return peak
}

async function peakWithDescendants(pid: number): Promise<number> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
  const kilobytes = Number(/^VmHWM:\s+(\d+)/m.exec(await read('status'))?.[1] ?? 0)
  const children = (await read(`task/${pid}/children`)).split(' ').filter((text) => text !== '')
  const theirs = await Promise.all(children.map((child) => peakWithDescendants(Number(child))))
  return Math.max(kilobytes * 1024, ...theirs)
}
