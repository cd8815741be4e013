import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createEvents, type CoreEvents } from '../../../src/main/core/events.ts'
import { trackJobs } from '../../../src/main/core/track-jobs.ts'
import { createServiceApi, parseBaseUrl } from '../../../src/main/service-api/index.ts'
import type { Log } from '../../../src/node/log.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { listenUntilEnd } from '../../listen-until-end.ts'
import { emptyState } from '../state/empty-state.ts'
import { timing } from './open-core.ts'

it('reports each unreadable job once, however often it is listed', async () => {
  const named: unknown[] = []
  const log: Log = (event, facts) => named.push([event, facts['jobId']])
  const events = createEvents<CoreEvents>(log)
  let lists = 0
  events.on('listRead', () => (lists += 1))
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        jobs: [{ jobId: 'odd', preset: null }, { jobId: 'even-odder' }, { jobId: 'odd' }],
        queueLength: 0,
        processing: false,
      }),
    ),
  )
  const baseUrl = parseBaseUrl(`${await listenUntilEnd(server)}/api`)
  if (!baseUrl.ok) throw new Error(baseUrl.why)
  const api = createServiceApi({ baseUrl: baseUrl.value, key: () => 'key' })
  onTestFinished(() => api.close())
  const tracker = trackJobs({
    connection: { api: () => api, view: () => emptyState.connection, noteError: () => undefined },
    timing,
    newId: () => asRecordId('r'),
    known: [],
    mayBeOurs: () => false,
    record: { record: () => undefined, recordList: () => undefined },
    events,
    log,
  })
  onTestFinished(() => tracker.close())
  for (let n = 1; n <= 3; n += 1) {
    tracker.pollSoon()
    await expect.poll(() => lists).toBeGreaterThanOrEqual(n)
  }
  expect(named).toEqual([
    ['unreadable job', 'odd'],
    ['unreadable job', 'even-odder'],
  ])
})
