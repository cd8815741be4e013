/**
 * Compares uploading a file of the maximum size through our client and through curl, to the same built-in service. They take turns
 * going first, because the first upload's data is still being written to disk when the second begins. The result is the median of
 * the rounds' ratios. A client that only pipes the file into a request shows how fast Node usually is.
 */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { MAX_UPLOAD_BYTES } from '../src/shared/api/limits.ts'
import { Upload } from '../src/shared/api/resources.ts'
import { startForBench, type Bench } from './built-in.ts'
import { cpuTime, median } from './measure.ts'
import { runTool } from './other-tools.ts'
import { atLeast, atMost, type BenchRow } from './row.ts'

const ROUNDS = 12
const MIB = 1024 * 1024
/** Minimum throughput as a multiple of a bare `node:http` client's, up to curl's own. */
const LEAST_OF_BARE = 1

export async function benchUpload(): Promise<BenchRow[]> {
  await using bench = await startForBench()
  const path = await createLargeFile(bench.folder)
  await throughClient(bench, path)
  await throughCurl(bench, path)
  await throughBareNode(bench, path)

  const client: number[] = []
  const curl: number[] = []
  const bare: Sent[] = []
  let growth = 0
  let cpu = 0
  const ours = async () => {
    const measured = await throughClient(bench, path)
    client.push(measured.ms)
    growth = Math.max(growth, measured.growth)
    cpu += measured.cpu / ROUNDS
  }
  const theirs = async () => void curl.push(await throughCurl(bench, path))
  const least = async () => void bare.push(await throughBareNode(bench, path))
  const candidates = [ours, theirs, least]
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % candidates.length
    for (const candidate of [...candidates.slice(first), ...candidates.slice(0, first)]) await candidate()
  }
  const floor = median(bare.map(({ ms }, round) => (curl[round] ?? Number.NaN) / ms))
  const ratio = median(client.map((ms, round) => (curl[round] ?? Number.NaN) / ms))
  const speed = (ms: number) => `${Math.round(MAX_UPLOAD_BYTES / MIB / (ms / 1000))} MiB/s`
  const note =
    `client ${speed(median(client))}, curl ${speed(median(curl))}, medians of ${ROUNDS}; both wait for the service. ` +
    `The client uses ${cpu.toFixed(0)} ms of CPU time in ${median(client).toFixed(0)} ms; a bare node:http client reaches ` +
    `${floor.toFixed(2)} × curl’s throughput, with ${median(bare.map((one) => one.cpu)).toFixed(0)} ms of CPU time`
  return [
    atLeast(
      'upload of 500 MiB, client against curl',
      ratio,
      '× curl’s throughput',
      // On some computers, Node needs more time for each byte than curl.
      Number(Math.min(1, LEAST_OF_BARE * floor).toFixed(2)),
      note,
    ),
    atMost(
      'upload of 500 MiB, memory of the client',
      growth / MIB,
      'MiB RSS growth',
      64,
      `maximum of ${ROUNDS} rounds, sampled every 20 ms`,
    ),
  ]
}

/** Creates a file without holes: reading a sparse file wouldn't use the disk. */
async function createLargeFile(folder: string): Promise<string> {
  const path = join(folder, 'large.mp4')
  const file = await open(path, 'w')
  const part = Buffer.from(Array.from({ length: MIB }, (_, at) => (at * 31) % 251))
  for (let written = 0; written < MAX_UPLOAD_BYTES; written += MIB) await file.write(part)
  await file.close()
  return path
}

type Sent = {
  readonly ms: number
  /** CPU time in ms. */
  readonly cpu: number
}

/** `growth` is in bytes. */
type ClientRound = Sent & { readonly growth: number }

async function throughClient({ api }: Bench, path: string): Promise<ClientRound> {
  const before = process.memoryUsage.rss()
  let peak = before
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const began = performance.now()
  const cpuBefore = cpuTime()
  const uploaded = await api.upload({ path })
  const ms = performance.now() - began
  const cpu = cpuTime() - cpuBefore
  clearInterval(sampling)
  if (!uploaded.ok) throw new Error(uploaded.error.message)
  await rm(uploaded.value.filePath)
  return { ms, growth: Math.max(0, peak - before), cpu }
}

async function throughBareNode({ baseUrl, key }: Bench, path: string): Promise<Sent> {
  const began = performance.now()
  const cpuBefore = cpuTime()
  const headers = {
    authorization: `Bearer ${key}`,
    'x-filename': 'large.mp4',
    'content-type': 'application/octet-stream',
    'content-length': MAX_UPLOAD_BYTES,
  }
  const sending = request(`${baseUrl}/upload`, { method: 'POST', headers })
  const answered = once(sending, 'response')
  await pipeline(createReadStream(path, { highWaterMark: MIB }), sending)
  const [response] = (await answered) as [IncomingMessage]
  const answer = await text(response)
  const sent = { ms: performance.now() - began, cpu: cpuTime() - cpuBefore }
  await rm(Upload.parse(JSON.parse(answer)).filePath)
  return sent
}

async function throughCurl({ baseUrl, key }: Bench, path: string): Promise<number> {
  const headers = ['-H', `Authorization: Bearer ${key}`, '-H', 'X-Filename: large.mp4', '-H', 'Expect:']
  const type = ['-H', 'Content-Type: application/octet-stream']
  const began = performance.now()
  const request = ['-sS', '-X', 'POST', '-T', path, ...headers, ...type, `${baseUrl}/upload`]
  const { stdout } = await runTool('curl', request)
  const ms = performance.now() - began
  await rm(Upload.parse(JSON.parse(stdout)).filePath)
  return ms
}
