/**
 * The largest upload there may be, through our client and through curl, to the same real service. Each round has both, now one
 * first and now the other: what one has written is still on its way to the disk when the next begins. What counts is the median of
 * the rounds' ratios.
 */
import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MAX_UPLOAD_BYTES } from '../src/shared/api/limits.ts'
import { Upload } from '../src/shared/api/resources.ts'
import { median, startForBench, type Bench } from './built-in.ts'
import type { BenchRow } from './row.ts'

const ROUNDS = 12
const MIB = 1024 * 1024

export async function benchUpload(): Promise<BenchRow[]> {
  const bench = await startForBench()
  try {
    const path = await largeFile(bench.folder)
    await throughClient(bench, path)
    await throughCurl(bench, path)

    const client: number[] = []
    const curl: number[] = []
    let growth = 0
    let cpu = 0
    const ours = async () => {
      const measured = await throughClient(bench, path)
      client.push(measured.ms)
      growth = Math.max(growth, measured.growth)
      cpu += measured.cpu / ROUNDS
    }
    const theirs = async () => void curl.push(await throughCurl(bench, path))
    for (let round = 0; round < ROUNDS; round++) {
      for (const contender of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) await contender()
    }
    const ratio = median(client.map((ms, round) => (curl[round] ?? Number.NaN) / ms))
    const speed = (ms: number) => `${Math.round(MAX_UPLOAD_BYTES / MIB / (ms / 1000))} MiB/s`
    return [
      {
        name: 'upload of 500 MiB, client against curl',
        measured: ratio,
        unit: '× curl’s throughput',
        budget: '≥ 1.0',
        met: ratio >= 1,
        note:
          `client ${speed(median(client))}, curl ${speed(median(curl))}, medians of ${ROUNDS}; both wait for the service, ` +
          `and ${cpu.toFixed(0)} ms of ${median(client).toFixed(0)} are the client’s own processor time`,
      },
      {
        name: 'upload of 500 MiB, memory of the client',
        measured: growth / MIB,
        unit: 'MiB RSS growth',
        budget: '≤ 64',
        met: growth / MIB <= 64,
        note: `the most of ${ROUNDS} rounds, sampled every 20 ms`,
      },
    ]
  } finally {
    await bench.close()
  }
}

/** With real bytes in it: a file of holes would be read without a disk. */
async function largeFile(folder: string): Promise<string> {
  const path = join(folder, 'large.mp4')
  const file = await open(path, 'w')
  const part = Buffer.from(Array.from({ length: MIB }, (_, at) => (at * 31) % 251))
  for (let written = 0; written < MAX_UPLOAD_BYTES; written += MIB) await file.write(part)
  await file.close()
  return path
}

type ClientRound = {
  readonly ms: number
  /** In bytes. */
  readonly growth: number
  /** In ms. */
  readonly cpu: number
}

async function throughClient({ api }: Bench, path: string): Promise<ClientRound> {
  const before = process.memoryUsage.rss()
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  const began = performance.now()
  const beganCpu = process.cpuUsage()
  const uploaded = await api.upload({ path })
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(beganCpu)
  clearInterval(sampling)
  if (!uploaded.ok) throw new Error(uploaded.error.message)
  await rm(uploaded.value.filePath)
  return { ms, growth: Math.max(0, most - before), cpu: (user + system) / 1000 }
}

const run = promisify(execFile)

async function throughCurl({ baseUrl, key }: Bench, path: string): Promise<number> {
  const headers = ['-H', `Authorization: Bearer ${key}`, '-H', 'X-Filename: large.mp4', '-H', 'Expect:']
  const type = ['-H', 'Content-Type: application/octet-stream']
  const began = performance.now()
  const { stdout } = await run('curl', [
    '-sS',
    '-X',
    'POST',
    '-T',
    path,
    ...headers,
    ...type,
    `${baseUrl}/upload`,
  ])
  const ms = performance.now() - began
  await rm(Upload.parse(JSON.parse(stdout)).filePath)
  return ms
}
