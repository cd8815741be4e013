/**
 * `GET /jobs` with 50 jobs at the built-in service, against a bare node:http server in a process of its own that sends the
 * same bytes. The rounds are interleaved.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { Pool } from 'undici'
import { isInProgress } from '../src/shared/api/job-status.ts'
import { MAX_LISTED_JOBS } from '../src/shared/api/limits.ts'
import { median, startForBench, type Bench } from './built-in.ts'
import type { BenchRow } from './row.ts'

const ROUNDS = 7
const ROUND_MS = 700
const AT_ONCE = 8

export async function benchGetJobs(): Promise<BenchRow[]> {
  const bench = await startForBench()
  try {
    await fillTheList(bench)
    const headers = { authorization: `Bearer ${bench.key}` }
    const bare = await startBareServer(bench, headers)
    const target = new URL(bench.baseUrl)
    const service = new Pool(target.origin, { connections: AT_ONCE })
    const reference = new Pool(bare.origin, { connections: AT_ONCE })
    try {
      const path = `${target.pathname}/jobs`
      await requestsPerSecond(service, path, headers)
      await requestsPerSecond(reference, path, headers)
      const ours: number[] = []
      const theirs: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await requestsPerSecond(service, path, headers))
        theirs.push(await requestsPerSecond(reference, path, headers))
      }
      const ratio = median(ours) / median(theirs)
      return [
        {
          name: `GET /jobs with ${MAX_LISTED_JOBS} jobs, against bare node:http`,
          measured: ratio,
          unit: '× requests a second',
          budget: '≥ 0.5',
          met: ratio >= 0.5,
          note: `${Math.round(median(ours))} against ${Math.round(median(theirs))} requests/s of ${bare.bytes} bytes`,
        },
      ]
    } finally {
      await service.destroy()
      await reference.destroy()
      bare.stop()
    }
  } finally {
    await bench.close()
  }
}

/** Real jobs, run to their end. */
async function fillTheList({ api, folder }: Bench): Promise<void> {
  const photo = join(folder, 'dot.png')
  await writeFile(
    photo,
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } })
      .png()
      .toBuffer(),
  )
  for (let made = 0; made < MAX_LISTED_JOBS;) {
    const created = await api.createJob({ filePath: photo, outputFolder: join(folder, 'out') })
    if (created.ok) made++
    else if (created.error.kind !== 'queueFull') throw new Error(created.error.message)
    else await new Promise((resolve) => setTimeout(resolve, 20))
  }
  for (;;) {
    const list = await api.jobs()
    if (!list.ok) throw new Error(list.error.message)
    if (list.value.jobs.length !== MAX_LISTED_JOBS)
      throw new Error(`${list.value.jobs.length} jobs are listed`)
    if (!list.value.jobs.some((job) => isInProgress(job.status))) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const BARE = `
  const body = require('node:fs').readFileSync(process.argv[1])
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }
  const server = require('node:http').createServer((_, response) => response.writeHead(200, headers).end(body))
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

async function startBareServer(bench: Bench, headers: Record<string, string>) {
  const answer = await fetch(`${bench.baseUrl}/jobs`, { headers })
  const body = Buffer.from(await answer.arrayBuffer())
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
  const asking = async () => {
    while (performance.now() - began < ROUND_MS) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
      await body.dump()
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
      answered++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, asking))
  return answered / ((performance.now() - began) / 1000)
}
