/** The states of the design, as the main process would report them. */
import { onlyPlace } from '../../../src/shared/model/job-state.ts'
import { presetImport, presetOverview, withVariations } from './preset-fixtures.ts'
import { DRY_RUN, withRules } from './rule-fixtures.ts'
import { previewFixtures } from './preview-fixtures.ts'
import type { Step } from './steps.ts'
import type { Script } from './fake-bridge.ts'
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { DraftEstimate, Estimate } from '../../../src/shared/model/estimate.ts'
import type { DriveFolders } from '../../../src/shared/model/built-in-service.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import type { Outcome, PartAt, PartDetails, PartTitle, WaitingReason } from '../../../src/shared/model/job.ts'
import type { HookState } from '../../../src/shared/model/hook-state.ts'
import type { SettingsImportView } from '../../../src/shared/model/settings-import.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { replacedCounts, type Replacement, type VaultTotals } from '../../../src/shared/model/replacement.ts'
import { baseName } from '../../../src/shared/paths.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'
import { details } from '../../part-samples.ts'
import { watchFolder } from '../../watch-folder.ts'
import { emptyState } from '../../main/state/empty-state.ts'
import type { QuietWait } from '../../../src/shared/model/quiet.ts'

const at = (day: number, hour: number, minute: number, second = 0): number =>
  new Date(2026, 10, day, hour, minute, second).getTime()

export const NOW = at(20, 12, 30)
const HOME = '/home/ida'
const folder = (path: string) => ({ kind: 'folder', path: `${HOME}/${path}` }) as const
const VIDEO = /\.(mp4|mov)$/

const title = (
  name: string,
  more: number,
  preset: string | null,
  others: Partial<PartTitle> = {},
): PartTitle => {
  const video = VIDEO.test(name)
  const own = {
    id: asRecordId(name),
    name,
    firstPath: `${HOME}/Pictures/${name}`,
    photos: video ? 0 : more + 1,
    videos: video ? more + 1 : 0,
    files: more + 1,
    preset,
    variations: 1,
    output: folder('Pictures/Web'),
    driveInput: null,
    origin: 'ours' as const,
    createdAt: NOW - 600_000,
    ...others,
  }
  return { place: onlyPlace(own), ...own }
}

/** Returns a job with one part under another ID. */
export const withId = <Of extends PartTitle>(part: Of, name: string): Of => {
  const id = asRecordId(name)
  return { ...part, id, place: { ...part.place, id } }
}

const record = (
  name: string,
  more: number,
  preset: string | null,
  endedAt: number,
  outcome: Outcome,
  others: Partial<PartAt<'history'>> = {},
): PartAt<'history'> => ({
  ...title(name, more, preset),
  at: 'history',
  outcome,
  endedAt,
  unseen: false,
  replaced: null,
  ...others,
})

const done = (results: number): Outcome => ({ kind: 'done', results, uploaded: null })
const problems = (results: number, count: number): Outcome => ({
  kind: 'problems',
  results,
  problems: count,
  uploaded: null,
})

const dawn = record('DSC_4821.heic', 23, 'Web 2048', at(20, 12, 4), done(24))
const scan = record('scan_001.tiff', 17, 'Print A4 300 dpi', at(20, 9, 15), problems(16, 2), {
  output: folder('Scans/Print'),
})
const teaser = record(
  'teaser-v3.mov',
  0,
  'H.264 1080p',
  at(19, 18, 7),
  { kind: 'failed', reason: 'the disk is full' },
  { output: { kind: 'folder', path: '/media/ssd/out' } },
)
const cancelled = record('mug-white_01.png', 5, 'Web 2048', at(19, 16, 2), { kind: 'cancelled', results: 2 })
const forgotten = record('walkthrough.mp4', 2, 'H.264 1080p', at(17, 13, 40), { kind: 'forgotten' })
const earlier: readonly PartAt<'history'>[] = [
  record('IMG_0093.jpg', 40, 'Web 2048', at(20, 11, 42), done(41)),
  scan,
  teaser,
  record('IMG_7720.jpg', 0, 'Print A4 300 dpi', at(19, 16, 31), done(1)),
  cancelled,
  record('lake_pano.tiff', 0, 'Web 2048', at(17, 20, 14), done(8), { variations: 8 }),
  forgotten,
  record('DSC_4410.heic', 86, 'Web 2048', at(17, 9, 3), done(87)),
]
const harbour: readonly PartAt<'history'>[] = [
  record('harbour-dusk.tiff', 8, 'Web 2048', at(12, 17, 20), problems(8, 1)),
  record('DSC_4829.heic', 30, 'Web 2048', at(3, 9, 0), problems(27, 4), {
    output: folder('Pictures/Clients/Harbour/Delivery'),
  }),
]

const noProgress: PartAt<'service'>['progress'] = {
  share: null,
  phase: null,
  currentFile: null,
  totalFiles: null,
  completedFiles: null,
  fileName: null,
  timeLeft: null,
}
const active = (work: PartTitle, others: Partial<PartAt<'service'>>): PartAt<'service'> => ({
  ...work,
  at: 'service',
  jobId: `job_${work.id}`,
  stage: { kind: 'processing' },
  progress: noProgress,
  startedAt: NOW - 68_000,
  doneFiles: [],
  problems: [],
  ...others,
})
const shots = Array.from({ length: 24 }, (_, index) => `DSC_${4821 + index}.heic`)
const running = active(title('DSC_4821.heic', 23, 'Web 2048'), {
  progress: {
    share: 0.29,
    phase: 'resizing',
    currentFile: 7,
    totalFiles: 24,
    completedFiles: 6,
    fileName: 'DSC_4827.heic',
    timeLeft: 110_000,
  },
  doneFiles: shots.slice(0, 6),
  problems: [],
})
const queued = (name: string, more: number, preset: string, position: number): PartAt<'service'> =>
  active(title(name, more, preset), { stage: { kind: 'queued', position }, startedAt: null })
const next = [
  queued('harbour-walk.mp4', 0, 'H.264 1080p', 1),
  queued('P1010233.jpg', 11, 'Print A4 300 dpi', 2),
]
const uploading = active(
  title('interview-a_take03.mov', 0, 'Social 9:16', {
    output: { kind: 'drive', folderId: '1Zq8bTn4LwX0rVhK2eYcPfA7mUd' },
  }),
  { stage: { kind: 'uploading' } },
)
const fromDrive = active(
  title('1Zq8bTn4LwX0rVhK2eYcPfA7mUd', 0, 'Web ready', {
    driveInput: '1Zq8bTn4LwX0rVhK2eYcPfA7mUd',
    firstPath: null,
    files: null,
    photos: 0,
  }),
  { progress: { ...noProgress, phase: 'reading the Drive folder' }, startedAt: NOW - 14_000 },
)

const waiting = (
  name: string,
  more: number,
  preset: string,
  others: Partial<PartAt<'outbox'>> = {},
): PartAt<'outbox'> => ({
  ...title(name, more, preset),
  at: 'outbox',
  state: { kind: 'waiting', because: 'queueFull', notBefore: null },
  ...others,
})
const waitingHere: readonly PartAt<'outbox'>[] = [
  waiting('IMG_3310.jpg', 59, 'Web 2048'),
  waiting('boat-trip.mp4', 3, 'H.264 1080p'),
  waiting('packshots_A.png', 120, 'Web 2048', { variations: 4 }),
]
const AT_NIGHT: QuietWait = { reason: 'time', until: at(20, 22, 0) }
/** The same submissions while quiet mode holds them back. */
const heldHere = ({ reason, until }: QuietWait): readonly PartAt<'outbox'>[] =>
  waitingHere.map((entry) => ({
    ...entry,
    variations: 1,
    state: { kind: 'waiting', because: reason, notBefore: null, ...(until === null ? {} : { until }) },
  }))
const unsure = waiting('boat-trip.mp4', 3, 'H.264 1080p', {
  state: {
    kind: 'unknown',
    checking: false,
    candidates: ['job_3dTf-001', 'job_3dTf-002'].map((jobId, index) => ({
      jobId,
      name: 'boat-trip.mp4',
      files: 4,
      preset: 'H.264 1080p',
      status: index === 0 ? ('processing' as const) : ('queued' as const),
      createdAt: new Date(at(20, 14, 2, 11 + index * 27)).toISOString(),
    })),
  },
})
const refused = waiting('packshots_A.png', 120, 'Web 2048', {
  state: { kind: 'refused', message: 'no preset “Web 2048”', why: 'invalid', skipped: [] },
})

