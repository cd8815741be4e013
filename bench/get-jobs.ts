/**
 * Compares `GET /jobs` with 50 jobs on the built-in service with a bare node:http server in a separate process that sends the same
 * bytes. The rounds alternate.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { Pool } from 'undici'
import { isInProgress } from '../src/shared/api/job-status.ts'
import { MAX_LISTED_JOBS } from '../src/shared/api/limits.ts'
import { startForBench, type Bench } from './built-in.ts'
import { median } from './measure.ts'
import { atLeast, type BenchRow } from './row.ts'

const ROUNDS = 7
const ROUND_MS = 700
const CONNECTIONS = 8

export async function benchGetJobs(): Promise<BenchRow[]> {
  await using bench = await startForBench()
  await fillTheList(bench)
  const headers = { authorization: `Bearer ${bench.key}` }
  const bare = await startBareServer(bench, headers)
  const target = new URL(bench.baseUrl)
  const service = new Pool(target.origin, { connections: CONNECTIONS })
  const reference = new Pool(bare.origin, { connections: CONNECTIONS })
  try {
    const path = `${target.pathname}/jobs`
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      ours.push(await requestsPerSecond(service, path, headers))
      theirs.push(await requestsPerSecond(reference, path, headers))
    }
    // The first round is a warm-up and doesn't count.
    const [own, other] = [median(ours.slice(1)), median(theirs.slice(1))]
    return [
      atLeast(
        `GET /jobs with ${MAX_LISTED_JOBS} jobs, against bare node:http`,
        own / other,
        '× requests per second',
        0.5,
        `${Math.round(own)} against ${Math.round(other)} requests/s of ${bare.bytes} bytes; medians of ${ROUNDS}`,
      ),
    ]
  } finally {
    await service.destroy()
    await reference.destroy()
    bare.stop()
  }
}

/** Fills the list with real jobs and waits until all have ended. */
async function fillTheList({ api, folder }: Bench): Promise<void> {
  const photo = join(folder, 'dot.png')
  await sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } }).toFile(photo)
  for (let count = 0; count < MAX_LISTED_JOBS;) {
    const created = await api.createJob({ filePath: photo, outputFolder: join(folder, 'out') })
    if (created.ok) count++
    else if (created.error.kind !== 'queueFull') throw new Error(created.error.message)
    else await sleep(20)
  }
  for (;;) {
    const list = await api.jobs()
    if (!list.ok) throw new Error(list.error.message)
    if (list.value.jobs.length !== MAX_LISTED_JOBS)
      throw new Error(`${list.value.jobs.length} jobs are listed`)
    if (!list.value.jobs.some((job) => isInProgress(job.status))) return
    await sleep(50)
  }
}

const BARE = `
  const body = require('node:fs').readFileSync(process.argv[1])
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }
  const server = require('node:http').createServer((_, response) => response.writeHead(200, headers).end(body))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

async function startBareServer(bench: Bench, headers: Record<string, string>) {
  const response = await fetch(`${bench.baseUrl}/jobs`, { headers })
  const body = Buffer.from(await response.arrayBuffer())
  const file = join(bench.folder, 'jobs.json')
  await writeFile(file, body)
  const child = spawn(process.execPath, ['-e', BARE, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  return {
    origin: `http://127.0.0.1:${String(port).trim()}`,
    bytes: body.length,
    stop: () => void child.kill(),
  }
}

async function requestsPerSecond(pool: Pool, path: string, headers: Record<string, string>): Promise<number> {
  let answered = 0
  const began = performance.now()
  const requesting = async () => {
    while (performance.now() - began < ROUND_MS) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
      await body.dump()
      if (statusCode !== 200) throw new Error(`HTTP status ${statusCode}`)
      answered++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, requesting))
  return answered / ((performance.now() - began) / 1000)
}
