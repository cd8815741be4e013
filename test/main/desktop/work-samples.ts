import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { Outcome } from '../../../src/shared/model/outcome.ts'
import type {
  ActiveJob,
  OutboxEntry,
  RecordDetails,
  SubmissionState,
  WorkTitle,
} from '../../../src/shared/model/work.ts'

export const title = (name: string, photos: number, videos = 0): WorkTitle => ({
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
  group: null,
  origin: 'ours',
  createdAt: 1_000,
})

export const queued = (work: WorkTitle, position: number): ActiveJob => ({
  ...running(work, 0),
  stage: { kind: 'queued', position },
})

export const running = (
  work: WorkTitle,
  share: number | null,
  timeLeft: number | null = null,
): ActiveJob => ({
  ...work,
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

export const entry = (work: WorkTitle, state: SubmissionState): OutboxEntry => ({ ...work, state })

export const waiting = (work: WorkTitle): OutboxEntry =>
  entry(work, { kind: 'waiting', because: 'queueFull', notBefore: null })

export const record = (
  work: WorkTitle,
  outcome: Outcome,
  more: Partial<RecordDetails> = {},
): RecordDetails => ({
  ...work,
  outcome,
  endedAt: 200_000,
  members: null,
  replaced: null,
  unseen: outcome.kind === 'problems' || outcome.kind === 'failed',
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
    jobId: 'j1',
    acceptedAt: 1_000,
    startedAt: 80_000,
    serviceText: null,
    notes: [],
  },
  ...more,
})
