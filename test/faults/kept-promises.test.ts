/** A fault must not corrupt a submission, an edit, a response or a record. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openHistory } from '../../src/main/history/index.ts'
import { realTiming, run } from '../main/cli/command.ts'
import { KEY, scriptedService } from '../main/cli/scripted-service.ts'
import { openUntilEnd } from '../main/core/open-core.ts'
import { acceptance, submissionOf } from '../main/history/sample-records.ts'
import { draftOfFiles } from '../main/outbox/drafts.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { createWorld } from './model/world.ts'

const HOW = { split: false, grace: 0 } as const

test('starting a job succeeds even if the settings can’t be written afterwards (point 2)', async () => {
  const core = await openUntilEnd(temporaryFolder())
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
  // Imitates a second click on Start that was already in flight.
  expect(await core.drafts.startDraft(draft, { ...HOW, key })).toEqual({ ok: true, ids: [], jobs: [] })
  expect(core.outbox.list()).toHaveLength(1)
})

test('inputs that an adopted job does not name are reported as problems (point 7)', async () => {
  const data = join(temporaryFolder(), 'data')
  mkdirSync(data)
  const results = ['a.jpg', 'b.jpg'].map((file) => ({ file, outputPath: `/o/${file}` }))
  const service = await scriptedService({
    others: 1,
    readings: [{ status: 'completed', type: 'batch', results, errors: [] }],
  })
  const history = openHistory({ file: join(data, 'history.db'), clock: Date.now, log: () => undefined })
  void history.recordAcceptedSubmission(submissionOf('r1', ['/in/a.jpg', '/in/b.jpg', '/in/c.jpg']), {
    ...acceptance,
    createdAt: '2026-01-01T00:00:00Z',
    baseUrl: service.baseUrl,
    acceptedAt: Date.parse('2026-01-01T00:00:00Z'),
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

/** Creates a job whose response arrives while the disk is full. */
async function respondedOntoFullDisk() {
  const world = createWorld()
  onTestFinished(() => world.close())
  await world.start()
  await world.submit()
  for (let steps = 0; world.service.made.length === 0 && steps < 100; steps += 1)
    await world.time.advance(0.5)
  // A request takes one millisecond in each direction.
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

describe('a full disk when the response to POST /jobs arrives (point 9)', () => {
  type World = Awaited<ReturnType<typeof respondedOntoFullDisk>>

  async function expectMadeOnce(world: World): Promise<void> {
    await world.time.advance(10 * 60_000)
    world.service.work()
    await world.time.advance(60_000)
    expect(world.service.made).toHaveLength(1)
    const records = world.core()?.history.page({}, { offset: 0, limit: 10 }).records
    expect(records?.map(({ outcome }) => outcome?.kind)).toEqual(['done'])
    expect(world.core()?.outbox.list()).toEqual([])
  }

  test('keeps the response in memory and writes it when there is space', async () => {
    const world = await respondedOntoFullDisk()
    world.disk.full = false
    await expectMadeOnce(world)
  })

  test('makes the app find the job again if the app is killed before there is space', async () => {
    const world = await respondedOntoFullDisk()
    world.kill()
    world.disk.full = false
    await world.start()
    await expectMadeOnce(world)
  })
})