/** The first job of the list with two presets, as several submissions. */
const place = (part: number, others: Partial<PartTitle['place']> = {}): PartTitle['place'] => ({
  id: asRecordId('DSC_4821.heic'),
  part,
  parts: 2,
  photos: 24,
  videos: 0,
  presets: 2,
  folders: 2,
  ...others,
})
const webPart = title('DSC_4821.heic', 23, 'Web 2048', {
  place: place(0),
  output: folder('Pictures/Web/Web 2048'),
})
const mailPart = title('DSC_4821.heic', 23, 'Mail', {
  id: asRecordId('DSC_4821.heic-mail'),
  place: place(1),
  output: folder('Pictures/Web/Mail'),
})
const webRunning = active(webPart, {
  progress: { ...running.progress, timeLeft: 150_000 },
  doneFiles: running.doneFiles,
})
const mailQueued = active(mailPart, { stage: { kind: 'queued', position: 1 }, startedAt: null })
const webDone: PartAt<'history'> = {
  ...webPart,
  at: 'history',
  replaced: null,
  outcome: done(24),
  endedAt: at(20, 12, 1),
  unseen: false,
}
const mailDone: PartAt<'history'> = {
  ...mailPart,
  at: 'history',
  replaced: null,
  outcome: problems(22, 2),
  endedAt: at(20, 12, 4),
  unseen: false,
}
const mailRefused: PartAt<'outbox'> = {
  ...mailPart,
  at: 'outbox',
  state: { kind: 'refused', message: 'no preset “Mail”', why: 'invalid', skipped: [] },
}
const mailUnsure: PartAt<'outbox'> = {
  ...mailPart,
  at: 'outbox',
  state: { kind: 'unknown', checking: false, candidates: [] },
}
/** One preset, next to the originals in twelve folders. */
const folderParts = Array.from({ length: 12 }, (_, index) =>
  title(`IMG_${index}.jpg`, 4, 'Web 2048', {
    place: place(index, { id: asRecordId('IMG_0.jpg'), parts: 12, photos: 60, presets: 1, folders: 12 }),
    output: folder(`Pictures/Trip/Day ${index + 1}`),
  }),
)

const item = (name: string, size: number): MediaItem => ({
  path: `${HOME}/Pictures/${name}`,
  name,
  kind: VIDEO.test(name) ? 'video' : 'image',
  size,
})
const six = [
  item('DSC_4821.heic', 4_100_000),
  item('DSC_4822.heic', 3_900_000),
  item('DSC_4829_harbour-before-the-storm.heic', 5_200_000),
  item('P1010233.jpg', 12_700_000),
  item('P1010234.jpg', 11_900_000),
  item('portrait_lena_final-crop.png', 10_400_000),
]
const mixed = [
  item('IMG_2204.jpg', 6_200_000),
  item('IMG_2207.jpg', 5_800_000),
  item('IMG_2210.jpg', 6_000_000),
  item('clip_0147.mov', 212_000_000),
  item('clip_0148.mov', 1_400_000_000),
]

const facts = (
  jobId: string,
  startedAt: number | null,
  serviceText: string | null = null,
): PartDetails['facts'] => ({
  service: 'external',
  baseUrl: 'http://127.0.0.1:3847/api',
  jobId,
  acceptedAt: startedAt === null ? null : startedAt - 2_000,
  startedAt,
  serviceText,
  notes: [],
  inVault: [],
})
const resultsFor = (names: readonly string[], ending: string, target: string) =>
  names.map((name, index) => ({
    file: name,
    outputPath: `${HOME}/${target}/${name.replace(/\.[^.]+$/, ending)}`,
    index,
  }))
const scans = Array.from({ length: 16 }, (_, index) => `scan_${String(index + 1).padStart(3, '0')}.tiff`)
const shotItems = shots.map((name, index) => item(name, 3_700_000 + ((index * 331) % 9) * 100_000))
const dawnDetails = details(dawn, {
  inputs: shotItems,
  results: resultsFor(shots, '.webp', 'Pictures/Web'),
  facts: facts('job_8fK2-x91', at(20, 12, 4) - 192_000),
})
const PAGES = loss('pages', { count: 4, first: 2, last: 5 }, lossReason('holdsOnePage', { format: 'JPEG' }))
const HDR = loss('hdr', {}, lossReason('formatLacksKind', { format: 'JPEG' }))
const dawnLost: PartAt<'history'> = {
  ...dawn,
  outcome: {
    kind: 'done',
    results: 24,
    uploaded: null,
    lost: [
      { codes: ['pages'], results: 2 },
      { codes: ['hdr'], results: 3 },
    ],
  },
}
const dawnLostDetails: PartDetails = {
  ...dawnDetails,
  ...dawnLost,
  results: dawnDetails.results.map((result, index) => ({
    ...result,
    losses: index < 2 ? [PAGES] : index < 5 ? [HDR] : undefined,
  })),
}
/** Scores of 61, 74 and 79, and the rest above. */
const dawnRatedDetails: PartDetails = {
  ...dawnDetails,
  results: dawnDetails.results.map((result, index) => ({
    ...result,
    quality: { score: [88, 74, 61, 79][index] ?? 86, isSampled: true },
  })),
}
const scanDetails = details(scan, {
  inputs: [...scans, 'scan_007.tiff', 'scan_012_fold-out-map.tiff'].map((name) => item(name, 38_200_000)),
  results: resultsFor(scans, '.jpg', 'Scans/Print'),
  problems: [
    { file: 'scan_007.tiff', error: 'The file is damaged: its data ends too early' },
    { file: 'scan_012_fold-out-map.tiff', error: 'Left out at the start: the file is empty (0 bytes)' },
  ],
  facts: facts('job_77Qm-a04', at(20, 9, 12, 35)),
})
const teaserDetails = details(teaser, {
  inputs: [item('teaser-v3.mov', 812_000_000)],
  problems: [{ file: 'teaser-v3.mov', error: 'ENOSPC: no space left on device' }],
  facts: facts('job_51Zs-q7b', at(19, 18, 6, 19), 'write ENOSPC /media/ssd/out/teaser-v3.mp4'),
})
const uploadingDetails = details(uploading, {
  inputs: [item('interview-a_take03.mov', 2_400_000_000)],
  results: resultsFor(['interview-a_take03.mov'], '_9x16.mp4', 'Movies'),
  facts: facts('job_90Lw-e12', at(20, 11, 14, 20)),
})
/** The details of the same job, with a video instead of photos. */
const { inputs, results } = uploadingDetails
const videoDetails: PartDetails = { ...dawnDetails, inputs, results }
const allDetails = [
  dawnDetails,
  scanDetails,
  teaserDetails,
  uploadingDetails,
  details(cancelled, { inputs: [item('mug-white_01.png', 900_000)] }),
  details(forgotten, { inputs: [item('walkthrough.mp4', 90_000_000)] }),
  details(waitingHere[0] ?? unsure, {
    inputs: Array.from({ length: 60 }, (_, index) =>
      item(`IMG_${3310 + index}.jpg`, 4_000_000 + index * 44_000),
    ),
  }),
  details(unsure),
  details(refused, { inputs: [item('packshots_A.png', 4_000_000)] }),
  details(fromDrive),
  details(next[0] ?? running, { inputs: [item('harbour-walk.mp4', 310_000_000)] }),
]
const runningDetails = details(running, { inputs: shotItems })
const webDetails = details(webDone, {
  parts: [webDone, mailDone],
  inputs: shotItems,
  results: resultsFor(shots, '.jpg', 'Pictures/Web/Web 2048'),
  resultBytes: 15_600_000,
  facts: facts('job_8fK2-x91', at(20, 12, 4) - 370_000),
})
const mailResults = resultsFor(
  shots.filter((name) => name !== 'DSC_4833.heic' && name !== 'DSC_4841.heic'),
  '.jpg',
  'Pictures/Web/Mail',
)
const mailDetails = details(mailDone, {
  inputs: shotItems,
  results: mailResults.map((result, index) => ({
    ...result,
    ...(index < 3 && { quality: { score: [90, 80, 76][index] ?? 0, isSampled: true } }),
  })),
  problems: [
    { file: 'DSC_4833.heic', error: 'Couldn’t get under 500 kB: 640 kB at 1600 px' },
    { file: 'DSC_4841.heic', error: 'The file is damaged: its data ends too early' },
  ],
  facts: facts('job_8fK2-x92', at(20, 12, 1)),
})
/** The same video, of which only the audio was saved. */
const audioDetails = {
  ...videoDetails,
  results: resultsFor(['interview-a_take03.mov'], '.m4a', 'Movies'),
}
const sizes = Object.fromEntries([
  ...mailResults.map(({ outputPath }, index) => [outputPath, 471_000 + ((index * 7) % 9) * 3_000] as const),

  ...dawnDetails.results.map(({ outputPath }, index) => [outputPath, 588_000 + ((index * 7) % 9) * 15_000]),
  ...scanDetails.results.slice(0, 14).map(({ outputPath }, index) => [outputPath, 6_100_000 + index * 9_000]),
])

const draft = (others: Partial<Draft> = {}): Draft => ({
  source: { kind: 'files', items: [] },
  rejected: [],
  presets: ['Web 2048'],
  presetFolders: true,
  done: 'skip',
  output: folder('Pictures/Web'),
  variations: 1,
  grouping: 'together',
  editing: null,
  ...others,
})

