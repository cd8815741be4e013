import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchRow } from './row.ts'

const FOLDERS = 10
const FILES_EACH = 10_000
const IDLE_MS = 20_000
const ARRIVALS = 20

/** What the watching process says, one line of JSON each. */
type Said = {
  readonly event: 'looked' | 'submitted' | 'idle'
  readonly at: number
  readonly name?: string
  readonly cpuMs?: number
  readonly rssMiB?: number
  readonly keptMiB?: number
  readonly tookMs?: number
  readonly settleMs?: number
}

/**
 * Ten watched folders with 10 000 files each, all of them known: what that costs while nothing happens, and how long a file
 * that has come to rest waits until it is submitted.
 */
export async function benchWatch(): Promise<BenchRow[]> {
  const root = await mkdtemp(join(tmpdir(), 'mediatray-bench-watch-'))
  try {
    for (let n = 0; n < FOLDERS; n += 1) await fill(join(root, `in-${n}`))
    await startWatcher(root, 'learn').ended
    const watcher = startWatcher(root, 'watch')
    try {
      const looked = await watcher.next('looked')
      const idle = await watcher.next('idle')
      const latencies: number[] = []
      let settleMs = 0
      for (let n = 0; n < ARRIVALS; n += 1) {
        const name = `new-${n}.jpg`
        await writeFile(join(root, `in-${n % FOLDERS}`, name), name)
        const wroteAt = Date.now()
        const submitted = await watcher.next('submitted')
        if (submitted.name !== name) throw new Error(`${String(submitted.name)} was submitted, not ${name}.`)
        settleMs = submitted.settleMs ?? 0
        latencies.push(submitted.at - wroteAt - settleMs)
      }
      return rowsOf(looked, idle, latencies, settleMs)
    } finally {
      watcher.end()
    }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

function rowsOf(looked: Said, idle: Said, latencies: readonly number[], settleMs: number): BenchRow[] {
  const sorted = latencies.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0
  const cpuPerMinute = ((idle.cpuMs ?? 0) / IDLE_MS) * 60
  const memory = idle.keptMiB ?? 0
  return [
    {
      name: 'watched folder: file still → submitted, beyond the wait (median)',
      measured: median,
      unit: 'ms',
      budget: '≤ 100',
      met: median <= 100,
      note: `p95 ${p95} ms; a file has to be still for ${settleMs} ms`,
    },
    {
      name: `idle, ${FOLDERS} watched folders of ${FILES_EACH} files: CPU a minute`,
      measured: cpuPerMinute,
      unit: 's',
      budget: '≤ 0.3',
      met: cpuPerMinute <= 0.3,
    },
    {
      name: 'the same: memory kept',
      measured: memory,
      unit: 'MiB',
      budget: '≤ 64',
      met: memory <= 64,
      note: `the process has grown by ${(idle.rssMiB ?? 0).toFixed(0)} MiB; looked through in ${((looked.tookMs ?? 0) / 1000).toFixed(1)} s`,
    },
  ]
}

async function fill(folder: string): Promise<void> {
  await mkdir(folder)
  for (let start = 0; start < FILES_EACH; start += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, n) => writeFile(join(folder, `photo-${start + n}.jpg`), 'x')),
    )
  }
}

const NOBODY_WAITS = () => {}

function startWatcher(root: string, task: 'learn' | 'watch') {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--expose-gc',
      join(import.meta.dirname, 'watching-process.ts'),
      root,
      String(FOLDERS),
      String(IDLE_MS),
      task,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  let text = ''
  const said: Said[] = []
  let wake = NOBODY_WAITS
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) said.push(JSON.parse(line) as Said)
    wake()
  })
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      hasEnded = true
      wake()
      resolve()
    })
  })
  return {
    ended,
    async next(event: Said['event']): Promise<Said> {
      for (;;) {
        const first = said.shift()
        if (first?.event === event) return first
        if (first !== undefined) continue
        if (hasEnded) throw new Error('The watching process has ended.')
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    end: () => void child.stdin.end(),
  }
}
