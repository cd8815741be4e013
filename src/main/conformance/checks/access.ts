/** Sections 2, 5 and 7: what clients can read without a job, and who may read it. */
import { MAX_LISTED_JOBS } from '../../../shared/api/limits.ts'
import type { Check, CheckContext } from '../check.ts'
import { expectError, expectResource, NotChecked, Violation } from '../expectations.ts'
import type { Request } from '../requests.ts'
import { pngBytes } from '../sample-files.ts'

export const UNKNOWN_JOB = 'mediatray-check-unknown'

/** Requests that don't affect other clients, even if a service accepts them without the key. */
const ROUTES: readonly Request[] = [
  { method: 'GET', path: '/presets' },
  { method: 'GET', path: '/drive/status' },
  { method: 'POST', path: '/upload', headers: { 'x-filename': 'a.png' } },
  { method: 'POST', path: '/jobs', headers: { 'content-type': 'application/json' }, body: '{}' },
  { method: 'GET', path: '/jobs' },
  { method: 'GET', path: `/jobs/${UNKNOWN_JOB}` },
  { method: 'DELETE', path: `/jobs/${UNKNOWN_JOB}` },
  { method: 'GET', path: `/download/${UNKNOWN_JOB}` },
]

const keyRequired = (request: Request): Check => ({
  section: '5',
  title: `${request.method} ${request.path.replace(UNKNOWN_JOB, '{jobId}')} returns 401 without the key`,
  run: async ({ ask }) => void expectError(await ask({ ...withBytes(request), authorization: null }), 401),
})

const withBytes = (request: Request): Request =>
  request.path === '/upload'
    ? {
        ...request,
        body: pngBytes(2, 2),
        headers: { ...request.headers, 'content-type': 'application/octet-stream' },
      }
    : request

const wrongKey = (what: string, authorization: string): Check => ({
  section: '5',
  title: `GET /presets returns 401 for ${what}`,
  run: async ({ ask }) =>
    void expectError(await ask({ method: 'GET', path: '/presets', authorization }), 401),
})

/**
 * Throws NotChecked if `DELETE /jobs` could remove other clients' jobs. A long list may hide some, because it shows only the most recent
 * ones.
 */
export async function expectOnlyOwnJobs({ jobs }: CheckContext): Promise<void> {
  const listed = await jobs.list()
  if (listed.jobs.length >= 40 || listed.jobs.some(({ jobId }) => !jobs.isOwn(jobId))) {
    throw new NotChecked('The service has jobs of other clients, which would be removed from its list.')
  }
}

export const accessChecks: readonly Check[] = [
  {
    section: '5',
    title: 'GET /health responds without a key',
    run: async ({ ask }) =>
      void expectResource(await ask({ method: 'GET', path: '/health', authorization: null }), 200, 'Health'),
  },
  {
    section: '2',
    title: 'GET /health returns status ok, version 1.0.81 and the number of active jobs',
    run: async ({ ask }) => void expectResource(await ask({ method: 'GET', path: '/health' }), 200, 'Health'),
  },
  {
    section: '2',
    title: 'GET /presets returns the names of presets for images and for videos',
    run: async ({ ask }) =>
      void expectResource(await ask({ method: 'GET', path: '/presets' }), 200, 'Presets'),
  },
  {
    section: '2',
    title: 'GET /drive/status returns the state of the cloud drive',
    run: async ({ ask }) =>
      void expectResource(await ask({ method: 'GET', path: '/drive/status' }), 200, 'DriveStatus'),
  },
  {
    section: '2',
    title: 'GET /jobs returns at most 50 jobs and the state of the queue',
    run: async ({ ask }) => {
      const { jobs } = expectResource(await ask({ method: 'GET', path: '/jobs' }), 200, 'JobList')
      if (jobs.length > MAX_LISTED_JOBS) throw new Violation(`lists ${jobs.length} jobs`)
    },
  },
  ...ROUTES.map(keyRequired),
  {
    section: '5',
    title: 'DELETE /jobs returns 401 without the key',
    async run(context) {
      await expectOnlyOwnJobs(context)
      expectError(await context.ask({ method: 'DELETE', path: '/jobs', authorization: null }), 401)
    },
  },
  wrongKey('another key', 'Bearer mediatray-check-wrong-key'),
  wrongKey('an empty key', 'Bearer '),
  wrongKey('another scheme', 'Basic bWVkaWF0cmF5OmNoZWNr'),
  {
    section: '7',
    title: 'An unsupported route returns 404',
    run: async ({ ask }) =>
      void expectError(await ask({ method: 'GET', path: '/mediatray-check/no-such-route' }), 404),
  },
]
