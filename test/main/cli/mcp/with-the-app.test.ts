/** Assistants while the app runs: the app sends what they submit, and treats it like any other job. */
import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Core } from '../../../../src/main/core/index.ts'
import { asRecordId } from '../../../../src/shared/model/ids.ts'
import type { PartDetails } from '../../../../src/shared/model/job.ts'
import { ownerInApp } from '../../../../src/main/cli/index.ts'
import { openTestApp } from '../../core/open-core.ts'
import { serveInTest } from '../command.ts'
import { ended, openSeparateAssistant, openDesk, PHOTO, type Assistant, type Desk } from './assistant.ts'
import { itInLongSuite } from '../../../faults/long-suite.ts'

let desk: Desk
let assistant: Assistant
let app: Core
beforeEach(async () => {
  desk = await openDesk()
  const { core, ...parts } = openTestApp(desk.data)
  app = core
  await serveInTest(desk.data, ownerInApp(core, parts))
  app.connection.useBuiltIn()
  await expect.poll(() => app.connection.view().state.status).toBe('online')
  assistant = await openSeparateAssistant(desk)
})

test('the app sends the job, marks it and reports its end', async () => {
  const reported: PartDetails[] = []
  app.events.on('jobFinished', (record) => reported.push(record))
  const job = await assistant.submit(desk.allowed)
  expect(await ended(assistant, job)).toMatchObject({ state: 'done', results: 1 })
  await expect.poll(() => reported).toMatchObject([{ id: job, by: 'assistant', outcome: { kind: 'done' } }])
  expect(await readdir(desk.output)).toEqual(['photo-basic.jpg'])
  const { records } = app.history.page({ by: 'assistant' }, { offset: 0, limit: 5 })
  expect(records.map(({ id }) => id)).toEqual([job])
})

itInLongSuite('the app cancels a running job for an assistant', async () => {
  const folder = join(desk.allowed, 'many')
  await mkdir(folder)
  for (let n = 0; n < 400; n++) await cp(PHOTO, join(folder, `${n}.jpg`))
  const job = await assistant.submit(folder)
  await expect.poll(() => app.state.get().jobs.find(({ id }) => id === job)?.by).toBe('assistant')
  await assistant.call('cancel', { job })
  expect(await ended(assistant, job)).toMatchObject({ state: 'cancelled' })
})

itInLongSuite(
  'a wait ends immediately when the user switches assistants off, and the job continues',
  async () => {
    app.quiet.pause('untilResumed')
    const job = await assistant.submit(desk.allowed)
    const waiting = assistant.call('wait', { job, seconds: 300 })
    const { assistants } = app.settings.view()
    app.settings.update({ assistants: { ...assistants, enabled: false } })
    expect((await waiting).text).toContain('Assistants are turned off')
    app.quiet.resume()
    await expect.poll(() => app.history.details(asRecordId(job))?.outcome?.kind).toBe('done')
  },
)
