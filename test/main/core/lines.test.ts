import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startWatching, type Core } from '../../../src/main/core/index.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { startStubService, type StubService } from '../../e2e/support/stub-service.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import { closing, openTestApp, samples, startDraft, stateWhen, timing } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { watchFolder } from '../../watch-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const draftFor = (output: string, service?: string): Draft =>
  draftOfFiles([join(samples, 'dawn-upright.jpg')], {
    presets: [],
    output: { kind: 'folder', path: output },
    service,
  })

const watched = (path: string, output: string): WatchFolder =>
  watchFolder(path, join(output, 'out'), { grouping: 'together' })

async function stub(): Promise<StubService> {
  const service = await startStubService()
  onTestFinished(() => service[Symbol.asyncDispose]())
  return service
}

/** Opens a core that knows the services' keys until the test has finished. */
function open(folder: string, services: readonly StubService[]): Core {
  const { core: opened, keyStore } = openTestApp(folder)
  const core = closing(opened)
  for (const { baseUrl, key } of services) {
    keyStore.give(baseUrl, key)
    core.lines.to(baseUrl)?.connection.retry()
  }
  return core
}

/** Two services that number their jobs in the same way, and a core that uses both. */
async function twoServices() {
  const folder = temporaryFolder()
  const [main, other] = [await stub(), await stub()]
  const core = open(folder, [])
  const choice = { key: main.key, keep: 'session' } as const
  await core.connection.useExternal({ ...choice, baseUrl: main.baseUrl })
  expect(await core.lines.add({ ...choice, baseUrl: other.baseUrl })).toMatchObject({ ok: true })
  await stateWhen(core, ({ services: [one] }) => one?.state.status === 'online')
  return { folder, main, other, core }
}

const deletions = ({ requests }: StubService) => requests.filter((request) => request.startsWith('DELETE'))
const poll = (core: Core) => core.lines.all().forEach(({ tracker }) => tracker.pollSoon())

it('the key of another service is hidden from the log', async () => {
  const { core: opened, hidden } = openTestApp(temporaryFolder())
  const core = closing(opened)
  const { baseUrl, key } = await stub()
  expect(await core.lines.add({ baseUrl, key, keep: 'session' })).toMatchObject({ ok: true })
  expect(hidden).toContain(key)
})

itInLongSuite('the files of a watched folder go to its service', async () => {
  const { folder, main, other, core } = await twoServices()
  const inbox = join(folder, 'inbox')
  await mkdir(inbox)
  core.settings.update({ watchFolders: [{ ...watched(inbox, folder), service: other.baseUrl }] })
  const watch = startWatching({ core, timing, onTrouble: () => undefined, log: () => undefined })
  onTestFinished(() => watch.close())
  await watch.whenScanned()
  await copyFile(join(samples, 'dawn-upright.jpg'), join(inbox, 'new.jpg'))
  const { jobs } = await stateWhen(core, (state) => state.jobs.length === 1)
  expect(jobs).toMatchObject([{ service: other.baseUrl }])
  expect(main.requests).not.toContain('POST /jobs')
})

it('two services run jobs with the same id, each is canceled at its own, and another owner continues both', async () => {
  const { folder, main, other, core } = await twoServices()
  const here = await startDraft(core, draftFor(folder))
  const there = await startDraft(core, draftFor(folder, other.baseUrl))
  const kept = await startDraft(core, draftFor(folder, other.baseUrl))
  const { jobs } = await stateWhen(core, (state) => state.jobs.length === 3)
  expect(jobs.map(({ id, jobId, service }) => [id, jobId, service])).toEqual([
    [here, 'job-1', undefined],
    [there, 'job-1', other.baseUrl],
    [kept, 'job-2', other.baseUrl],
  ])
  expect(await core.cancelParts(there, 'job')).toMatchObject({ ok: true })
  expect([deletions(main), deletions(other)]).toEqual([[], ['DELETE /jobs/job-1']])
  await stateWhen(core, (state) => state.jobs.length === 2)
  await core.close()

  const next = open(folder, [main, other])
  await stateWhen(next, (state) => state.jobs.length === 2 && state.services.length === 1)
  for (const [service, number] of [
    [main, 1],
    [other, 2],
  ] as const)
    service.pose(number, { status: 'completed', completedAt: '2026-11-20T13:00:00Z', results: [] })
  poll(next)
  await stateWhen(next, (state) => state.jobs.length === 0)
  const services = [here, there, kept].map((id) => next.history.details(id)?.service)
  expect(services).toEqual([main.baseUrl, other.baseUrl, other.baseUrl])
  expect([main.jobs.length, other.jobs.length]).toEqual([1, 2])
})

