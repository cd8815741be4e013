import { asRecordId } from '../src/shared/model/ids.ts'
import type { Outcome, PartAt, PartDetails, PartTitle, SubmissionState } from '../src/shared/model/job.ts'
import { onlyPlace } from '../src/shared/model/job-state.ts'

/** Parts of jobs as the main process reports them. */
export const title = (name: string, photos: number, videos = 0): PartTitle => ({
  id: asRecordId(`r_${name}`),
  name,
  firstPath: `/home/ada/Pictures/${name}`,
  photos,
  videos,
  files: photos + videos,
  preset: 'Web 2048',
  variations: 1,
  output: { kind: 'folder', path: '/home/ada/Pictures/Web' },
  driveInput: null,
  place: onlyPlace({ id: asRecordId(`r_${name}`), photos, videos }),
  origin: 'ours',
  createdAt: 1_000,
})

export const queued = (work: PartTitle, position: number): PartAt<'service'> => ({
  ...running(work, 0),
  stage: { kind: 'queued', position },
})

export const running = (
  work: PartTitle,
  share: number | null,
  timeLeft: number | null = null,
): PartAt<'service'> => ({
  ...work,
  at: 'service',
  jobId: `job-${work.name}`,
  stage: { kind: 'processing' },
  progress: {
    share,
    phase: 'resizing',
    currentFile: 7,
    totalFiles: work.files,
    completedFiles: 6,
    fileName: null,
    timeLeft,
  },
  startedAt: 2_000,
  doneFiles: [],
  problems: [],
})

export const entry = (work: PartTitle, state: SubmissionState): PartAt<'outbox'> => ({
  ...work,
  at: 'outbox',
  state,
})

export const waiting = (work: PartTitle): PartAt<'outbox'> =>
  entry(work, { kind: 'waiting', because: 'queueFull', notBefore: null })

/** Returns the details of a part that is unfinished, unless it is one of the history. */
export const details = (
  part: PartTitle | PartAt<'history'>,
  more: Partial<PartDetails> = {},
): PartDetails => ({
  outcome: null,
  endedAt: null,
  replaced: null,
  unseen: false,
  ...part,
  at: 'history',
  parts: [],
  replacements: [],
  inputs: [],
  grouping: 'together',
  chosen: null,
  skipped: [],
  results: [],
  problems: [],
  forecast: null,
  resultBytes: null,
  facts: {
    service: 'external',
    baseUrl: 'http://127.0.0.1:3847/api',
    jobId: 'job_8fK2-x91',
    acceptedAt: null,
    startedAt: null,
    serviceText: null,
    notes: [],
    inVault: [],
  },
  ...more,
})

/** Returns the details of a part that has ended. */
export const record = (work: PartTitle, outcome: Outcome, more: Partial<PartDetails> = {}): PartDetails => {
  const unfinished = details(work)
  return {
    ...unfinished,
    outcome,
    endedAt: 200_000,
    unseen: outcome.kind === 'problems' || outcome.kind === 'failed',
    facts: { ...unfinished.facts, jobId: 'j1', acceptedAt: 1_000, startedAt: 80_000 },
    ...more,
  }
}