const settings: AppState['settings'] = {
  ...DEFAULT_SETTINGS,
  connection: 'external',
  defaultPresets: ['Web 2048'],
  defaultOutput: folder('Pictures/Web'),
  recentOutputs: [`${HOME}/Pictures/Clients/Harbour/Delivery`],
  startAtLogin: true,
  globalShortcut: 'Control+Alt+M',
}

const german = { ...settings, language: 'de' } as const

const state: AppState = {
  ...emptyState,
  connection: {
    kind: 'external',
    baseUrl: 'http://127.0.0.1:3847/api',
    address: '127.0.0.1:3847',
    state: { status: 'online', version: '1.0.81' },
    key: 'keychain',
    keychainTrouble: null,
    seesFiles: true,
    presets: {
      image: ['Clean metadata', 'Web ready', 'Web 2048', 'Print A4 300 dpi', 'Thumbnails 512'],
      video: ['Clean metadata', 'Web ready', 'H.264 1080p', 'Social 9:16', 'Proxy 540p'],
    },
    drive: { clientConfigured: true, connected: true, email: 'ida@harbourstudio.example', scope: null },
  },
  queue: { waiting: 0, processing: false },
  quiet: { wait: null, abilities: { battery: 'present', idle: true } },
  draft: draft(),
  historyVersion: 1,
  settings,
}

const some = (count: number) => ({ count, paths: [] })

export const standard: Script = {
  facts: {
    platform: 'linux',
    locale: 'en-GB',
    version: '1.0.0',
    homeFolder: HOME,
    languages: ['de', 'en'],
    trayShown: true,
    desktopBindsShortcuts: false,
    desktopMayRefuseShortcuts: false,
    canTellFrontApp: true,
    fileManagerMenu: 'supported',
    hasHomePage: true,
  },
  state,
  records: earlier,
  details: Object.fromEntries(allDetails.map((one) => [one.id, one])),
  sizes,
  found: { kind: 'service', baseUrl: 'http://127.0.0.1:3847/api', version: '1.0.81' },
  keychainWorks: true,
  presets: presetOverview,
  imported: presetImport,
  watch: [
    {
      id: 'a',
      path: `${HOME}/Camera Uploads`,
      presets: ['Web 2048'],
      output: folder('Pictures/Web'),
      taken: 128,
    },
    {
      id: 'b',
      path: `${HOME}/Desktop/To compress`,
      presets: ['H.264 1080p'],
      output: { kind: 'drive', folderId: '1Zq8bTn4LwX0rVhK2eYcPfA7mUd' } as const,
      question: 12,
    },
    {
      id: 'c',
      path: '/media/card/DCIM',
      presets: ['Clean metadata'],
      output: folder('Pictures/Card'),
      trouble: 'missing' as const,
    },
    {
      id: 'd',
      path: `${HOME}/Scans/Inbox`,
      presets: ['Print A4 300 dpi'],
      output: folder('Scans/Print'),
      enabled: false,
    },
  ].map((one) => ({
    enabled: true,
    recursive: false,
    variations: 1,
    grouping: 'together' as const,
    windowMs: 10_000,
    scanning: false,
    elsewhere: false,
    trouble: null,
    question: null,
    taken: 0,
    links: some(0),
    special: some(0),
    ignored: some(0),
    empty: some(0),
    unprocessed: some(0),
    retried: some(0),
    open: { ...some(0), isLong: false },
    waiting: [],
    rules: 'none' as const,
    trying: null,
    ...one,
  })),
  drive: { rclone: { found: false, version: null }, remotes: [], chosen: null },
  now: NOW,
}

const withState = (others: Partial<AppState>, more: Partial<Script> = {}): Script => ({
  ...standard,
  state: { ...state, ...others },
  ...more,
})
const offline = { ...state.connection, state: { status: 'offline', reason: 'refused' } } as const
const builtIn = { ...state.connection, kind: 'builtIn' } as const
const unconfigured: Partial<AppState> = {
  connection: {
    ...state.connection,
    kind: null,
    state: { status: 'unconfigured' },
    key: 'none',
    presets: null,
  },
  settings: { ...settings, connection: null },
}

const noKeychain = withState({
  connection: {
    ...state.connection,
    state: { status: 'connecting' },
    key: 'none',
    keychainTrouble: 'missing',
  },
  notices: [{ kind: 'noKeychain', trouble: 'missing' }],
})
const updating = (update: AppState['update']): Fixture => ({
  script: withState({ update }),
  settings: 'Advanced',
})

/** A state of the app and the place in the window that shows it. */
const VAULT_DAY = new Date(2026, 11, 22).getTime()
const heldInVaults: VaultTotals = {
  files: 214,
  bytes: 3_100_000_000,
  vaults: [`${HOME}/.mediatray-vault-a1`, '/media/ssd/.mediatray-vault-b2'],
  away: 0,
  unrestored: [],
  unlisted: [],
}

const original = (name: string): string => `${HOME}/Pictures/${name}`

/** Three originals were kept, and the first of the others restored. */
function replacements(restored: number): readonly Replacement[] {
  const kept = [
    ['DSC_4829_harbour-before-the-storm.heic', 'changed', original('DSC_4829_harbour-before-the-storm.jpg')],
    ['P1010234.jpg', 'notSmaller', null],
    ['P1010240.jpg', 'badResult', null],
  ] as const
  return [
    ...kept.map(([name, why, result]): Replacement => ({
      path: original(name),
      state: { kind: 'kept', why, result, resultBytes: why === 'notSmaller' ? 412_000 : null },
    })),
    ...shots.slice(0, 21).map((name, index): Replacement => ({
      path: original(name),
      state:
        // The third one in the list, as in the design; all of them if all are restored.
        restored === 21 || (restored === 1 && index === 2)
          ? {
              kind: 'restored',
              place: original(name),
              again: true,
              restoredAt: at(20, 12, 20),
              until: VAULT_DAY,
            }
          : { kind: 'replaced', place: original(name.replace('.heic', '.jpg')), until: VAULT_DAY },
    })),
  ]
}

function withReplaced(all: readonly Replacement[], outcome = dawn.outcome): Pick<Fixture, 'script'> {
  const job: PartAt<'history'> = {
    ...dawn,
    outcome,
    output: { kind: 'folder', path: `${HOME}/.mediatray-vault-a1/2026-11-20-1/results` },
    replaced: replacedCounts(all),
  }
  const inputs = all.map(({ path }, index) => ({
    ...item(baseName(path), 4_100_000 + index * 100_000),
    path,
  }))
  const places = all.map(({ path, state }, index) => {
    const isResult = state.kind === 'replaced'
    return [isResult ? state.place : path, isResult ? 600_000 + index * 9_000 : 4_100_000] as const
  })
  return {
    script: withState(
      {},
      {
        records: [job, ...earlier],
        details: {
          [job.id]: details(job, {
            replacements: all,
            inputs,
            facts: facts('job_8fK2-x91', at(20, 12, 1)),
          }),
        },
        sizes: Object.fromEntries(places),
      },
    ),
  }
}

const withHooks = {
  ...settings,
  afterJob: { program: '/usr/local/bin/publish-photos', url: 'https://hooks.harbour.example/mediatray' },
}
const failedUrl: HookState = {
  action: 'url',
  receiver: '',
  target: 'https://hooks.harbour.example/mediatray',
  result: { kind: 'answered', status: 503, reason: 'Service Unavailable', ms: 80 },
  triedAt: at(20, 12, 29),
  tries: 2,
  nextAt: at(20, 12, 34),
  isTest: false,
}
const hookStates = {
  program: {
    isRunning: false,
    last: {
      action: 'program',
      receiver: '',
      target: '/usr/local/bin/publish-photos',
      result: { kind: 'exited', code: 0, ms: 312 },
      triedAt: at(20, 12, 4),
      tries: 1,
      nextAt: null,
      isTest: false,
    },
  },
  url: { isRunning: false, last: failedUrl },
} as const satisfies Script['hooks']

const settingsFile: SettingsImportView = {
  file: 'mediatray-settings.json',
  exported: { at: at(14, 9, 0), computer: 'studio-mac' },
  changes: [
    { name: 'appearance', now: settings.appearance, next: 'dark' },
    {
      name: 'notifications',
      now: settings.notifications,
      next: { ...settings.notifications, done: false, drive: false, service: false, watch: false },
    },
    { name: 'defaultOriginals', now: null, next: { kind: 'beside', subfolder: null } },
    { name: 'doneFiles', now: settings.doneFiles, next: 'again' },
    { name: 'quiet', now: settings.quiet, next: { ...settings.quiet, between: true } },
    {
      name: 'watchFolders',
      now: [],
      next: [
        { ...watchedFolder('camera', '/home/ida/Camera Uploads', true), output: { kind: 'replace' } },
        watchedFolder('card', '/Volumes/Card', false),
      ],
    },
    {
      name: 'folderRules',
      now: {},
      next: {
        camera: {
          rules: [
            {
              id: 'all',
              when: [],
              action: { do: 'process', presets: ['Mail'], output: { kind: 'replace' } },
            },
          ],
          rest: 'ignore',
        },
        card: { rules: [], rest: 'ignore' },
      },
    },
    { name: 'keepOriginalsDays', now: 30, next: 90 },
  ],
  presets: [{ name: 'Gallery', isNew: true }],
  newer: ['hologram'],
  unreadable: [],
  missing: ['/Volumes/Card'],
  off: ['afterJob'],
}

