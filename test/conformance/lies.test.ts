/** A service that does one thing wrong fails the check for it, with the section of the specification. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ALL_CHECKS } from '../../src/main/conformance/check-service.ts'
import { isLongSuite, itInLongSuite } from '../faults/long-suite.ts'
import { LIES } from './lies.ts'
import { type Proxy, startProxy } from './lying-proxy.ts'
import { runChecks } from './run-checks.ts'
import { type RunningService, startService } from './running-service.ts'
import { writeImage } from './sample-files.ts'

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

/** `npm test` makes one mistake of so many, and those that are the same for several checks only once. */
const SAMPLED = 10

const MADE = LIES.filter(
  ({ name }, index) => isLongSuite || LIES.findIndex((other) => other.name === name) === index,
).filter((_, index) => isLongSuite || index % SAMPLED === 0)

it.each(MADE)('a service that $name fails: $title', async ({ title, section, lie }) => {
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

itInLongSuite('a service with jobs of other clients keeps them in its list', async () => {
  const photo = await writeImage(join(service.folder, 'in', 'photo.jpg'))
  const { jobId } = await service.accept({ filePath: photo, outputFolder: join(service.folder, 'out') })
  const theirs = await service.finished(jobId)
  const titles = ['DELETE /jobs returns 401 without the key', 'DELETE /jobs removes finished jobs']
  const { results } = await runChecks(proxy.baseUrl, { titles })
  for (const { outcome, detail } of results) {
    expect([outcome, detail]).toEqual(['notChecked', expect.stringContaining('other clients')])
  }
  expect(results).toHaveLength(2)
  expect(await service.job(jobId)).toEqual(theirs)
})

it('every check has a service that fails it', () => {
  const lies = new Set(LIES.map(({ title }) => title))
  const untested = ALL_CHECKS.filter(({ title }) => !lies.has(title)).map(({ title }) => title)
  expect(untested).toEqual([])
})
