/**
 * Small files of a cloud drive on their way to the processing: a folder of 2,000, which rclone reaches as a disk, so
 * that nothing but our own way and rclone's is measured. Fetching them one by one, each with an rclone of its own, is measured on a part of them.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { rcloneFolder } from '../src/service/drive/rclone-folder.ts'
import { rcloneRunner } from '../src/service/drive/run-rclone.ts'
import type { DriveFolder } from '../src/service/drive/index.ts'
import { fetchedFiles } from '../src/service/queue/input-files.ts'
import type { JobInput } from '../src/service/queue/job-plan.ts'
import { startRemotes } from '../test/service/drive/remotes.ts'
import { isInstalled } from './other-tools.ts'
import type { BenchRow } from './row.ts'

const FILES = 2_000
/** One by one they would take minutes. */
const ALONE = 40
const LEAST = 10
const SIDE_BY_SIDE = 3

export async function benchDrive(): Promise<BenchRow[]> {
  if (!isInstalled('rclone')) return []
  const remotes = await startRemotes()
  const folder = await mkdtemp(path.join(tmpdir(), 'mediatray-bench-'))
  try {
    const run = rcloneRunner('rclone', { ...process.env, RCLONE_CONFIG: remotes.config })
    const names = await fill(path.join(remotes.diskRoot, 'album'))
    const drive = rcloneFolder('album', { options: [], folder: 'disk:album', prefix: 'disk:album/' }, run)
    const oneByOne: DriveFolder = { ...drive, fetchTogether: () => Promise.resolve() }
    const alone = await secondsEach(oneByOne, names.slice(0, ALONE), path.join(folder, 'alone'))
    const together = await secondsEach(drive, names, path.join(folder, 'together'))
    return [rowOf(alone, together)]
  } finally {
    await remotes.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function rowOf(alone: number, together: number): BenchRow {
  const ratio = alone / together
  return {
    name: `drive: ${FILES} small files, against one rclone for each`,
    measured: ratio,
    unit: '× as fast',
    budget: `≥ ${LEAST}`,
    met: ratio >= LEAST,
    note:
      `through a disk: ${(together * FILES).toFixed(1)} s for all, one by one ${(alone * 1000).toFixed(0)} ms each, of ${ALONE}; ` +
      'a WebDAV server is asked by rclone at most every 10 ms',
  }
}

async function fill(folder: string): Promise<string[]> {
  await mkdir(folder)
  const create = { width: 64, height: 64, channels: 3, background: '#88a' } as const
  const photo = await sharp({ create }).jpeg().toBuffer()
  const names = Array.from({ length: FILES }, (_, index) => `photo ${index}.jpg`)
  for (const name of names) await writeFile(path.join(folder, name), photo)
  return names
}

/** As the queue takes them: a few at a time, each given back before the next. */
async function secondsEach(
  folder: DriveFolder,
  names: readonly string[],
  workFolder: string,
): Promise<number> {
  await mkdir(workFolder)
  const inputs = names.map((name): JobInput => ({ path: name, kind: 'image' }))
  const files = fetchedFiles({
    folder,
    inputs,
    sizes: inputs.map(() => 1_000),
    batchCount: 1,
    workFolder,
    freeBytes: () => Promise.resolve(Infinity),
  })
  const { signal } = new AbortController()
  const waiting = inputs.entries()
  const take = async () => {
    for (const [inputIndex, input] of waiting) {
      const operation = { index: inputIndex, inputIndex, input, variation: 1 }
      await files.take(operation, { signal })
      await files.release(operation)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, take))
  return (performance.now() - start) / 1000 / names.length
}
