/** The checks of `check-service` against the built-in service, and its responses against the description of the API. */
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiDescription } from '../../scripts/api-description.ts'
import { ALL_CHECKS, type CheckResult } from '../../src/main/conformance/check-service.ts'
import { createHttpServer } from '../../src/service/http/server.ts'
import { described } from '../api-description.ts'
import { type Proxy, startProxy } from './lying-proxy.ts'
import { authorized, rawRequest, statusOf } from './raw-request.ts'
import { runChecks } from './run-checks.ts'
import { type RunningService, startService } from './running-service.ts'
import { imageBytes } from './sample-files.ts'

let service: RunningService
let proxy: Proxy
let results: readonly CheckResult[]

beforeAll(async () => {
  service = await startService()
  proxy = await startProxy(service.baseUrl)
  // Other tests run checks at the same time.
  vi.stubEnv('TMPDIR', service.folder)
  const checked = await runChecks(proxy.baseUrl)
  expect(checked).toMatchObject({ ending: { kind: 'done' }, leftJobs: [] })
  vi.unstubAllEnvs()
  expect((await readdir(service.folder)).filter((name) => name.startsWith('mediatray-check-'))).toEqual([])
  results = checked.results
}, 300_000)
afterAll(async () => {
  await proxy.close()
  await service.stop()
})

describe('the built-in service passes the checks of check-service', () => {
  it.each(ALL_CHECKS.map(({ section, title }) => ({ section, title })))('$section: $title', (check) => {
    expect(results.find(({ title }) => title === check.title)).toEqual({
      ...check,
      outcome: 'passed',
      detail: '',
    })
  })

  it('no job of the checks is still in progress', async () => {
    expect(await service.list()).toMatchObject({ processing: false, queueLength: 0 })
  })
})

const { paths = {} } = apiDescription()
type Operation = { readonly responses: Record<string, { readonly content?: object }> }

/** Each operation with each status that the description has for it. */
const STATUSES = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).flatMap(([method, { responses }]) =>
    Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
  ),
)

/** Names the operation of a request, such as `GET /jobs/{jobId}`; undefined if there is none. */
function operationOf(method: string, path: string): string | undefined {
  const [plain = ''] = path.split('?')
  const known = Object.keys(paths).find((one) =>
    new RegExp(`^${one.replace('{jobId}', '[^/]+')}$`).test(plain),
  )
  const item = known === undefined ? {} : (paths[known] ?? {})
  return method.toLowerCase() in item ? `${method} ${known}` : undefined
}

function refOf(operation: string, status: number): string | undefined {
  const [method = '', path = ''] = operation.split(' ')
  const item = paths[path] as Record<string, Operation> | undefined
  const content = item?.[method.toLowerCase()]?.responses[status]?.content as
    | Record<string, { schema: { $ref?: string } }>
    | undefined
  return content?.['application/json']?.schema.$ref?.split('/').at(-1)
}

describe('docs/openapi.json describes the built-in service', () => {
  beforeAll(provokeInternalErrors, 60_000)

  it('every response has a status and a body that the description has for its operation', () => {
    const wrong = proxy.seen.flatMap(({ method, path, status, body, headers }) => {
      const operation = operationOf(method, path)
      if (operation === undefined) return []
      if (!STATUSES.includes(`${operation} ${status}`)) return [`${operation} answered ${status}`]
      const component = refOf(operation, status)
      if (component === undefined) {
        return headers['content-disposition'] === undefined ? [`${operation} has no file name`] : []
      }
      const check = described(component)
      return check(JSON.parse(body.toString('utf8')))
        ? []
        : [`${operation} ${status}: ${JSON.stringify(check.errors)}`]
    })
    expect(wrong).toEqual([])
  })

  it.each(STATUSES)('%s was provoked', (expected) => {
    const seen = proxy.seen.map(({ method, path, status }) => `${operationOf(method, path)} ${status}`)
    expect(seen).toContain(expected)
  })
})

const refresh = (): Promise<never> => Promise.reject(new Error('broken'))

/**
 * Provokes the errors that no client can cause alone: too many uploads at once, and presets that can't be read. No state of
 * its files makes the service fail, so the latter needs its HTTP server with a store of presets that fails.
 */
async function provokeInternalErrors(): Promise<void> {
  const enough = new AbortController()
  const unfinished =
    authorized(service.port, 'POST /api/upload') +
    'Content-Type: application/octet-stream\r\nX-Filename: a.jpg\r\nContent-Length: 100\r\n\r\n'
  const held = Array.from({ length: 65 }, () => rawRequest(service.port, unfinished, { stop: enough.signal }))
  expect(statusOf(await Promise.race(held))).toBe(500)
  await fetch(`${proxy.baseUrl}/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.key}`,
      'content-type': 'application/octet-stream',
      'x-filename': 'a.png',
    },
    body: new Uint8Array(await imageBytes('png')),
  })
  enough.abort()
  await Promise.all(held)

  const options = { apiKey: service.key, log: () => undefined, presets: { refresh } }
  const server = createHttpServer(options as unknown as Parameters<typeof createHttpServer>[0])
  const baseUrl = await server.listen({ port: 0, host: '127.0.0.1' })
  const failing = await startProxy(`${baseUrl}/api`)
  await fetch(`${failing.baseUrl}/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: '{}',
  })
  proxy.seen.push(...failing.seen)
  await failing.close()
  await server.close()
}