function watchedFolder(id: string, path: string, enabled: boolean): WatchFolder {
  const output = { kind: 'beside', subfolder: null } as const
  return watchFolder(path, '', {
    id,
    enabled,
    presets: ['Web 2048'],
    output,
    grouping: 'together',
    windowMs: 10_000,
  })
}

const withReceivers: AppState['settings'] = {
  ...withHooks,
  receivers: [
    { id: 'phone', format: 'ntfy', host: 'ntfy.sh' },
    { id: 'chat', format: 'slack', host: 'hooks.slack.com', on: [] },
  ],
}
const receiverStates: Script['receivers'] = {
  phone: {
    isRunning: false,
    last: {
      ...failedUrl,
      action: 'message',
      receiver: 'phone',
      target: 'ntfy.sh',
      result: {
        kind: 'answered',
        status: 403,
        reason: 'Forbidden',
        ms: 80,
        detail: '{"code":40301,"error":"forbidden"}',
      },
      nextAt: null,
      isTest: true,
    },
  },
}

const withAssistants = {
  ...settings,
  assistants: {
    enabled: true,
    folders: ['/home/ida/Pictures/Web', '/home/ida/Projects/harbour-site/assets'].map((path) => ({
      path,
      realPath: path,
    })),
    usualOutput: null,
  },
}
const assistantActivity: NonNullable<Script['activity']> = [
  { kind: 'job', job: { ...dawn, by: 'assistant' } },
  { kind: 'refused', path: '/home/ida/Documents/Taxes', reason: 'outside', at: at(20, 11, 57) },
  { kind: 'job', job: { ...withId(dawn, 'running'), by: 'assistant', outcome: null, endedAt: null } },
]

export type Fixture = {
  readonly script: Script
  readonly show?: string
  /** A page of the settings, or a subpage: "Automation > Quiet mode". */
  readonly settings?: string
  readonly search?: string
  readonly filter?: 'problems' | 'failed'
  readonly step?: Step
  /** The preset that the step is about. */
  readonly preset?: string
}

const damaged = (what: 'history' | 'outbox'): Script =>
  withState({
    notices: [{ kind: 'memoryDamaged', what, keptAs: `${what}.sqlite.damaged-2026-11-20` }],
  })

const files = (items: readonly MediaItem[]): Draft['source'] => ({ kind: 'files', items })

// A new job for the built-in service.
const ourPresets = {
  image: [
    'Clean metadata',
    'Web ready',
    'Family archive',
    'Web 2048',
    'Mail',
    'Print A4 300 dpi',
    'Thumbnails 512',
  ],
  video: ['Clean metadata', 'Web ready', 'Family archive', 'H.264 1080p', 'Chat', 'Proxy 540p'],
}
const cardFolders = ['DCIM/100', 'DCIM/101', 'DCIM/102', 'MISC'].map((name) => `/media/card/${name}`)
/** Distributes six files among folders: in the pictures folder, unless they are absolute. */
const inFolders = (folders: readonly string[]) =>
  files(
    six.map((one, index) => {
      const folder = folders[index % folders.length] ?? ''
      return { ...one, path: `${folder.startsWith('/') ? folder : original(folder)}/${one.name}` }
    }),
  )
const composing = (others: Partial<Draft>, more: Partial<AppState> = {}): Fixture => ({
  script: withState({
    connection: { ...builtIn, presets: ourPresets },
    draft: draft({ source: files(six), ...others }),
    estimate: single(known(4, 3, 6, 2_000)),
    ...more,
  }),
})
const starring = { ...settings, starredPresets: ['Web 2048', 'Mail', 'H.264 1080p'] }
const scansAndLectureItems = [
  item('scan_014.tif', 38_200_000),
  item('scan_015.tif', 16_400_000),
  { ...item('lecture-07.mkv', 412_000_000), kind: 'video' },
  { ...item('lecture-08.mkv', 388_000_000), kind: 'video' },
] as const
const scansAndLectures = { source: files(scansAndLectureItems), presets: ['Family archive'] }
const scanContents = (pagesKeptBy: string | null): AppState['contents'] => [
  { path: `${HOME}/Pictures/scan_014.tif`, code: 'pages', count: 5, keptBy: pagesKeptBy },
  { path: `${HOME}/Pictures/scan_015.tif`, code: 'pages', count: 2, keptBy: pagesKeptBy },
  { path: `${HOME}/Pictures/lecture-07.mkv`, code: 'chapters', count: 12, keptBy: 'MP4' },
  { path: `${HOME}/Pictures/lecture-08.mkv`, code: 'chapters', count: 9, keptBy: 'MP4' },
  { path: `${HOME}/Pictures/lecture-08.mkv`, code: 'hdr', keptBy: 'MP4' },
]
const lostPages = {
  code: 'pages',
  why: lossReason('holdsOnePage', { format: 'AVIF' }),
  files: 2,
} as const
const known = (likely: number, low: number, high: number, milliseconds = 8_000): Estimate => ({
  kind: 'known',
  inputBytes: 48_200_000,
  bytes: { low: low * 1_000_000, likely: likely * 1_000_000, high: high * 1_000_000 },
  milliseconds: { low: milliseconds, likely: milliseconds, high: milliseconds },
  atMostBytes: null,
  isGrowing: false,
})
const single = (estimate: Estimate): DraftEstimate => ({
  presets: [{ preset: 'Web 2048', estimate }],
  total: estimate,
})
const twoHundred = Array.from({ length: 200 }, (_, index) =>
  item(`IMG_${2_341 + index}.jpg`, 5_500_000 + (index % 7) * 100_000),
)
/** The last files of two hundred are done; the last one is itself a result. */
const doneOf = (count: number): AppState['doneFiles'] => ({
  kind: 'known',
  done: twoHundred.slice(200 - count).map(({ path, size }, index) => ({
    path,
    size,
    presets: ['Web 2048'],
    isDone: true,
    at: at(17, 20, 14),
    resultOf: index === count - 1 ? { preset: 'Web 2048', at: at(17, 20, 14) } : null,
  })),
})
const twoPresets = { presets: ['Web 2048', 'Mail'] }
const twoEstimates: DraftEstimate = {
  presets: [
    { preset: 'Web 2048', estimate: known(4, 3, 6) },
    { preset: 'Mail', estimate: { ...known(3, 3, 3), atMostBytes: 3_000_000 } as Estimate },
  ],
  total: known(7, 6, 9),
}
const busy = withState(
  { jobs: [running, ...next], queue: { waiting: 2, processing: true } },
  { details: { ...standard.details, [runningDetails.id]: runningDetails } },
)
const full = withState({
  jobs: [
    running,
    ...next,
    ...Array.from({ length: 8 }, (_, index) => queued(`extra_${index}.jpg`, 0, 'Web 2048', index + 3)),
  ],
  outbox: waitingHere,
  queue: { waiting: 10, processing: true },
})
const withDawn: Script = { ...standard, records: [dawn, ...earlier] }
const searching: Script = { ...standard, records: [...earlier, ...harbour] }

const manyFolders = [...standard.watch, ...standard.watch].map((folder, index) => ({
  ...folder,
  id: `${index}`,
}))
const STARRED = ['Mail', 'H.264 1080p', 'Web 2048']
const presets = {
  script: withState({ connection: builtIn, settings: { ...settings, starredPresets: STARRED } }),
  settings: 'Presets',
} as const
const previewing = (preview: keyof typeof previewFixtures): Fixture => ({
  ...presets,
  script: withState({ connection: builtIn }, { preview: previewFixtures[preview] }),
  preset: preview.startsWith('video') ? 'H.264 1080p' : 'Web 2048',
  step: 'open',
})

const partsDetails = {
  ...standard.details,
  [webPart.id]: details(webPart, { inputs: shotItems, facts: facts('job_8fK2-x91', NOW - 68_000) }),
  [mailPart.id]: details(mailPart, { inputs: shotItems }),
}
const partsRunning = withState(
  { jobs: [webRunning, mailQueued], queue: { waiting: 1, processing: true } },
  { details: partsDetails },
)
const partsEnded: Script = {
  ...standard,
  records: [{ ...webDone, outcome: problems(46, 2), endedAt: at(20, 12, 4) }, ...earlier],
  details: { ...standard.details, [webPart.id]: webDetails, [mailPart.id]: mailDetails },
}
const partsNeedingUser = (mail: PartAt<'outbox'>): Script =>
  withState(
    { jobs: [webRunning], outbox: [mail], queue: { waiting: 0, processing: true } },
    { details: partsDetails },
  )
