/** Watched folders at work: what they take is started like a draft, and what our own jobs make is not taken again. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Draft, StartResult } from '../../shared/model/draft.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { Core } from './core.ts'
import type { Timing } from '../../node/timing.ts'
import {
  createWatchFolders,
  type FinishedWork,
  type RunningWork,
  type WatchFolders,
  type WatchTrouble,
} from '../watch/index.ts'

export type WatchingOptions = {
  readonly core: Core
  readonly dataFolder: string
  readonly timing: Timing
  readonly onTrouble: (trouble: WatchTrouble) => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** Results that a crash may have kept from the watched folders' own memory are among the newest. */
const NEWEST = 100

export function startWatching({ core, dataFolder, timing, onTrouble, log }: WatchingOptions): WatchFolders {
  const watch = createWatchFolders({
    settings: core.settings,
    file: join(dataFolder, 'watched.db'),
    start: (draft, key) => startTaken(core, draft, key),
    wasStarted: (key) => core.outbox.wasEnqueued(key),
    confirmStarted: (key) => core.outbox.forgetKey(key),
    running: () => runningWork(core),
    resultPaths: () => newestResults(core),
    newKey: randomUUID,
    timing,
    onTrouble,
    log,
  })
  if (watch.setAside !== null) core.notices.sayDamage({ what: 'watched', keptAs: watch.setAside })
  core.events.on('workFinished', (record) => {
    const work = finishedWork(record)
    if (work !== undefined) watch.noteFinished(work)
  })
  return watch
}

/** Photos and videos that came together and share no preset become two jobs, as in the window. */
async function startTaken(core: Core, draft: Draft, key: string): Promise<StartResult> {
  const together = await core.drafts.startDraft(draft, { split: false, grace: 0, key })
  const mixed = !together.ok && together.problems.every((problem) => problem.code === 'presetNotFor')
  return mixed ? await core.drafts.startDraft(draft, { split: true, grace: 0, key }) : together
}

/** What was refused makes nothing until a person has looked at it. */
function runningWork(core: Core): readonly RunningWork[] {
  const { outbox, jobs } = core.state.get()
  const coming = outbox.filter((entry) => entry.state.kind !== 'refused')
  return [...coming, ...jobs].flatMap(({ output }) =>
    output?.kind === 'folder' ? [{ outputFolder: output.path }] : [],
  )
}

function newestResults(core: Core): readonly string[] {
  const { records } = core.history.page({}, { offset: 0, limit: NEWEST })
  return records.flatMap(({ id }) =>
    (core.history.details(id)?.results ?? []).map((result) => result.outputPath),
  )
}

function finishedWork(record: RecordDetails): FinishedWork | undefined {
  const { output, outcome, endedAt } = record
  if (output?.kind !== 'folder' || outcome === null || endedAt === null) return undefined
  return {
    outputFolder: output.path,
    inputs: record.inputs.map((input) => input.path),
    results: record.results.map((result) => result.outputPath),
    complete: outcome.kind === 'done',
    since: record.createdAt,
    until: endedAt,
  }
}
