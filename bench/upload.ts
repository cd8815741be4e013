/**
 * The largest upload there may be, through our client and through curl, to the same real service. The rounds are
 * interleaved, so that a busy moment of the computer hits both.
 */
import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MAX_UPLOAD_BYTES } from '../src/shared/api/limits.ts'
import { Upload } from '../src/shared/api/resources.ts'
import { median, startForBench, type Bench } from './built-in.ts'
import type { BenchRow } from './row.ts'

const ROUNDS = 5
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
    for (let round = 0; round < ROUNDS; round++) {
      const measured = await throughClient(bench, path)
      client.push(measured.ms)
      growth = Math.max(growth, measured.growth)
      curl.push(await throughCurl(bench, path))
    }
    const ratio = median(curl) / median(client)
    const speed = (ms: number) => `${Math.round(MAX_UPLOAD_BYTES / MIB / (ms / 1000))} MiB/s`
    return [
      {
        name: 'upload of 500 MiB, client against curl',
        measured: ratio,
        unit: '× curl’s throughput',
        budget: '≥ 1.0',
        met: ratio >= 1,
        note: `client ${speed(median(client))}, curl ${speed(median(curl))}, medians of ${ROUNDS}`,
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

async function throughClient({ api }: Bench, path: string): Promise<{ ms: number; growth: number }> {
  const before = process.memoryUsage.rss()
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  const began = performance.now()
  const uploaded = await api.upload({ path })
  const ms = performance.now() - began
  clearInterval(sampling)
  if (!uploaded.ok) throw new Error(uploaded.error.message)
  await rm(uploaded.value.filePath)
  return { ms, growth: Math.max(0, most - before) }
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