const [firstFolder = webPart, ...otherFolders] = folderParts
const severalFolders = withState(
  {
    jobs: [
      active(firstFolder, {
        progress: { ...noProgress, share: 0.4, currentFile: 3, totalFiles: 5, fileName: 'IMG_0.jpg' },
      }),
    ],
    outbox: otherFolders.map((work) => ({
      ...work,
      at: 'outbox' as const,
      state: { kind: 'waiting' as const, because: 'queueFull' as const, notBefore: null },
    })),
  },
  {
    details: {
      ...standard.details,
      ...Object.fromEntries(
        folderParts.map((work, index) => [
          work.id,
          details(work, {
            inputs: Array.from({ length: 5 }, (_, file) => item(`IMG_${index}${file}.jpg`, 3_000_000)),
          }),
        ]),
      ),
    },
  },
)

/** One preset that replaces the originals in two folders. Its results are in the vault first. */
const [firstReplaced = webPart, secondReplaced = webPart] = [1, 2].map((day) =>
  title(`DSC_${day}.jpg`, 12, 'Web 2048', {
    firstPath: `${HOME}/Pictures/Trip/Day ${day}/DSC_${day}.jpg`,
    place: place(day - 1, { id: asRecordId('DSC_1.jpg'), photos: 24, presets: 1, folders: 2 }),
    output: folder(`.mediatray-vault-a1/2026-11-20-${day}/results`),
  }),
)
const partsReplacing = withState(
  {
    jobs: [
      active(firstReplaced, { progress: running.progress }),
      active(secondReplaced, { stage: { kind: 'queued', position: 1 }, startedAt: null }),
    ],
    queue: { waiting: 1, processing: true },
  },
  {
    details: {
      ...standard.details,
      [firstReplaced.id]: details(firstReplaced, { inputs: shotItems }),
      [secondReplaced.id]: details(secondReplaced, { inputs: shotItems }),
    },
  },
)

const HARBOUR = ['Archive 2025', 'Briefings', 'Delivery', 'Raw material', 'Selects', 'To print', 'Website']
const listed = (id: string, names: readonly string[]): DriveFolders => ({
  ok: true,
  id,
  remote: { name: 'harbour', type: 'drive' },
  folders: names.map((name) => ({ name, id: name })),
})
const browsing = withState(
  {
    connection: {
      ...builtIn,
      drive: { clientConfigured: true, connected: true, email: null, scope: null },
    },
    draft: draft({ source: files(six) }),
  },
  {
    driveFolders: {
      '/': listed('root', ['Clients', 'Family', 'Scans']),
      Clients: listed('Clients', ['Harbour', 'Lighthouse']),
      Harbour: listed('Harbour', HARBOUR),
      Delivery: listed('Delivery', ['2025', '2026', 'Final', 'Proofs']),
      2026: listed('2026', ['November']),
      November: listed('November', []),
      Website: {
        ok: false,
        problem: { code: 'trouble', trouble: { kind: 'network', reason: reason('driveNetwork') } },
      },
    },
  },
)

/** Quiet mode while it holds three jobs back. */
const quietly = (wait: QuietWait, others: Partial<AppState> = {}, conditions: object = {}): Script =>
  withState({
    connection: builtIn,
    outbox: heldHere(wait),
    quiet: { wait, abilities: { battery: 'present', idle: true } },
    settings: { ...settings, leaveRoom: true, quiet: { ...settings.quiet, ...conditions } },
    ...others,
  })
const ignoringApps = (script: Script): Fixture => ({
  script: {
    ...script,
    state: {
      ...script.state,
      settings: {
        ...script.state.settings,
        clipboardShortcut: 'Control+Alt+C',
        clipboardAutomatic: true,
        clipboardIgnoredApps: ['KeePassXC', 'Signal'],
      },
    },
  },
  settings: 'Advanced > Clipboard',
})
const quietSettings: Fixture = {
  script: quietly(AT_NIGHT, {}, { between: true }),
  settings: 'Automation > Quiet mode',
}
const heldJob = active(running, {
  held: AT_NIGHT,
  progress: { ...running.progress, timeLeft: null, completedFiles: 7 },
})

/** New jobs, and so new watched folders, start with this preset of the built-in service. */
function watchingWith(preset: string): Script {
  const { image = [], video = [] } = builtIn.presets ?? {}
  const connection = { ...builtIn, presets: { image: [...image, 'Dataset variations'], video } }
  const more = { settings: { ...settings, defaultPresets: [preset] } }
  return withState({ connection, ...more }, { presets: withVariations })
}

/** The first watched folder has rules. */
const ruled: Script = { ...standard, watch: withRules(standard.watch), dryRun: DRY_RUN }

/** Three services: one waits until it is needed, and one has a long name. */
const NAS = 'https://studio-nas.example.org/api'
const several = withState({
  services: [
    { ...state.connection, baseUrl: NAS, address: 'studio-nas.example.org' },
    { ...state.connection, kind: 'builtIn', baseUrl: '', address: '', state: { status: 'unconfigured' } },
  ],
  settings: {
    ...settings,
    otherServices: [
      { service: NAS, seesFiles: false },
      { service: 'builtIn', seesFiles: true },
    ],
    serviceNames: { [NAS]: 'Studio with the large machine' },
  },
  draft: draft({ source: files(six), service: NAS }),
  jobs: [running, { ...withId(running, 'there'), service: NAS }],
  outbox: waitingHere.map((entry, index) => (index === 1 ? { ...entry, service: NAS } : entry)),
})

const severalAway: Script = {
  ...several,
  state: { ...several.state, notices: [{ kind: 'notRunning', waiting: 1, service: NAS }] },
}

const waitingFor = (because: WaitingReason, more: object = {}): Partial<PartAt<'outbox'>> => ({
  state: { kind: 'waiting', because, notBefore: null, ...more },
})
const untilNight = waitingFor('time', { until: AT_NIGHT.until })
/** What waits at night: two jobs that run anyway, some that wait for their time, and others that wait for something else. */
const atNight: readonly PartAt<'outbox'>[] = [
  waiting('P1010233.jpg', 11, 'Print A4 300 dpi', waitingFor('turn')),
  waiting('IMG_3310.jpg', 59, 'Web 2048', waitingFor('turn')),
  waiting('boat-trip.mp4', 3, 'H.264 1080p', untilNight),
  waiting('packshots_A.png', 120, 'Web 2048', untilNight),
  waiting('interview-b_take01.mov', 0, 'H.264 1080p', untilNight),
  waiting('clip_0148.mov', 8, 'H.264 1080p', untilNight),
  waiting('IMG_0412.jpg', 212, 'Web 2048', untilNight),
  waiting('DSC_5003.heic', 23, 'Web 2048', waitingFor('editing')),
  waiting(
    'scan_021.tiff',
    4,
    'Print A5',
    waitingFor('serviceFailed', { unsaved: failure('presetUnknown', { preset: 'Print A5' }) }),
  ),
]
const queue = quietly(
  AT_NIGHT,
  { jobs: [running, ...next.slice(0, 1)], outbox: atNight, queue: { waiting: 1, processing: true } },
  { between: true },
)
const external = withState({
  jobs: [running, ...next, queued('IMG_3310.jpg', 59, 'Web 2048', 3)],
  outbox: [
    ...atNight.slice(2, 7).map((part) => ({ ...part, ...waitingFor('queueFull') })),
    ...atNight.slice(7, 8),
    waiting(
      'scan_021.tiff',
      4,
      'Print A4 300 dpi',
      waitingFor('output', { unsaved: failure('cloudDriveSilent', { remote: 'drive' }) }),
    ),
  ],
  queue: { waiting: 3, processing: true },
})
/** A state of the app, at the place in the window that shows it. */
const on = (
  others: Partial<AppState>,
  where: Omit<Fixture, 'script'> = {},
  more: Partial<Script> = {},
): Fixture => ({ ...where, script: withState(others, more) })

/** The newest job with other details, and perhaps another record. */
const ofDawn = (
  change: Partial<PartDetails>,
  { where = {}, job = dawn }: { where?: Omit<Fixture, 'script'>; job?: PartAt<'history'> } = {},
): Fixture => ({
  script: {
    ...standard,
    records: [job, ...earlier],
    details: { ...standard.details, [dawn.id]: { ...dawnDetails, ...change } },
  },
  show: dawn.id,
  ...where,
})

const SAVED = {
  all: { files: 8_412, bytes: 12_400_000_000 },
  matching: { files: 312, bytes: 1_200_000_000 },
}
const FIRST = dawnDetails.inputs[0]?.path ?? ''
const ONE_KEPT = { replaced: 0, kept: 1, restored: 0 }
const THREE_KEPT = { replaced: 21, kept: 3, restored: 0 }
/** Two originals were kept because their results lost something. A third one, whose result lost something too, was gone. */
const threeKept = dawnLostDetails.results.map(({ outputPath, index }): Replacement => {
  const path = dawnLostDetails.inputs[index]?.path ?? ''
  if (index > 2) return { path, state: { kind: 'replaced', place: outputPath, until: VAULT_DAY } }
  const why = index === 1 ? 'missing' : 'lost'
  return { path, state: { kind: 'kept', why, result: outputPath, resultBytes: null } }
})

