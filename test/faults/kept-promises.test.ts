/** What a fault must not make of a start, an edit, an answer or a record. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openHistory } from '../../src/main/history/index.ts'
import { openOutbox, planDraft, type PlannedSubmission } from '../../src/main/outbox/index.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { realTiming, run } from '../main/cli/command.ts'
import { KEY, scriptedService } from '../main/cli/scripted-service.ts'
import { openTestCore, temporaryFolder } from '../main/core/open-core.ts'
import { submissionOf } from '../main/history/sample-records.ts'
import { draftOfFiles } from '../main/outbox/drafts.ts'
import { createWorld } from './model/world.ts'

const HOW = { split: false, grace: 0 } as const

test('a start is a start, though the settings can’t be written after it (point 2)', async () => {
  const core = await openTestCore(await temporaryFolder())
  onTestFinished(() => core.close())
  Object.assign(core.settings, {
    update() {
      throw new Error('the disk is full')
    },
  })
  const key = core.drafts.store.key()
  const draft = draftOfFiles(['/in/a.jpg'])
  core.drafts.store.open(draft)
  expect(await core.drafts.start(HOW)).toMatchObject({ ok: true })
  expect(core.state.get().draft.source).toEqual({ kind: 'files', items: [] })
  // A second press of Start that was on its way already.
  expect(await core.drafts.startDraft(draft, { ...HOW, key })).toEqual({ ok: true, ids: [] })
  expect(core.outbox.list()).toHaveLength(1)
})

describe('what is edited while another process sends (point 5)', () => {
  let ids = 0
  function twoProcesses() {
    const folder = mkdtempSync(join(tmpdir(), 'mediatray-edit-'))
    const open = () =>
      openOutbox({
        file: join(folder, 'outbox.db'),
        clock: () => 1_000,
        ids: () => asRecordId(`r${(ids += 1)}`),
      })
    const [command, app] = [open(), open()]
    onTestFinished(() => {
      app.close()
      rmSync(folder, { recursive: true })
    })
    command.claim()
    void app.enqueue([planOf('/in/a.jpg')])
    const [submission] = app.list()
    if (submission === undefined) throw new Error('it is in the outbox')
    return { command, app, id: submission.id }
  }

  test('stays held when the one who edits it takes over the sending', async () => {
    const { command, app, id } = twoProcesses()
    app.edit(id)
    command.close()
    expect(app.claim()).toBe(true)
    expect(app.nextDue(1_000)).toBeUndefined()
    expect(await app.replace(id, [planOf('/in/b.jpg')])).toHaveLength(1)
    expect(app.list().map(({ title }) => title.name)).toEqual(['b.jpg'])
  })

  test('is sent once more by nobody where it was sent in the meantime', async () => {
    const { command, app, id } = twoProcesses()
    const attempt = {
      at: 1,
      service: 's',
      baseUrl: 's',
      connection: 'external',
      known: [],
      uploaded: null,
    } as const
    command.beginSending(id, { ...attempt, known: [] })
    expect(app.edit(id)).toBeUndefined()
    expect(await app.replace(id, [planOf('/in/b.jpg')])).toBeUndefined()
    expect(app.list().map(({ title }) => title.name)).toEqual(['a.jpg'])
    command.close()
  })
})

function planOf(path: string): PlannedSubmission {
  const plan = planDraft(draftOfFiles([path]), { presets: null, drive: null, seesFiles: true })
  const submission = plan.ok ? plan.submissions[0] : undefined
  if (submission === undefined) throw new Error('it can be planned')
  return submission
}

test('inputs that an adopted job names nowhere are problems (point 7)', async () => {
  const data = join(await temporaryFolder(), 'data')
  mkdirSync(data)
  const service = await scriptedService({
    others: 1,
    readings: [
      {
        status: 'completed',
        type: 'batch',
        results: [
          { file: 'a.jpg', outputPath: '/o/a.jpg' },
          { file: 'b.jpg', outputPath: '/o/b.jpg' },
        ],
        errors: [],
      },
    ],
  })
  onTestFinished(() => service.close())
  const history = openHistory({ file: join(data, 'history.db'), clock: Date.now, log: () => undefined })
  history.recordSubmission(submissionOf('r1', ['/in/a.jpg', '/in/b.jpg', '/in/c.jpg']))
  history.recordAccepted(asRecordId('r1'), {
    jobId: 'job-1',
    createdAt: '2026-01-01T00:00:00Z',
    baseUrl: service.baseUrl,
    connection: 'external',
    acceptedAt: Date.parse('2026-01-01T00:00:00Z'),
    adopted: true,
    skipped: [],
  })
  history.close()
  const env = { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data }
  const { events } = await run(['history', '--json', '--base-url', service.baseUrl], {
    env,
    timing: realTiming,
  })
  expect(events[0]?.['record']).toMatchObject({
    outcome: { kind: 'problems', results: 2, problems: 1 },
    problems: [{ file: expect.stringContaining('c.jpg') }],
  })
})

/** The job is made, and its answer comes when nothing can be written. */
async function answeredOntoFullDisk() {
  const world = createWorld()
  onTestFinished(() => world.close())
  world.start()
  await world.submit()
  for (let steps = 0; world.service.made.length === 0 && steps < 100; steps += 1)
    await world.time.advance(0.5)
  // A request takes a millisecond each way.
  world.disk.full = true
  await world.time.advance(60_000)
  expect(
    world
      .core()
      ?.outbox.list()
      .map(({ state }) => state.kind),
  ).toEqual(['sending'])
  return world
}

describe('a full disk when the answer to POST /jobs has to be written (point 9)', () => {
  type World = Awaited<ReturnType<typeof answeredOntoFullDisk>>

  async function expectMadeOnce(world: World): Promise<void> {
    await world.time.advance(10 * 60_000)
    world.service.work()
    await world.time.advance(60_000)
    expect(world.service.made).toHaveLength(1)
    const records = world.core()?.history.page({}, { offset: 0, limit: 10 }).records
    expect(records?.map(({ outcome }) => outcome?.kind)).toEqual(['done'])
    expect(world.core()?.outbox.list()).toEqual([])
  }

  test('keeps it in memory, and writes it when there is room', async () => {
    const world = await answeredOntoFullDisk()
    world.disk.full = false
    await expectMadeOnce(world)
  })

  test('finds the job again where the app is killed before there is room', async () => {
    const world = await answeredOntoFullDisk()
    world.kill()
    world.disk.full = false
    world.start()
    await expectMadeOnce(world)
  })
})
