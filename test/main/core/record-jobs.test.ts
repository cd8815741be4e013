import { join } from 'node:path'
import { expect, it } from 'vitest'
import { recordJobs } from '../../../src/main/core/record-jobs.ts'
import type { ServiceJob } from '../../../src/shared/api/resources.ts'
import { KEY, scriptedService } from '../cli/scripted-service.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import { nextEnd, openTestCore, openUntilEnd, samples, startDraft, stateWhen } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const result = (name: string) => ({ file: `${name}.jpg`, outputPath: `/out/${name}.jpg` })
const draft = draftOfFiles([join(samples, 'dawn-upright.jpg')], {
  presets: [],
  output: { kind: 'folder', path: '/out' },
})

it('results that a service adds to a job after it is canceled are recorded, also by a later process', async () => {
  let reading: Partial<ServiceJob> = { status: 'processing', type: 'batch' }
  const service = await scriptedService({ reading: () => reading })
  const folder = temporaryFolder()
  const core = await openTestCore(folder)
  const use = async (one: typeof core) => {
    await one.connection.useExternal({ baseUrl: service.baseUrl, key: KEY, keep: 'session' })
    await stateWhen(one, ({ connection }) => connection.state.status === 'online')
  }
  await use(core)
  const id = await startDraft(core, draft)
  await stateWhen(core, ({ jobs }) => jobs.length === 1)
  const ended = nextEnd(core)
  reading = { status: 'cancelled', type: 'batch', results: [result('a')] }
  core.tracker.pollSoon()
  const { endedAt } = await ended
  expect(core.history.details(id)?.outcome).toEqual({ kind: 'cancelled', results: 1 })

  const recorded = (one: typeof core) => {
    const record = one.history.details(id)
    return [record?.outcome, record?.results.map(({ outputPath }) => outputPath), record?.endedAt]
  }
  reading = { ...reading, results: [result('a'), result('b')] }
  core.tracker.pollSoon()
  const two = [{ kind: 'cancelled', results: 2 }, ['/out/a.jpg', '/out/b.jpg'], endedAt]
  await expect.poll(() => recorded(core)).toEqual(two)

  await core.close()
  reading = { ...reading, results: [result('a'), result('b'), result('c')] }
  const next = await openUntilEnd(folder)
  await use(next)
  await expect.poll(() => recorded(next)[0]).toEqual({ kind: 'cancelled', results: 3 })
})

it('results that a service adds to a canceled job are recorded once that service is in use', () => {
  const saved: unknown[] = []
  const connection = { kind: 'external', baseUrl: 'http://another' }
  const facts = { service: 'external', baseUrl: 'http://its-own' }
  const modules = {
    history: {
      cancelledJobs: () => ['id'],
      details: () => ({ facts, endedAt: 1, results: [], problems: [] }),
      recordResults: (_: string, results: unknown) => saved.push(results),
      recordOutcome: () => undefined,
    },
    connection: { view: () => connection },
  }
  const recorder = recordJobs(modules as never, {} as never, () => false)
  const job = { jobId: 'job', createdAt: '', status: 'cancelled', type: 'batch', results: [result('a')] }
  const poll = () => recorder.recordList({ jobs: [job] } as never, [])
  poll()
  expect(saved).toEqual([])
  connection.baseUrl = facts.baseUrl
  poll()
  poll()
  expect(saved).toMatchObject([[result('a')]])
})
