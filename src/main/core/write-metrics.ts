/**
 * Writes figures for Prometheus to a file that its node exporter collects. The counters survive a change of owner, because the history
 * keeps them.
 */
import { messageOf } from '../../node/errors.ts'
import { USUAL_MODE, writeWhole } from '../../node/write-file.ts'
import { PROGRAM_VERSION } from '../../node/version.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import { OUTCOME_KINDS } from '../../shared/model/job.ts'
import { stateOf, unfinishedJobs, type JobState } from '../../shared/model/job-state.ts'
import type { Totals } from '../../shared/model/saved.ts'
import type { EndedJobs, History } from '../history/index.ts'
import type { StateStore } from '../state/state.ts'
import type { Modules } from './modules.ts'

/** Minimum time between two writes in ms. Prometheus usually collects every 15 s or less often. */
const PAUSE_MS = 5_000

/** Starts writing. @returns a function that stops writing; its promise resolves when the file has the latest figures */
export function writeMetrics(
  modules: Pick<Modules, 'settings' | 'timing' | 'log'> & {
    readonly state: Pick<StateStore, 'get' | 'onChange'>
    readonly history: Pick<History, 'endedJobs' | 'totals'>
  },
): () => Promise<void> {
  const { state, history, settings, timing, log } = modules
  let cancel: (() => void) | undefined
  let writing = Promise.resolve()
  let written = ''
  let hasFailed = false

  async function writeNow(): Promise<void> {
    const path = settings.view().metricsFile
    if (path === null) return
    const content = metricsText({ state: state.get(), ended: history.endedJobs(), totals: history.totals() })
    const key = `${path}\n${content}`
    if (key === written) return
    try {
      await writeWhole(path, content, USUAL_MODE)
      written = key
      hasFailed = false
    } catch (error) {
      // The file is written again after the next change. Log only the first error of a series.
      if (!hasFailed) log('metrics not written', { error: messageOf(error) })
      hasFailed = true
    }
  }

  /** Writes after a pause, to combine many changes in one write. */
  function writeSoon(): void {
    if (settings.view().metricsFile === null) return
    cancel ??= timing.after(PAUSE_MS, () => {
      cancel = undefined
      writing = writing.then(writeNow)
    })
  }

  const unlisten = state.onChange(writeSoon)
  writeSoon()
  return async () => {
    unlisten()
    cancel?.()
    await writing
    await writeNow()
  }
}

/** The states of unfinished jobs, by their names in the file. */
const QUEUE = {
  running: ['now'],
  queued: ['next'],
  waiting: ['waiting', 'sending'],
  uploading: ['uploading'],
  needs_user: ['refused', 'unsure'],
} as const satisfies Readonly<Record<string, readonly JobState[]>>

type Figures = { readonly state: AppState; readonly ended: EndedJobs; readonly totals: Totals }

/** Returns the figures in Prometheus's text format, version 0.0.4. */
function metricsText({ state, ended, totals }: Figures): string {
  const states = Map.groupBy(unfinishedJobs(state), stateOf)
  const count = (those: readonly JobState[]) =>
    those.reduce((sum, one) => sum + (states.get(one)?.length ?? 0), 0)
  const rows = new Map<string, EndedJobs[number]>(ended.map((row) => [row.outcome, row]))
  // Includes outcomes that no job has had yet, because `increase` ignores the first sample.
  const perOutcome = (of: 'jobs' | 'files' | 'failedFiles' | 'seconds') =>
    OUTCOME_KINDS.map((outcome) => [`{outcome="${outcome}"}`, rows.get(outcome)?.[of] ?? 0] as const)
  return [
    metric('info', 'gauge', 'The version of Mediatray', [[`{version="${PROGRAM_VERSION}"}`, 1]]),
    metric('jobs_total', 'counter', 'Jobs that have ended', perOutcome('jobs')),
    metric(
      'job_files_total',
      'counter',
      'Files of jobs that have ended, once for each preset',
      perOutcome('files'),
    ),
    metric(
      'failed_files_total',
      'counter',
      'Files without a result in jobs that have ended, once for each preset',
      perOutcome('failedFiles'),
    ),
    metric('processing_seconds_total', 'counter', 'Time that jobs were processed', perOutcome('seconds')),
    metric(
      'queue_jobs',
      'gauge',
      'Jobs that have not ended',
      Object.entries(QUEUE).map(([name, those]) => [`{state="${name}"}`, count(those)] as const),
    ),
    metric('measured_files', 'gauge', 'Originals whose results were measured', [['', totals.files]]),
    metric('original_bytes', 'gauge', 'Size of the measured originals', [['', totals.inputBytes]]),
    metric('result_bytes', 'gauge', 'Size of their results', [['', totals.resultBytes]]),
    metric('saved_bytes', 'gauge', 'What results are smaller than their originals', [
      ['', totals.saved.bytes],
    ]),
  ].join('')
}

function metric(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = samples.map(([labels, value]) => `mediatray_${name}${labels} ${value}\n`)
  return `# HELP mediatray_${name} ${help}.\n# TYPE mediatray_${name} ${type}\n${lines.join('')}`
}
