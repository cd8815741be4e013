/** check-service ends with a sentence, regardless of what the service does. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createRawServer, type Server } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { runChecks } from './run-checks.ts'
import { listenLocally } from '../local-server.ts'
import { firstOf } from '../faults/long-suite.ts'

const HEALTH = JSON.stringify({ status: 'ok', version: '1.0.81', activeJobs: 0 })

async function listening(server: Server): Promise<string> {
  const { port, close } = await listenLocally(server)
  onTestFinished(() => void close())
  return `http://127.0.0.1:${port}/api`
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

const endless: Answer = (response) => {
  const piece = Buffer.alloc(1024 * 1024, ' ')
  const send = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.writeHead(200).on('drain', send)
  send()
}

const HOSTILE: readonly (readonly [what: string, answer: Answer, message: RegExp])[] = [
  ['sends HTML', (response) => void response.end('<html>'), /isn’t a Local Media Job service/],
  ['closes the connection', (response) => void response.destroy(), /closed the connection/],
  ['never responds', () => undefined, /within 30 s/],
  ['never ends its response', (response) => void response.writeHead(200).write('{'), /within 30 s/],
  ['sends an endless body', endless, /more than 16 MiB|within 30 s/],
  ['sends other JSON', (response) => void response.end('[1, null]'), /isn’t a Local Media Job service/],
  [
    'sends half a million values',
    (response) =>
      void response.end(`{"jobs":[${'[],'.repeat(500_000)}[]],"queueLength":0,"processing":false}`),
    /isn’t a Local Media Job service/,
  ],
  ['redirects', (response) => void response.writeHead(302, { location: '/x' }).end(), /returned 302/],
]

it.each(firstOf(HOSTILE, 2))('a service that %s at once', async (_what, answer, message) => {
  const baseUrl = await listening(createServer((request, response) => answer(response, request)))
  const { ending, results } = await runChecks(baseUrl, { faster: 20 })
  expect(ending).toMatchObject({ kind: 'notReachable', message: expect.stringMatching(message) })
  expect(results).toEqual([])
})

it.each(firstOf(HOSTILE, 2))('a service that %s after its health', async (_what, answer) => {
  let answered = 0
  const server = createServer((request, response) => {
    // The health, and the first list of jobs.
    if (++answered === 1) response.end(HEALTH)
    else if (answered === 2) response.end('{"jobs":[],"queueLength":0,"processing":false}')
    else answer(response, request)
  })
  const { ending, results, leftJobs } = await runChecks(await listening(server), { faster: 20 })
  expect(ending).toEqual({ kind: 'done' })
  expect(leftJobs).toEqual([])
  expect(results.filter(({ outcome }) => outcome === 'failed').length).toBeGreaterThanOrEqual(3)
  expect(results.every(({ outcome, detail }) => outcome === 'passed' || detail !== '')).toBe(true)
})

it('something that isn’t HTTP', async () => {
  const baseUrl = await listening(
    createRawServer((socket) => void socket.on('error', () => undefined).end('SSH-2.0\r\n')),
  )
  const { ending } = await runChecks(baseUrl, { faster: 20 })
  expect(ending).toMatchObject({
    kind: 'notReachable',
    message: 'The service sent something that is not HTTP.',
  })
})

it('a service that names the job of another client isn’t asked to cancel it', async () => {
  const theirs = {
    jobId: 'theirs',
    status: 'completed',
    type: 'single',
    preset: 'basic',
    progress: {},
    createdAt: '',
    startedAt: null,
    completedAt: null,
  }
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    if (request.url === '/api/health') response.end(HEALTH)
    else if (request.method === 'GET') {
      response.end(JSON.stringify({ jobs: [theirs], queueLength: 0, processing: false }))
    } else response.writeHead(202).end(JSON.stringify({ ...theirs, status: 'queued' }))
  })
  await runChecks(await listening(server), { faster: 20 })
  expect(asked.filter((one) => one.startsWith('DELETE'))).not.toContain('DELETE /api/jobs/theirs')
  expect(asked).not.toContain('DELETE /api/jobs')
})
