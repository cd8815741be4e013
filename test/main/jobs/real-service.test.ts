import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemTiming } from '../../../src/node/timing.ts'
import { createBuiltInService, spawnService } from '../../../src/main/connection/index.ts'
import { createTracker, type JobEvent } from '../../../src/main/jobs/index.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../../../src/main/service-api/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { SERVICE } from '../../entries.ts'
import { eventually } from '../connection/eventually.ts'
import { aTitle } from './simulated-service.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
const opened: (() => Promise<void> | void)[] = []

beforeEach(async () => {
  folder = temporaryFolder()
})
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function startService(): Promise<ServiceApi> {
  const service = createBuiltInService({
    spawn: spawnService(process.execPath, SERVICE, ['--disable-warning=ExperimentalWarning']),
    dataDir: join(folder, 'data'),
    timing: systemTiming,
  })
  opened.push(() => service.stop())
  service.start()
  const state = await eventually(
    () => service.state(),
    ({ kind }) => kind === 'running' || kind === 'failed',
  )
  const baseUrl = parseBaseUrl(state.kind === 'running' ? state.baseUrl : '')
  if (state.kind !== 'running' || !baseUrl.ok) throw new Error(JSON.stringify(state))
  const api = createServiceApi({ baseUrl: baseUrl.value, key: () => state.key })
  opened.push(() => api.close())
  return api
}

it('a job of the shipped service is followed until it ends', async () => {
  const api = await startService()
  const photo = join(folder, 'photo.png')
  await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .png()
    .toFile(photo)
  const outputFolder = join(folder, 'out')
  const events: JobEvent[] = []
  const tracker = createTracker({
    api: () => api,
    ...systemTiming,
    // Timers run in the same order as in the app, but sooner.
    after: (ms, run) => systemTiming.after(ms / 20, run),
    newId: () => asRecordId('somebody-else'),
    known: [],
    onUpdate: (update) => events.push(...update.events),
  })
  opened.push(() => tracker.close())

  const accepted = await api.createJob({ files: [photo], outputFolder })
  if (!accepted.ok) throw new Error(accepted.error.message)
  const { jobId, skipped } = accepted.value
  tracker.follow({ title: aTitle('ours'), jobId, skipped, acceptedAt: Date.now() })

  const over = await eventually(
    () => events.find((event) => event.kind === 'moved' && event.to === 'ended'),
    (event) => event !== undefined,
  )
  expect(over).toMatchObject({ id: 'ours', outcome: { kind: 'done', results: 1 } })
  expect(tracker.jobs()).toEqual([])
  expect(await readdir(outputFolder)).toHaveLength(1)
})
