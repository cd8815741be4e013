/** Mistakes of a service, each with the check that must find it. */
import { mkdirSync, rmSync } from 'node:fs'
import { ALL_CHECKS } from '../../src/main/conformance/check-service.ts'
import { type Answered, type Asked, changed, type Lie } from './lying-proxy.ts'
import { API_KEY } from './running-service.ts'

const isJobRead = ({ method, path }: Asked) => method === 'GET' && /^\/jobs\/[^/]+$/.test(path)
const isCreated = ({ method, path }: Asked, { status }: Answered) =>
  method === 'POST' && path === '/jobs' && status === 202
const isDownload = ({ path }: Asked, { status }: Answered) => path.startsWith('/download/') && status === 200

/** Answers these routes with another status. */
const status =
  (route: RegExp, from: number, to: number): Lie =>
  ({ method, path }, truth) =>
    route.test(`${method} ${path}`) && truth.status === from ? { status: to } : undefined

/** Changes the JSON of successful responses of these routes. */
const json =
  (route: RegExp, change: (value: Record<string, unknown>) => unknown): Lie =>
  ({ method, path }, truth) =>
    route.test(`${method} ${path}`) && truth.status < 300 ? changed(truth, change) : undefined

const job =
  (change: (value: Record<string, unknown>) => unknown): Lie =>
  (asked, truth) =>
    isJobRead(asked) && truth.status === 200 ? changed(truth, change) : undefined

const created =
  (change: (value: Record<string, unknown>) => unknown): Lie =>
  (asked, truth) =>
    isCreated(asked, truth) ? changed(truth, change) : undefined

const withoutKey: Lie = ({ authorization }, truth) =>
  authorization !== `Bearer ${API_KEY}` && truth.status === 401 ? { status: 200 } : undefined

let firstId: unknown
let folder = ''
const outputFolderIn = ({ body }: Asked): string => JSON.parse(body.toString('utf8')).outputFolder

