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

/** The lies by the check that finds them. */
const BY_TITLE: Readonly<Record<string, Readonly<Record<string, Lie>>>> = {
  'GET /health responds without a key': {
    'needs the key for health': ({ path, authorization }) =>
      path === '/health' && authorization === undefined
        ? { status: 401, body: Buffer.from('{"error":"key"}') }
        : undefined,
  },
  'GET /health returns status ok, version 1.0.81 and the number of active jobs': {
    'reports another version': json(/health/, (value) => ({ ...value, version: '2.0.0' })),
  },
  'A job with one photo is single and becomes completed with a result': {
    'completes jobs without creating their output folder': (asked) => {
      if (asked.path === '/jobs' && asked.method === 'POST') folder = outputFolderIn(asked)
      if (isJobRead(asked)) rmSync(folder, { recursive: true, force: true })
      return undefined
    },
    'has another type of job': job((value) => ({ ...value, type: 'group' })),
    'has another status': job((value) => ({ ...value, status: 'done' })),
    'has progress of another type': job((value) => ({ ...value, progress: { phase: 1 } })),
    'omits the result': job((value) => ({ ...value, result: undefined })),
    'has results elsewhere': job((value) => ({
      ...value,
      ...(value['result'] === undefined ? {} : { result: { outputPath: '/etc/passwd' } }),
    })),
    'has results that don’t exist': job((value) => ({
      ...value,
      ...(value['result'] === undefined
        ? {}
        : { result: { outputPath: `${(value['result'] as { outputPath: string }).outputPath}.x` } }),
    })),
  },
  'GET /presets returns the names of presets for images and for videos': {
    'omits the videos’ presets': json(/presets/, ({ image }) => ({ image })),
  },
  'GET /drive/status returns the state of the cloud drive': {
    'has a drive without a scope': json(/drive/, (value) => ({ ...value, scope: undefined })),
  },
  'GET /jobs returns at most 50 jobs and the state of the queue': {
    'lists 51 jobs': json(/^GET \/jobs$/, (value) => ({
      ...value,
      jobs: Array.from({ length: 51 }, (_, at) => listed(`j${at}`)),
    })),
  },
  'An unsupported route returns 404': {
    'returns errors as text': (_asked, truth) =>
      truth.status === 404 ? { body: Buffer.from('Not found') } : undefined,
    'returns errors without “error”': (_asked, truth) =>
      truth.status === 404 ? { body: Buffer.from('{"message":"no"}') } : undefined,
    'accepts unknown routes': status(/no-such-route/, 404, 200),
    'redirects unknown routes': (_asked, truth) =>
      truth.status === 404 ? { status: 302, headers: { location: 'http://127.0.0.1:9/' } } : undefined,
  },
  'POST /jobs returns 412 for cloud drive input while no cloud drive is connected': {
    'returns 400 without a drive': status(/POST/, 412, 400),
  },
  'POST /jobs returns 412 for cloud drive output while no cloud drive is connected': {
    'returns 400 without a drive': status(/POST/, 412, 400),
  },
  'POST /jobs refuses a body of more than 64 KiB, or closes the connection': {
    'returns 413': status(/POST/, 400, 413),
  },
  'POST /jobs accepts filePath alone and counts 1 file and 1 operation': {
    miscounts: created((value) => ({ ...value, totalOperations: 2 })),
    'returns numbers as text': created((value) => ({ ...value, position: '0' })),
  },
  'POST /jobs accepts filePath and files together': {
    'ignores variations': created((value) => ({ ...value, totalOperations: 2 })),
  },
  'POST /jobs lists a missing file in skipped and accepts the others': {
    'doesn’t name skipped files': created((value) => ({ ...value, skipped: [] })),
  },
  'POST /jobs ignores unknown fields': {
    'refuses unknown fields': (asked) =>
      asked.body.includes('mediatrayCheck') ? { status: 400, body: Buffer.from('{"error":"x"}') } : undefined,
  },
  'Every POST /jobs creates another job': {
    'reuses jobs': created((value) => ({ ...value, jobId: (firstId ??= value['jobId']) })),
  },
  'POST /jobs accepts photos and videos together with a preset for both': {
    'doesn’t know jobs with both kinds': status(/POST \/jobs/, 202, 400),
  },
  'POST /jobs returns 400 for photos and videos with a preset for only one of them': {
    'accepts every preset': status(/POST \/jobs/, 400, 500),
  },
  'A batch becomes completed with one result for each variation of each file': {
    'names one result twice': job((value) => ({
      ...value,
      results: (value['results'] as unknown[] | undefined)?.map((_, __, all) => all[0]),
    })),
  },
  'A job with a video becomes completed with a result': {
    'fails videos': job((value) =>
      value['status'] === 'completed' ? { ...value, status: 'failed', error: 'x' } : value,
    ),
  },
  'A damaged photo is refused, or its job has an error': {
    'doesn’t say why a job failed': job((value) => ({ ...value, error: undefined })),
  },
  'A batch with a damaged photo names it in errors or skipped': {
    'hides the files that failed': job((value) => ({ ...value, errors: undefined })),
  },
  'GET /jobs lists a new job': {
    'doesn’t list jobs': json(/^GET \/jobs$/, (value) => ({ ...value, jobs: [] })),
  },
  'GET /jobs/{jobId} returns 404 for an unknown job': {
    'knows every job': status(/^GET \/jobs\//, 404, 200),
  },
  'DELETE /jobs/{jobId} returns 404 for an unknown job': {
    'cancels unknown jobs': status(/^DELETE \/jobs\//, 404, 200),
  },
  'DELETE /jobs/{jobId} returns 400 for a job that has ended': {
    'cancels finished jobs': status(/^DELETE/, 400, 200),
  },
  'DELETE /jobs/{jobId} cancels a job in progress': {
    'confirms in other words': json(/^DELETE/, (value) => ({ ...value, status: 'canceling' })),
    'completes canceled jobs': job((value) =>
      value['status'] === 'cancelled' ? { ...value, status: 'completed' } : value,
    ),
  },
  'DELETE /jobs/{jobId} cancels a queued job': {
    'doesn’t cancel queued jobs': job((value) =>
      value['status'] === 'cancelled' ? { ...value, status: 'failed' } : value,
    ),
  },
  'One job at a time is processed, and the next one waits': {
    'processes two jobs at once': job((value) =>
      value['status'] === 'queued' ? { ...value, status: 'processing' } : value,
    ),
  },
  'POST /jobs returns 429 while ten jobs wait': {
    'returns 503 if it is full': status(/POST/, 429, 503),
  },
  'POST /upload returns an absolute path, the name and the size': {
    'stores a part of an upload': json(/upload/, (value) => ({ ...value, size: 1 })),
  },
  'POST /upload returns a filePath that is usable in a job': {
    'names another upload': json(/upload/, (value) => ({ ...value, filePath: '/no/such.png' })),
  },
  'GET /download/{jobId} returns the result of a single job with its type and name': {
    'changes the bytes': (asked, truth) =>
      isDownload(asked, truth) ? { body: truth.body.subarray(1) } : undefined,
    'has another type': (asked, truth) =>
      isDownload(asked, truth) ? { headers: { ...truth.headers, 'content-type': 'text/html' } } : undefined,
    'doesn’t name the file': (asked, truth) =>
      isDownload(asked, truth) ? { headers: { 'content-type': 'image/png' } } : undefined,
  },
  'GET /download/{jobId} returns the result of a batch that index selects, by default the first': {
    'always returns the first result': (asked, truth) =>
      asked.path.includes('?index=1') ? { body: Buffer.from('other') } : truth,
  },
  'GET /download/{jobId} returns 404 for an unknown index': {
    'returns 400 for an unknown index': status(/download/, 404, 400),
  },
  'GET /download/{jobId} returns 400 for an index that is not a number of at least 0': {
    'returns 404 for an invalid index': status(/download/, 400, 404),
  },
  'GET /download/{jobId} returns 404 if the result was deleted': {
    'returns 410 for deleted results': status(/download/, 404, 410),
  },
  'GET /download/{jobId} returns 404 for an unknown job': {
    'returns 410 for unknown jobs': status(/download/, 404, 410),
  },
  'GET /download/{jobId} returns 400 for a job that is not completed': {
    'returns 409 for canceled jobs': status(/download/, 400, 409),
  },
  'DELETE /jobs removes finished jobs': {
    'counts in words': json(/^DELETE \/jobs$/, () => ({ cleared: 'all' })),
    'keeps cleared jobs': status(/^GET \/jobs\//, 404, 200),
  },
  'POST /jobs lists refused files in skipped and creates no output if none is valid': {
    'creates folders for refused jobs': (asked) => {
      if (asked.path === '/jobs' && asked.method === 'POST') mkdirSync(outputFolderIn(asked))
      return undefined
    },
  },
  'POST /jobs creates a missing outputFolder with its parent folders': {
    'doesn’t create folders': (asked, truth) => {
      if (asked.path === '/jobs' && asked.method === 'POST') folder = outputFolderIn(asked)
      if (isJobRead(asked) && truth.body.includes('"completed"')) rmSync(folder, { recursive: true })
      return undefined
    },
  },
}

/** Lies that every check with a matching title must find. */
const EVERYWHERE: readonly (readonly [title: RegExp, lie: string, Lie])[] = [
  [/returns 401/, 'accepts every key', withoutKey],
  [/^POST \/jobs returns 400 for/, 'returns 422', status(/^POST \/jobs/, 400, 422)],
  [/^POST \/upload returns 400/, 'returns 415', status(/^POST \/upload/, 400, 415)],
]

export const LIES = ALL_CHECKS.flatMap(({ section, title }) => [
  ...Object.entries(BY_TITLE[title] ?? {}).map(([name, lie]) => ({ name, title, section, lie })),
  ...EVERYWHERE.filter(([titles]) => titles.test(title)).map(([, name, lie]) => ({
    name,
    title,
    section,
    lie,
  })),
])

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
