/** Sections 2, 5 and 7: what clients can read without a job, and who may read it. */
import { MAX_LISTED_JOBS } from '../../../shared/api/limits.ts'
import { check, type Check, type CheckContext } from '../check.ts'
import { expectError, expectResource, NotChecked, type ResourceName, Violation } from '../expectations.ts'
import type { Request } from '../requests.ts'
import { pngBytes } from '../sample-files.ts'

export const UNKNOWN_JOB = 'mediatray-check-unknown'

/** Requests that don't affect other clients, even if a service accepts them without the key. */
const ROUTES: readonly Request[] = [
  { method: 'GET', path: '/presets' },
  { method: 'GET', path: '/drive/status' },
  {
    method: 'POST',
    path: '/upload',
    headers: { 'x-filename': 'a.png', 'content-type': 'application/octet-stream' },
    body: pngBytes(2, 2),
  },
  { method: 'POST', path: '/jobs', headers: { 'content-type': 'application/json' }, body: '{}' },
  { method: 'GET', path: '/jobs' },
  { method: 'GET', path: `/jobs/${UNKNOWN_JOB}` },
  { method: 'DELETE', path: `/jobs/${UNKNOWN_JOB}` },
  { method: 'GET', path: `/download/${UNKNOWN_JOB}` },
]

const keyRequired = (request: Request): Check =>
  check(
    '5',
    `${request.method} ${request.path.replace(UNKNOWN_JOB, '{jobId}')} returns 401 without the key`,
    async ({ ask }) => expectError(await ask({ ...request, authorization: null }), 401),
  )

const wrongKey = (what: string, authorization: string): Check =>
  check('5', `GET /presets returns 401 for ${what}`, async ({ ask }) =>
    expectError(await ask({ method: 'GET', path: '/presets', authorization }), 401),
  )

const returns = (
  section: string,
  title: string,
  request: Pick<Request, 'path' | 'authorization'>,
  name: ResourceName,
): Check =>
  check(section, title, async ({ ask }) =>
    expectResource(await ask({ method: 'GET', ...request }), 200, name),
  )

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
  returns('5', 'GET /health responds without a key', { path: '/health', authorization: null }, 'Health'),
  returns(
    '2',
    'GET /health returns status ok, version 1.0.81 and the number of active jobs',
    { path: '/health' },
    'Health',
  ),
  returns(
    '2',
    'GET /presets returns the names of presets for images and for videos',
    { path: '/presets' },
    'Presets',
  ),
  returns(
    '2',
    'GET /drive/status returns the state of the cloud drive',
    { path: '/drive/status' },
    'DriveStatus',
  ),
  check('2', 'GET /jobs returns at most 50 jobs and the state of the queue', async ({ ask }) => {
    const { jobs } = expectResource(await ask({ method: 'GET', path: '/jobs' }), 200, 'JobList')
    if (jobs.length > MAX_LISTED_JOBS) throw new Violation(`lists ${jobs.length} jobs`)
  }),
  ...ROUTES.map(keyRequired),
  check('5', 'DELETE /jobs returns 401 without the key', async (context) => {
    await expectOnlyOwnJobs(context)
    expectError(await context.ask({ method: 'DELETE', path: '/jobs', authorization: null }), 401)
  }),
  wrongKey('another key', 'Bearer mediatray-check-wrong-key'),
  wrongKey('an empty key', 'Bearer '),
  wrongKey('another scheme', 'Basic bWVkaWF0cmF5OmNoZWNr'),
  check('7', 'An unsupported route returns 404', async ({ ask }) =>
    expectError(await ask({ method: 'GET', path: '/mediatray-check/no-such-route' }), 404),
  ),
]
