/** A service that does one thing wrong fails the check for it, with the section of the specification. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ALL_CHECKS } from '../../src/main/conformance/check-service.ts'
import { LIES } from './lies.ts'
import { type Proxy, startProxy } from './lying-proxy.ts'
import { runChecks } from './run-checks.ts'
import { type RunningService, startService } from './running-service.ts'

let service: RunningService
let proxy: Proxy
beforeAll(async () => {
  service = await startService()
  proxy = await startProxy(service.baseUrl)
})
afterAll(async () => {
  await proxy.close()
  await service.stop()
})

it.each(LIES)('a service that %s fails: %s', async (_lie, title, section, lie) => {
  await service.call('/jobs', { method: 'DELETE' })
  proxy.tell(lie)
  const { results, leftJobs } = await runChecks(proxy.baseUrl, { titles: [title] })
  proxy.tell(() => undefined)
  expect(results).toEqual([
    { section, title, outcome: 'failed', detail: expect.stringMatching(/^[a-z\d].+[^.]$/) },
  ])
  expect(leftJobs).toEqual([])
  // The job with the original ID, if the service named another one.
  await service.idle()
})

it('every check has a service that fails it', () => {
  const lies = new Set(LIES.map(([, title]) => title))
  const untested = ALL_CHECKS.filter(({ title }) => !lies.has(title)).map(({ title }) => title)
  expect(untested).toEqual([])
})