export const fixtures: Readonly<Record<string, Fixture>> = {
  'settings-quiet': quietSettings,
  'settings-quiet-external': {
    script: quietly(
      AT_NIGHT,
      { connection: state.connection, jobs: [running, ...next.slice(0, 1)] },
      { between: true },
    ),
    settings: 'Automation > Quiet mode',
  },
  'settings-quiet-combined': {
    script: quietly({ reason: 'idle', until: null }, {}, { plugged: true, idle: true }),
    settings: 'Automation > Quiet mode',
  },
  'settings-quiet-paused': {
    script: quietly({ reason: 'paused', until: at(20, 13, 4) }),
    settings: 'Automation > Quiet mode',
  },
  'settings-quiet-unknown': on(
    {
      connection: builtIn,
      quiet: { wait: null, abilities: { battery: 'none', idle: false } },
    },
    { settings: 'Automation > Quiet mode' },
  ),
  'waiting-power': { script: quietly({ reason: 'power', until: null }), show: 'IMG_3310.jpg' },
  'waiting-time': { script: quietly(AT_NIGHT, {}, { between: true }), show: 'IMG_3310.jpg' },
  'waiting-idle': { script: quietly({ reason: 'idle', until: null }), show: 'IMG_3310.jpg' },
  'waiting-paused': {
    script: quietly({ reason: 'paused', until: at(20, 13, 4) }),
    show: 'IMG_3310.jpg',
  },
  'waiting-held': {
    script: quietly(AT_NIGHT, { jobs: [heldJob], outbox: [] }, { between: true }),
    show: heldJob.id,
  },
  'drive-picker': { script: browsing, step: 'drivePicker' },
  'drive-loading': { script: browsing, step: 'driveLoading' },
  'drive-error': { script: browsing, step: 'driveError' },
  saved: { script: { ...standard, saved: SAVED } },
  'parts-running': { script: partsRunning, show: webPart.id },
  'parts-cancel': { script: partsRunning, show: webPart.id, step: 'cancelMenu' },
  'parts-problems': { script: partsEnded, show: webPart.id },
  'parts-refused': { script: partsNeedingUser(mailRefused), show: webPart.id },
  'parts-unsure': { script: partsNeedingUser(mailUnsure), show: webPart.id },
  'parts-cancel-german': {
    script: { ...partsRunning, state: { ...partsRunning.state, settings: german } },
    show: webPart.id,
    step: 'cancelMenu',
  },
  'parts-folders': { script: severalFolders, show: firstFolder.id },
  'parts-replacing': { script: partsReplacing, show: firstReplaced.id, step: 'cancelMenu' },

  'first-run': { script: withState(unconfigured) },
  'first-run-none': on(
    unconfigured,
    {},
    { found: { kind: 'nothing', baseUrl: 'http://127.0.0.1:3847/api' } },
  ),
  empty: on({ connection: builtIn, draft: draft({ presets: ['Make smaller'] }) }, {}, { records: [] }),
  'compose-tasks': composing({ presets: ['Make smaller'] }, { estimate: single(known(9, 7, 12, 4_000)) }),
  'compose-tasks-size': composing(
    { presets: ['Under a size: 2 MB'] },
    { estimate: single({ ...known(12, 12, 12, 6_000), atMostBytes: 12_000_000 } as Estimate) },
  ),
  'empty-stars': on(
    {
      connection: { ...builtIn, presets: ourPresets },
      draft: draft({ presets: ['Web 2048'], choices: 'starred' }),
      settings: starring,
    },
    {},
    { records: [] },
  ),
  'compose-stars': composing({ presets: ['Web 2048'], choices: 'starred' }, { settings: starring }),
  'compose-tasks-adjust': { ...composing({ presets: ['Make smaller'] }), step: 'adjust' },
  'compose-tasks-open': {
    ...composing({ presets: ['Make smaller'] }, { estimate: single(known(9, 7, 12, 4_000)) }),
    step: 'presetSelect',
  },
  idle: { script: standard },
  compose: { script: withState({ draft: draft({ source: files(six) }) }) },
  'compose-built-in': on({ connection: builtIn, draft: draft({ source: files(six) }) }),
  'compose-thousand': on({
    draft: draft({
      source: files(Array.from({ length: 1_000 }, (_, index) => item(`IMG_${index}.jpg`, 4_000_000 + index))),
      variations: 2,
    }),
    intake: { found: 1_000, looked: 1_310, question: null },
  }),
  'compose-mixed': on({
    draft: draft({
      source: files(mixed),
      presets: ['Web ready'],
      rejected: [
        { path: '/a/contract-signed.pdf', name: 'contract-signed.pdf', reason: 'unsupported' },
        { path: '/a/IMG_2231.cr3', name: 'IMG_2231.cr3', reason: 'raw', size: 28_400_000 },
        { path: '/a/cover_old.png', name: 'cover_old.png', reason: 'missing' },
      ],
    }),
  }),
  'compose-beside': composing({
    source: inFolders(['2023', '2024', '2025']),
    output: { kind: 'beside', subfolder: 'Web' },
  }),
  'compose-beside-wrong-name': composing({ output: { kind: 'beside', subfolder: 'Web/2026' } }),
  'compose-beside-readonly': composing(
    {
      source: inFolders(['2023', '2024', '/media/card/DCIM']),
      output: { kind: 'beside', subfolder: null },
    },
    { draftFacts: { unwritable: ['/media/card/DCIM'] } },
  ),
  'compose-beside-readonly-many': composing(
    { source: inFolders(['2023', ...cardFolders]), output: { kind: 'beside', subfolder: null } },
    { draftFacts: { unwritable: cardFolders } },
  ),
  'compose-replace': composing({ output: { kind: 'replace' } }),
  'compose-types': composing(
    {
      source: files([
        item('scan_014.tif', 38_200_000),
        item('IMG_0231.heif', 3_800_000),
        item('lena-1998.jfif', 1_200_000),
        item('quay_03', 5_900_000),
        { ...item('clip_0147.qt', 212_000_000), kind: 'video' },
      ]),
      presets: ['Web ready'],
      rejected: [
        { path: '/a/IMG_2231.cr3', name: 'IMG_2231.cr3', reason: 'raw', size: 28_400_000 },
        { path: '/a/invoice-1180.pdf', name: 'invoice-1180.pdf', reason: 'unsupported', size: 210_000 },
      ],
    },
    { estimate: single(known(52, 44, 61, 40_000)) },
  ),
  'compose-lost': composing(scansAndLectures, {
    foreseen: { files: 2, kinds: [lostPages], keeping: { format: 'tiff', files: 2 } },
    contents: scanContents(null),
    estimate: single(known(190, 150, 230, 120_000)),
  }),
  'compose-other-format': composing(
    {
      ...scansAndLectures,
      otherFormat: {
        format: 'tiff',
        preset: 'Web 2048: TIFF',
        paths: scansAndLectureItems.slice(0, 2).map(({ path }) => path),
        others: 'AVIF',
      },
    },
    { contents: scanContents('TIFF'), estimate: single(known(190, 150, 230, 120_000)) },
  ),
  'compose-lost-several': {
    ...composing(scansAndLectures, {
      foreseen: {
        files: 4,
        kinds: [
          { ...lostPages, files: 3 },
          { code: 'iptc', why: lossReason('formatLacksIt', { format: 'AVIF' }), files: 1 },
          { code: 'subtitles', why: lossReason('formatLacksThem', { format: 'MP4' }), files: 1 },
        ],
      },
    }),
    step: 'showLost',
  },
  'compose-types-external': on({
    draft: draft({
      source: files(six),
      rejected: [
        {
          path: '/a/cover.avif',
          name: 'cover.avif',
          reason: 'avifBuiltInOnly',
          item: { path: '/a/cover.avif', name: 'cover.avif', kind: 'image', size: 1_000, format: 'avif' },
        },
      ],
    }),
  }),
  'compose-done': composing(
    { source: files(twoHundred) },
    {
      doneFiles: doneOf(140),
      estimate: single({ ...known(34, 28, 41, 18_000), inputBytes: 352_000_000 } as Estimate),
    },
  ),
  'compose-done-again': composing({ source: files(twoHundred), done: 'again' }, { doneFiles: doneOf(140) }),
  'compose-done-all': composing({ source: files(twoHundred) }, { doneFiles: doneOf(200) }),
  'compose-done-checking': composing(
    { source: files(twoHundred) },
    { doneFiles: { kind: 'checking', files: 200, checked: 12 } },
  ),
  'compose-save-open': { ...composing({}), step: 'outputSelect' },
  'compose-presets': composing(twoPresets, { estimate: twoEstimates }),
  'compose-presets-open': { ...composing(twoPresets, { estimate: twoEstimates }), step: 'presetSelect' },
  'compose-presets-five': {
    ...composing({
      presets: ['Clean metadata', 'Web ready', 'Web 2048', 'Print A4 300 dpi', 'Thumbnails 512'],
    }),
    step: 'presetSelect',
  },
  'compose-presets-mixed': composing({ source: files(mixed), presets: ['H.264 1080p', 'Web 2048'] }),
  'compose-presets-unhandled': composing({ source: files(mixed), presets: ['Web 2048', 'Mail'] }),
  'compose-variations': {
    script: {
      ...composing(
        { presets: ['Dataset variations'], variations: 4 },
        { estimate: single(known(16, 12, 24)) },
      ).script,
      presets: withVariations,
    },
  },
  'studio-variations': {
    ...presets,
    script: { ...presets.script, presets: withVariations },
    preset: 'Dataset variations',
    step: 'more',
  },
  'compose-drive': on({
    jobs: [running, ...next],
    queue: { waiting: 2, processing: true },
    connection: {
      ...state.connection,
      drive: { clientConfigured: true, connected: false, email: null, scope: null },
    },
    draft: draft({
      source: files(six),
      variations: 4,
      output: { kind: 'drive', folderId: '1Zq8bTn4LwX0rVhK2eYcPfA7mUd' },
    }),
  }),
  'compose-drive-input': on({
    draft: draft({ source: { kind: 'drive', folderId: '1Zq8bTn4LwX0rVhK2eYcPfA7mUd' } }),
  }),
  'compose-preset-open': on({ draft: draft({ source: files(six) }) }, { step: 'presetSelect' }),
  busy: { script: busy, show: running.id },
  'busy-unknown': on(
    { jobs: [fromDrive, ...next], queue: { waiting: 2, processing: true } },
    { show: fromDrive.id },
  ),
  queued: { script: busy, show: 'harbour-walk.mp4' },
  offline: on({
    connection: offline,
    outbox: waitingHere,
    notices: [{ kind: 'notRunning', waiting: 3 }],
  }),
  'key-rejected': on({
    connection: { ...state.connection, state: { status: 'keyRefused' } },
    outbox: waitingHere.slice(0, 1),
    notices: [{ kind: 'keyRejected', waiting: 1 }],
  }),
  'other-version': on({
    connection: { ...state.connection, state: { status: 'wrongVersion', version: '1.0.90' } },
    notices: [{ kind: 'otherVersion', version: '1.0.90' }],
  }),
  'no-keychain': { script: noKeychain },
  'no-keychain-key': { script: noKeychain, step: 'keepKey' },
  'settings-unread': on({ notices: [{ kind: 'settingsUnread', names: ['quiet.from', 'newJob.done'] }] }),
  'disk-full': on({ notices: [{ kind: 'diskFull', folder: `${HOME}/Pictures/Web` }] }),
  'data-not-written': on({
    notices: [{ kind: 'dataNotWritten', folder: `${HOME}/.config/Mediatray`, why: 'locked' }],
  }),
  'data-gone': on({ notices: [{ kind: 'dataGone', folder: `${HOME}/.config/Mediatray` }] }),
  'history-damaged': { script: damaged('history') },
  'outbox-damaged': { script: damaged('outbox') },
  'ending-quit': { script: withState({ ending: { action: 'quit', at: NOW + 30_000 } }) },
  'ending-sleep': { script: withState({ ending: { action: 'sleep', at: NOW + 30_000 } }) },
  'queue-full': { script: full, show: 'IMG_3310.jpg' },
  queue: { script: queue, show: 'boat-trip.mp4' },
  'queue-external': { script: external, show: 'P1010233.jpg' },
  unsure: { script: withState({ jobs: [running], outbox: [unsure] }), show: unsure.id },
  refused: { script: withState({ outbox: [refused] }), show: refused.id },
  search: { script: searching, search: 'harbour', filter: 'problems', show: 'harbour-dusk.tiff' },
  filter: { script: searching, filter: 'problems', step: 'filterMenu' },
  'search-empty': { script: searching, search: 'habrour', filter: 'failed' },
  details: { script: withDawn, show: dawn.id },
  'details-quality': ofDawn(dawnRatedDetails),
  'details-kept-quality': ofDawn({
    results: dawnDetails.results.map((result, index) =>
      index === 0 ? { ...result, quality: { score: 61, isSampled: true, below: 70 } } : result,
    ),
  }),
  'details-replaced-quality': ofDawn(
    {
      replaced: ONE_KEPT,
      results: [
        { file: FIRST, outputPath: FIRST, quality: { score: 61, isSampled: true, below: 70 }, index: 0 },
      ],
      replacements: [
        { path: FIRST, state: { kind: 'kept', why: 'lowQuality', result: null, resultBytes: null } },
      ],
    },
    { job: { ...dawn, replaced: ONE_KEPT } },
  ),
  'details-lost': ofDawn(dawnLostDetails, { job: dawnLost }),
  'details-lost-replaced': ofDawn(
    {
      ...dawnLostDetails,
      replacements: [{ path: FIRST, state: { kind: 'kept', why: 'lost', result: null, resultBytes: null } }],
    },
    { job: dawnLost },
  ),
  'replaced-lost': ofDawn(
    { ...dawnLostDetails, replaced: THREE_KEPT, replacements: threeKept },
    { job: { ...dawnLost, replaced: THREE_KEPT } },
  ),
  'details-menu': { script: withDawn, show: dawn.id, step: 'menu' },
  'details-problems': { script: standard, show: scan.id },
  'details-failed': { script: standard, show: teaser.id },
  'details-cancelled': { script: standard, show: cancelled.id },
  'details-forgotten': { script: standard, show: forgotten.id },
  'details-video': {
    script: {
      ...standard,
      details: { ...standard.details, [dawn.id]: videoDetails },
      sizes: { ...standard.sizes, [videoDetails.results[0]?.outputPath ?? '']: 96_000_000 },
    },
    show: dawn.id,
  },
  'details-audio': {
    script: {
      ...standard,
      details: { ...standard.details, [dawn.id]: audioDetails },
      sizes: { ...standard.sizes, [audioDetails.results[0]?.outputPath ?? '']: 3_100_000 },
    },
    show: dawn.id,
  },
  'details-uploading': { script: withState({ jobs: [uploading] }), show: uploading.id },
  'drag-over': { script: standard, step: 'drag' },
  toast: { script: standard, step: 'toast' },
  'confirm-clear': { script: standard, settings: 'Originals and history', step: 'confirm' },
  'settings-service-external': { script: standard, settings: 'Advanced > Service' },
  'services-settings': { script: several, settings: 'Advanced > Service' },
  'services-add': { script: several, settings: 'Advanced > Service', step: 'addService' },
  'services-draft': { script: several },
  'services-details': { script: several, show: 'IMG_3310.jpg' },
  'services-away': { script: severalAway },
  'settings-service': { script: withState({ connection: builtIn }), settings: 'Advanced > Service' },
  'settings-jobs': { script: standard, settings: 'New jobs' },
  'settings-clipboard': ignoringApps(standard),
  'settings-clipboard-no-xprop': ignoringApps({
    ...standard,
    facts: { ...standard.facts, canTellFrontApp: false },
  }),
  'settings-jobs-beside': on(
    {
      settings: {
        ...standard.state.settings,
        defaultPresets: ['Web 2048', 'Thumbnails 512'],
        defaultOriginals: { kind: 'beside', subfolder: 'Web' },
      },
    },
    { settings: 'New jobs' },
  ),
  'settings-presets': presets,
  'presets-unstarred': { script: withState({ connection: builtIn }), settings: 'Presets' },
  'presets-mac': {
    ...presets,
    script: { ...presets.script, facts: { ...standard.facts, platform: 'darwin' } },
  },
  'presets-unsupported': {
    ...presets,
    script: { ...presets.script, facts: { ...standard.facts, fileManagerMenu: 'unsupported' } },
  },
  'presets-not-installed': {
    ...presets,
    script: { ...presets.script, facts: { ...standard.facts, fileManagerMenu: 'notInstalled' } },
  },
  'settings-automation': { script: standard, settings: 'Automation' },
  'settings-folders': {
    script: {
      ...standard,
      state: { ...standard.state, settings: { ...settings, watchFolders: [...manyFolders] } },
      watch: manyFolders,
    },
    settings: 'Automation',
  },
  'settings-watch-scanning': {
    script: { ...standard, watch: standard.watch.map((folder) => ({ ...folder, scanning: true })) },
    settings: 'Automation',
  },
  'settings-watch-left-out': {
    script: {
      ...standard,
      watch: standard.watch.map((folder) =>
        folder.id === 'a'
          ? {
              ...folder,
              links: { count: 3, paths: [`${HOME}/Camera Uploads/link 1.jpg`] },
              special: some(1),
              empty: some(2),
              unprocessed: some(4),
              ignored: some(5),
            }
          : folder.id === 'c'
            ? { ...folder, trouble: 'repeated' as const }
            : folder,
      ),
    },
    settings: 'Automation',
  },
  watched: { script: ruled, settings: 'Automation' },
  rules: { script: ruled, settings: 'Automation', step: 'openRules' },
  'rules-unreadable': {
    script: { ...standard, watch: withRules(standard.watch, { rules: 'unreadable' }) },
    settings: 'Automation',
    step: 'openRules',
  },
  'rules-none': {
    script: { ...standard, watch: withRules(standard.watch, { rules: 'none', waiting: [] }) },
    settings: 'Automation',
    step: 'openRules',
  },
  'rule-editor': { script: ruled, settings: 'Automation', step: 'editRule' },
  'rule-rest': { script: ruled, settings: 'Automation', step: 'editRest' },
  'rules-try': { script: ruled, settings: 'Automation', step: 'dryRun' },
  'rules-trying': {
    script: { ...standard, watch: withRules(standard.watch, { trying: 120 }) },
    settings: 'Automation',
    step: 'startDryRun',
  },
  'watch-tasks': { script: watchingWith('Make smaller'), settings: 'Automation', step: 'watchDialog' },
  'watch-size': { script: watchingWith('Under a size: 2 MB'), settings: 'Automation', step: 'watchDialog' },
  'watch-variations': {
    script: watchingWith('Dataset variations'),
    settings: 'Automation',
    step: 'watchDialog',
  },
  'settings-watch-dialog': { script: standard, settings: 'Automation', step: 'watchDialog' },
  'settings-after': on(
    { settings: withHooks },
    { settings: 'Automation > After a job' },
    { hooks: hookStates },
  ),
  'settings-after-messages': on(
    { settings: withReceivers },
    { settings: 'Automation > After a job' },
    { hooks: hookStates, receivers: receiverStates },
  ),
  'settings-after-receiver': on(
    { settings: withReceivers },
    { settings: 'Automation > After a job', step: 'receiverDialog' },
    { hooks: hookStates, receivers: receiverStates },
  ),
  'settings-after-gave-up': on(
    { settings: withHooks },
    { settings: 'Automation > After a job' },
    {
      hooks: {
        program: { isRunning: true, last: null },
        url: { isRunning: false, last: { ...failedUrl, tries: 5, nextAt: null } },
      },
    },
  ),
  'settings-assistants': on(
    { settings: withAssistants },
    { settings: 'Advanced > Assistants' },
    { activity: assistantActivity },
  ),
  'settings-assistants-no-folder': on(
    { settings: { ...withAssistants, assistants: { ...withAssistants.assistants, folders: [] } } },
    { settings: 'Advanced > Assistants' },
    { isTemporary: true },
  ),
  'settings-assistants-off': on({}, { settings: 'Advanced > Assistants' }, { activity: assistantActivity }),
  'list-assistants': on({}, {}, { records: [{ ...dawn, by: 'assistant' }, ...earlier] }),
  'settings-after-unused': { script: standard, settings: 'Automation > After a job' },
  'settings-after-program-failed': on(
    { settings: { ...settings, afterJob: { ...withHooks.afterJob, url: null } } },
    { settings: 'Automation > After a job' },
    {
      hooks: {
        program: {
          isRunning: false,
          last: {
            ...hookStates.program.last,
            result: { kind: 'exited', code: 3, ms: 300, detail: 'rsync: connection refused (111)' },
            nextAt: at(20, 12, 34),
          },
        },
      },
    },
  ),
  'after-job-failed': ofDawn({
    hooks: [{ ...failedUrl, triedAt: at(20, 12, 24), tries: 5, nextAt: null }],
  }),
  replaced: { ...withReplaced(replacements(1)), show: 'DSC_4821.heic' },
  'replaced-undone': { ...withReplaced(replacements(21)), show: 'DSC_4821.heic' },
  'replaced-cancelled': {
    ...withReplaced(
      replacements(0).map(({ path }) => ({
        path,
        state: { kind: 'kept', why: 'cancelled', result: null, resultBytes: null },
      })),
      { kind: 'cancelled', results: 3 },
    ),
    show: 'DSC_4821.heic',
  },
  'replaced-expired': {
    ...withReplaced(
      replacements(0).map((one) =>
        one.state.kind === 'replaced'
          ? { ...one, state: { kind: 'expired', at: at(18, 9, 0), was: 'replaced', place: one.state.place } }
          : one,
      ),
    ),
    show: 'DSC_4821.heic',
  },
  vault: {
    script: { ...standard, vault: heldInVaults },
    settings: 'Originals and history',
    step: 'scrollDown',
  },
  'vault-away': {
    script: { ...standard, vault: { ...heldInVaults, away: 1 } },
    settings: 'Originals and history',
    step: 'scrollDown',
  },
  'vault-empty': {
    script: { ...standard, vault: heldInVaults },
    settings: 'Originals and history',
    step: 'emptyVault',
  },
  'settings-originals': { script: { ...standard, vault: heldInVaults }, settings: 'Originals and history' },
  'settings-search': on({ connection: builtIn }, { settings: 'General', step: 'searchSettings' }),
  'settings-search-none': on({ connection: builtIn }, { settings: 'General', step: 'searchNothing' }),
  'settings-history': { script: standard, settings: 'Originals and history' },
  'settings-about': { script: standard, settings: 'Advanced > About and licenses' },
  'settings-import': on(
    { connection: builtIn },
    { settings: 'Advanced', step: 'importSettings' },
    { settingsFile },
  ),
  'settings-advanced': { script: withState({ connection: builtIn }), settings: 'Advanced' },
  'settings-general': { script: standard, settings: 'General' },
  'update-no-source': updating({ status: 'noSource' }),
  'update-unsigned': updating({ status: 'unsigned' }),
  'update-portable': updating({ status: 'portable' }),
  'update-none': updating({ status: 'idle' }),
  'update-downloading': updating({ status: 'downloading', version: '1.1.0', share: 0.42 }),
  'update-ready': updating({ status: 'ready', version: '1.1.0' }),
  'update-failed': updating({ status: 'failed', reason: 'badSignature', detail: 'sha512 checksum mismatch' }),
  'presets-menu': { ...presets, preset: 'Web 2048', step: 'presetMenu' },
  'presets-rename': { ...presets, preset: 'Mail', step: 'rename' },
  'presets-imported': { ...presets, step: 'import' },
  studio: { ...presets, preset: 'Web 2048', step: 'open' },
  'studio-unsaved': { ...presets, preset: 'Mail', step: 'open' },
  'studio-size': { ...presets, preset: 'Web 2048', step: 'size' },
  'studio-more': { ...presets, preset: 'Web 2048', step: 'more' },
  'studio-fine': on(
    {
      connection: builtIn,
      settings: { ...settings, fineLosses: { 'Web 2048': ['pages'] } },
    },
    { ...presets, preset: 'Web 2048', step: 'more' },
  ),
  'studio-lossless': { ...presets, preset: 'Print A4 300 dpi', step: 'open' },
  'studio-look': { ...presets, preset: 'Chat', step: 'look' },
  'studio-video': { ...presets, preset: 'H.264 1080p', step: 'open' },
  'studio-video-more': { ...presets, preset: 'H.264 1080p', step: 'webm' },
  'studio-video-conflict': { ...presets, preset: 'Old phone', step: 'open' },
  'studio-both': { ...presets, preset: 'Web ready', step: 'open' },
  'studio-json': { ...presets, preset: 'Web 2048', step: 'json' },
  'studio-json-bad': { ...presets, preset: 'Web 2048', step: 'jsonBad' },
  'studio-json-wrong': { ...presets, preset: 'Web 2048', step: 'jsonWrong' },
  'studio-name-taken': { ...presets, preset: 'Web 2048', step: 'nameTaken' },
  'studio-new': { ...presets, step: 'newPreset' },
  'studio-external': on({}, { settings: 'Advanced > Service', preset: 'Web 2048', step: 'external' }),
  'preview-fine': previewing('fine'),
  'preview-compared': { ...previewing('compared'), step: 'compare' },
  'preview-comparing': { ...previewing('comparing'), step: 'compare' },
  'preview-video-compared': { ...previewing('videoCompared'), step: 'compare' },
  'preview-measuring': previewing('measuring'),
  'preview-lossless': previewing('lossless'),
  'preview-unmeasured': previewing('unmeasured'),
  'preview-rendering': previewing('rendering'),
  'preview-larger': previewing('larger'),
  'preview-failed': previewing('failed'),
  'preview-least': { ...previewing('least'), step: 'least' },
  'preview-no-file': previewing('noFile'),
  'preview-video': previewing('video'),
  'preview-video-rendering': previewing('videoRendering'),
  'preview-video-hdr': previewing('videoHdr'),
  'preview-video-audio-only': { ...previewing('video'), step: 'audioOnly' },
  'preview-video-failed': previewing('videoFailed'),
  'studio-german-conflict': on(
    { connection: builtIn, settings: german },
    { ...presets, preset: 'Old phone', step: 'open' },
  ),
}

export function fixture(name: string): Fixture {
  const found = fixtures[name]
  if (found === undefined) throw new Error(`No fixture ${name}`)
  return found
}
