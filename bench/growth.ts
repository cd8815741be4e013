/**
 * What one change costs when 50, 1 000 or 10 000 submissions wait: one is taken out, the state is brought up to date, the
 * page is told, and the page lays out its list. Beside it, what a poll asks the outbox about 50 jobs that nobody follows.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { awaitedIn } from '../src/main/core/service-jobs.ts'
import type { Core } from '../src/main/core/index.ts'
import { feedChanges } from '../src/main/state/state.ts'
import { layOut } from '../src/renderer/list/list-layout.ts'
import type { Job } from '../src/shared/api/resources.ts'
import type { AppState, StateChange } from '../src/shared/model/app-state.ts'
import { withChange } from '../src/shared/model/list-change.ts'
import { median } from './built-in.ts'
import { openIdleCore } from './open-core.ts'
import type { BenchRow } from './row.ts'
import { processorTime, turn } from './turns.ts'

const SIZES = [50, 1_000, 10_000] as const
const CHANGES = 20
const TICK_MS = 5
const FRAME_MS = 16
const PUSH_BYTES = 2_000

export async function benchGrowth(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = []
  for (const size of SIZES) {
    const { pushMs, bytes, windowMs, tickMs } = await measure(size)
    const waiting = `${size.toLocaleString('fr')} waiting`
    rows.push(
      atMost(`poll tick, whose 50 jobs are, ${waiting}`, tickMs, TICK_MS, 'ms'),
      {
        ...atMost(`state push, one change, ${waiting}`, pushMs, FRAME_MS, 'ms'),
        note: 'processor time, from the write to the message',
      },
      atMost(`state push, one change, ${waiting}: size`, bytes, PUSH_BYTES, 'bytes'),
      {
        ...atMost(`window, one change, ${waiting}`, windowMs, FRAME_MS, 'ms'),
        note: 'processor time until the list is laid out',
      },
    )
  }
  return rows
}

async function measure(size: number) {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-bench-'))
  const core = openIdleCore(folder)
  try {
    await fill(core, size)
    let change: StateChange | undefined
    let flush: (() => void) | undefined
    const feed = feedChanges(core.state, {
      interval: 0,
      setTimer: (run) => (flush = run),
      clearTimer: () => {},
      send: (sent) => (change = sent),
    })
    let page: AppState['outbox'] = feed.snapshot().state.outbox
    while (page.length < size) {
      flush?.()
      if (change?.outbox !== undefined) page = withChange(page, change.outbox)
    }
    const pushes: number[] = []
    const layouts: number[] = []
    let bytes = 0
    for (let n = 0; n < CHANGES; n += 1) {
      const middle = page[Math.floor(page.length / 2)]
      if (middle === undefined) throw new Error('something waits')
      const before = processorTime()
      core.outbox.remove(middle.id)
      core.state.get()
      flush?.()
      const message = serialize(change)
      const told = processorTime()
      if (change?.outbox !== undefined) page = withChange(page, change.outbox)
      layOutList(page)
      pushes.push(told - before)
      layouts.push(processorTime() - told)
      bytes = Math.max(bytes, message.length)
    }
    feed.end()
    return { pushMs: median(pushes), windowMs: median(layouts), bytes, tickMs: askingAboutJobs(core) }
  } finally {
    await core.close()
    rmSync(folder, { recursive: true })
  }
}

async function fill(core: Core, size: number): Promise<void> {
  core.drafts.store.add(
    Array.from({ length: size }, (_, n) => ({
      path: `/home/me/Pictures/Holiday in Norway/IMG_${n}.jpg`,
      name: `IMG_${n}.jpg`,
      kind: 'image' as const,
      size: 4_000_000,
    })),
    [],
  )
  core.drafts.store.change({ grouping: 'separate' })
  const started = await core.drafts.start({ split: false, grace: 0 })
  const last = started.ok ? started.ids[size - 1] : undefined
  if (last === undefined) throw new Error('not all of it was started')
  while (core.state.get().outbox.length < size || !core.history.has(last)) await turn()
}

const layOutList = (outbox: AppState['outbox']) =>
  layOut({
    jobs: [],
    outbox,
    history: { total: 0, pages: new Map(), query: {}, version: 1 },
    onlyHistory: false,
    unfolded: false,
    now: Date.now(),
  })

function askingAboutJobs({ outbox, history }: Core): number {
  const isSpokenFor = awaitedIn(outbox, history, Date.now())
  const jobs = Array.from({ length: 50 }, (_, n): Job => ({
    jobId: `job-${n}`,
    status: 'completed',
    type: 'single',
    preset: 'Web 2048',
    progress: {},
    createdAt: new Date().toISOString(),
    startedAt: null,
    completedAt: null,
  }))
  return median(
    Array.from({ length: CHANGES }, () => {
      const before = processorTime()
      for (const job of jobs) isSpokenFor(job)
      return processorTime() - before
    }),
  )
}

const atMost = (name: string, measured: number, most: number, unit: string): BenchRow => ({
  name,
  measured,
  unit,
  budget: `≤ ${most} ${unit}`,
  met: measured <= most,
})