it('a service that can’t be reached holds only its own jobs, which go to the main one when it is removed', async () => {
  const { folder, main, other, core } = await twoServices()
  const running = await startDraft(core, draftFor(folder, other.baseUrl))
  await stateWhen(core, (state) => state.jobs.length === 1)
  await other.close()
  poll(core)
  await stateWhen(core, ({ services: [one] }) => one?.state.status === 'offline')
  const waiting = await startDraft(core, draftFor(folder, other.baseUrl))
  await startDraft(core, draftFor(folder))
  const { outbox, notices } = await stateWhen(core, () => main.jobs.length === 1)
  expect(outbox).toMatchObject([{ id: waiting, service: other.baseUrl, state: { because: 'offline' } }])
  expect(notices).toEqual([{ kind: 'notRunning', waiting: 1, service: other.baseUrl }])

  core.lines.remove(other.baseUrl)
  const { jobs } = await stateWhen(core, () => main.jobs.length === 2)
  expect(jobs.map(({ id }) => id)).toContain(running)
  expect(core.state.get()).toMatchObject({ services: [], notices: [] })
  // Nothing is lost: what the removed service had accepted is followed until it ends.
  await other.open()
  other.pose(1, { status: 'completed', completedAt: '2026-11-20T13:00:00Z', results: [] })
  core.lines.other(other.baseUrl)?.connection.retry()
  await expect.poll(() => core.history.details(running)?.outcome).not.toBeNull()
  await expect.poll(() => core.lines.all().length).toBe(1)
})

itInLongSuite(
  'another service becomes the main one even if that is requested twice, and both keep their jobs',
  async () => {
    const { folder, main, other, core } = await twoServices()
    const ids = [
      await startDraft(core, draftFor(folder)),
      await startDraft(core, draftFor(folder, other.baseUrl)),
    ]
    await stateWhen(core, (state) => state.jobs.length === 2)
    await Promise.all([core.lines.makeMain(other.baseUrl), core.lines.makeMain(other.baseUrl)])
    const { jobs, services } = await stateWhen(
      core,
      (state) => state.connection.state.status === 'online' && state.jobs.length === 2,
    )
    expect(core.settings.view().otherServices.map(({ service }) => service)).toEqual([main.baseUrl])
    expect(core.state.get().connection.baseUrl).toBe(other.baseUrl)
    expect(services.map(({ baseUrl }) => baseUrl)).toEqual([main.baseUrl])
    expect(jobs.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    await startDraft(core, draftFor(folder))
    await expect.poll(() => other.jobs.length).toBe(2)
    expect(main.jobs.length).toBe(1)
  },
)

it('the built-in service, if it isn’t the main one, starts when a job chooses it', async () => {
  const folder = temporaryFolder()
  const main = await stub()
  const core = open(folder, [main])
  await core.connection.useExternal({ baseUrl: main.baseUrl, key: main.key, keep: 'session' })
  core.lines.addBuiltIn()
  const { services } = await stateWhen(core, (state) => state.services.length === 1)
  expect(services).toMatchObject([{ kind: 'builtIn', state: { status: 'unconfigured' } }])
  const id = await startDraft(core, draftFor(join(folder, 'out'), 'builtIn'))
  await expect
    .poll(() => core.history.details(id)?.outcome, { timeout: 20_000 })
    .toMatchObject({ kind: 'done' })
  expect(await readdir(join(folder, 'out'))).toHaveLength(1)
  expect(main.jobs).toEqual([])
})