export const LIES: readonly (readonly [lie: string, title: string, section: string, lie: Lie])[] = [
  [
    'needs the key for health',
    'GET /health responds without a key',
    '5',
    ({ path, authorization }) =>
      path === '/health' && authorization === undefined
        ? { status: 401, body: Buffer.from('{"error":"key"}') }
        : undefined,
  ],
  [
    'reports another version',
    'GET /health returns status ok, version 1.0.81 and the number of active jobs',
    '2',
    json(/health/, (value) => ({ ...value, version: '2.0.0' })),
  ],
  [
    'completes jobs without creating their output folder',
    'A job with one photo is single and becomes completed with a result',
    '2',
    (asked) => {
      if (asked.path === '/jobs' && asked.method === 'POST') folder = outputFolderIn(asked)
      if (isJobRead(asked)) rmSync(folder, { recursive: true, force: true })
      return undefined
    },
  ],
  [
    'omits the videos’ presets',
    'GET /presets returns the names of presets for images and for videos',
    '2',
    json(/presets/, ({ image }) => ({ image })),
  ],
  [
    'has a drive without a scope',
    'GET /drive/status returns the state of the cloud drive',
    '2',
    json(/drive/, (value) => ({ ...value, scope: undefined })),
  ],
  [
    'lists 51 jobs',
    'GET /jobs returns at most 50 jobs and the state of the queue',
    '2',
    json(/^GET \/jobs$/, (value) => ({
      ...value,
      jobs: Array.from({ length: 51 }, (_, at) => listed(`j${at}`)),
    })),
  ],
  [
    'returns errors as text',
    'An unsupported route returns 404',
    '7',
    (_asked, truth) => (truth.status === 404 ? { body: Buffer.from('Not found') } : undefined),
  ],
  [
    'returns errors without “error”',
    'An unsupported route returns 404',
    '7',
    (_asked, truth) => (truth.status === 404 ? { body: Buffer.from('{"message":"no"}') } : undefined),
  ],
  ['accepts unknown routes', 'An unsupported route returns 404', '7', status(/no-such-route/, 404, 200)],
  [
    'redirects unknown routes',
    'An unsupported route returns 404',
    '7',
    (_asked, truth) =>
      truth.status === 404 ? { status: 302, headers: { location: 'http://127.0.0.1:9/' } } : undefined,
  ],
  ...ALL_CHECKS.filter(({ title }) => /returns 401/.test(title)).map(
    ({ title, section }) => ['accepts every key', title, section, withoutKey] as const,
  ),
  ...ALL_CHECKS.filter(({ title }) => title.startsWith('POST /jobs returns 400 for')).map(
    ({ title, section }) => ['returns 422', title, section, status(/^POST \/jobs/, 400, 422)] as const,
  ),
  [
    'returns 400 without a drive',
    'POST /jobs returns 412 for cloud drive input while no cloud drive is connected',
    '4',
    status(/POST/, 412, 400),
  ],
  [
    'returns 400 without a drive',
    'POST /jobs returns 412 for cloud drive output while no cloud drive is connected',
    '4',
    status(/POST/, 412, 400),
  ],
  [
    'returns 413',
    'POST /jobs refuses a body of more than 64 KiB, or closes the connection',
    '8',
    status(/POST/, 400, 413),
  ],
  [
    'miscounts',
    'POST /jobs accepts filePath alone and counts 1 file and 1 operation',
    '2',
    created((value) => ({ ...value, totalOperations: 2 })),
  ],
  [
    'returns numbers as text',
    'POST /jobs accepts filePath alone and counts 1 file and 1 operation',
    '2',
    created((value) => ({ ...value, position: '0' })),
  ],
  [
    'ignores variations',
    'POST /jobs accepts filePath and files together',
    '2',
    created((value) => ({ ...value, totalOperations: 2 })),
  ],
  [
    'doesn’t name skipped files',
    'POST /jobs lists a missing file in skipped and accepts the others',
    '4',
    created((value) => ({ ...value, skipped: [] })),
  ],
  [
    'refuses unknown fields',
    'POST /jobs ignores unknown fields',
    '2',
    (asked) =>
      asked.body.includes('mediatrayCheck') ? { status: 400, body: Buffer.from('{"error":"x"}') } : undefined,
  ],
  [
    'reuses jobs',
    'Every POST /jobs creates another job',
    '2',
    created((value) => ({ ...value, jobId: (firstId ??= value['jobId']) })),
  ],
  [
    'doesn’t know jobs with both kinds',
    'POST /jobs accepts photos and videos together with a preset for both',
    '2',
    status(/POST \/jobs/, 202, 400),
  ],
  [
    'accepts every preset',
    'POST /jobs returns 400 for photos and videos with a preset for only one of them',
    '2',
    status(/POST \/jobs/, 400, 500),
  ],
  [
    'has another type of job',
    'A job with one photo is single and becomes completed with a result',
    '2',
    job((value) => ({ ...value, type: 'group' })),
  ],
  [
    'has another status',
    'A job with one photo is single and becomes completed with a result',
    '2',
    job((value) => ({ ...value, status: 'done' })),
  ],
  [
    'has progress of another type',
    'A job with one photo is single and becomes completed with a result',
    '2',
    job((value) => ({ ...value, progress: { phase: 1 } })),
  ],
  [
    'omits the result',
    'A job with one photo is single and becomes completed with a result',
    '2',
    job((value) => ({ ...value, result: undefined })),
  ],
  [
    'has results elsewhere',
    'A job with one photo is single and becomes completed with a result',
    '2',
    job((value) => ({
      ...value,
      ...(value['result'] === undefined ? {} : { result: { outputPath: '/etc/passwd' } }),
    })),
  ],
  [
    'has results that don’t exist',
    'A job with one photo is single and becomes completed with a result',
    '2',
    job((value) => ({
      ...value,
      ...(value['result'] === undefined
        ? {}
        : { result: { outputPath: `${(value['result'] as { outputPath: string }).outputPath}.x` } }),
    })),
  ],
  [
    'names one result twice',
    'A batch becomes completed with one result for each variation of each file',
    '2',
    job((value) => ({
      ...value,
      results: (value['results'] as unknown[] | undefined)?.map((_, __, all) => all[0]),
    })),
  ],
  [
    'fails videos',
    'A job with a video becomes completed with a result',
    '2',
    job((value) => (value['status'] === 'completed' ? { ...value, status: 'failed', error: 'x' } : value)),
  ],
  [
    'doesn’t say why a job failed',
    'A damaged photo is refused, or its job has an error',
    '2',
    job((value) => ({ ...value, error: undefined })),
  ],
  [
    'hides the files that failed',
    'A batch with a damaged photo names it in errors or skipped',
    '7',
    job((value) => ({ ...value, errors: undefined })),
  ],
  [
    'doesn’t list jobs',
    'GET /jobs lists a new job',
    '4',
    json(/^GET \/jobs$/, (value) => ({ ...value, jobs: [] })),
  ],
  [
    'knows every job',
    'GET /jobs/{jobId} returns 404 for an unknown job',
    '4',
    status(/^GET \/jobs\//, 404, 200),
  ],
  [
    'cancels unknown jobs',
    'DELETE /jobs/{jobId} returns 404 for an unknown job',
    '4',
    status(/^DELETE \/jobs\//, 404, 200),
  ],
  [
    'cancels finished jobs',
    'DELETE /jobs/{jobId} returns 400 for a job that has ended',
    '4',
    status(/^DELETE/, 400, 200),
  ],
  [
    'confirms in other words',
    'DELETE /jobs/{jobId} cancels a job in progress',
    '3',
    json(/^DELETE/, (value) => ({ ...value, status: 'canceling' })),
  ],
  [
    'completes canceled jobs',
    'DELETE /jobs/{jobId} cancels a job in progress',
    '3',
    job((value) => (value['status'] === 'cancelled' ? { ...value, status: 'completed' } : value)),
  ],
  [
    'doesn’t cancel queued jobs',
    'DELETE /jobs/{jobId} cancels a queued job',
    '3',
    job((value) => (value['status'] === 'cancelled' ? { ...value, status: 'failed' } : value)),
  ],
  [
    'processes two jobs at once',
    'One job at a time is processed, and the next one waits',
    '8',
    job((value) => (value['status'] === 'queued' ? { ...value, status: 'processing' } : value)),
  ],
  ['returns 503 if it is full', 'POST /jobs returns 429 while ten jobs wait', '8', status(/POST/, 429, 503)],
  [
    'stores a part of an upload',
    'POST /upload returns an absolute path, the name and the size',
    '4',
    json(/upload/, (value) => ({ ...value, size: 1 })),
  ],
  [
    'names another upload',
    'POST /upload returns a filePath that is usable in a job',
    '4',
    json(/upload/, (value) => ({ ...value, filePath: '/no/such.png' })),
  ],
  ...ALL_CHECKS.filter(({ title }) => title.startsWith('POST /upload returns 400')).map(
    ({ title, section }) => ['returns 415', title, section, status(/^POST \/upload/, 400, 415)] as const,
  ),
  [
    'changes the bytes',
    'GET /download/{jobId} returns the result of a single job with its type and name',
    '4',
    (asked, truth) => (isDownload(asked, truth) ? { body: truth.body.subarray(1) } : undefined),
  ],
  [
    'has another type',
    'GET /download/{jobId} returns the result of a single job with its type and name',
    '4',
    (asked, truth) =>
      isDownload(asked, truth) ? { headers: { ...truth.headers, 'content-type': 'text/html' } } : undefined,
  ],
  [
    'doesn’t name the file',
    'GET /download/{jobId} returns the result of a single job with its type and name',
    '4',
    (asked, truth) => (isDownload(asked, truth) ? { headers: { 'content-type': 'image/png' } } : undefined),
  ],
  [
    'always returns the first result',
    'GET /download/{jobId} returns the result of a batch that index selects, by default the first',
    '4',
    (asked, truth) => (asked.path.includes('?index=1') ? { body: Buffer.from('other') } : truth),
  ],
  [
    'returns 400 for an unknown index',
    'GET /download/{jobId} returns 404 for an unknown index',
    '4',
    status(/download/, 404, 400),
  ],
  [
    'returns 404 for an invalid index',
    'GET /download/{jobId} returns 400 for an index that is not a number of at least 0',
    '4',
    status(/download/, 400, 404),
  ],
  [
    'returns 410 for deleted results',
    'GET /download/{jobId} returns 404 if the result was deleted',
    '4',
    status(/download/, 404, 410),
  ],
  [
    'returns 410 for unknown jobs',
    'GET /download/{jobId} returns 404 for an unknown job',
    '4',
    status(/download/, 404, 410),
  ],
  [
    'returns 409 for canceled jobs',
    'GET /download/{jobId} returns 400 for a job that is not completed',
    '4',
    status(/download/, 400, 409),
  ],
  [
    'counts in words',
    'DELETE /jobs removes finished jobs',
    '4',
    json(/^DELETE \/jobs$/, () => ({ cleared: 'all' })),
  ],
  ['keeps cleared jobs', 'DELETE /jobs removes finished jobs', '4', status(/^GET \/jobs\//, 404, 200)],
  [
    'creates folders for refused jobs',
    'POST /jobs lists refused files in skipped and creates no output if none is valid',
    '4',
    (asked) => {
      if (asked.path === '/jobs' && asked.method === 'POST') mkdirSync(outputFolderIn(asked))
      return undefined
    },
  ],
  [
    'doesn’t create folders',
    'POST /jobs creates a missing outputFolder with its parent folders',
    '2',
    (asked, truth) => {
      if (asked.path === '/jobs' && asked.method === 'POST') folder = outputFolderIn(asked)
      if (isJobRead(asked) && truth.body.includes('"completed"')) rmSync(folder, { recursive: true })
      return undefined
    },
  ],
]

const listed = (jobId: string) => ({
  jobId,
  status: 'completed',
  type: 'single',
  preset: 'basic',
  progress: {},
  createdAt: '',
  startedAt: null,
  completedAt: null,
})
