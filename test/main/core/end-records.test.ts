import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openHistory } from '../../../src/main/history/index.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import { openTestCore, samples, stateWhen, temporaryFolder } from './open-core.ts'

const draftInto = (folder: string): Draft => ({
  ...draftOfFiles([join(samples, 'dawn-upright.jpg')]),
  preset: null,
  output: { kind: 'folder', path: folder },
})

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

function idOf(started: { readonly ok: boolean; readonly ids?: readonly RecordId[] }): RecordId {
  const [id] = started.ids ?? []
  if (id === undefined) throw new Error('it was started')
  return id
}

it('an orderly end takes over what the built-in service says of its jobs, seen or not', async () => {
  const folder = await temporaryFolder()
  const out = join(folder, 'out')
  const core = await openTestCore(folder)
  core.connection.useBuiltIn()
  await stateWhen(core, ({ connection }) => connection.state.status === 'online')
  const id = idOf(await core.drafts.startDraft(draftInto(out), { split: false, grace: 0 }))
  await stateWhen(core, ({ jobs }) => jobs.length === 1)
  // From now on the app sees nothing of the job, until its service says it when it ends.
  core.tracker.suspend()
  await expect.poll(() => isThere(out), { timeout: 10_000 }).toBe(true)
  const api = core.connection.api()
  await expect
    .poll(async () => {
      const listed = await api?.jobs({})
      return listed?.ok === true ? listed.value.jobs[0]?.status : undefined
    })
    .toBe('completed')
  await core.close()
  const history = openHistory({ file: join(folder, 'history.db'), clock: Date.now, log: () => undefined })
  onTestFinished(() => history.close())
  const record = history.details(id)
  expect(record?.outcome).toEqual({ kind: 'done', results: 1, uploaded: null })
  expect(await isThere(record?.results[0]?.outputPath ?? '')).toBe(true)
})

it('the process that takes over the sending from another one ends what that one has left', async () => {
  const folder = await temporaryFolder()
  const command = await openTestCore(folder)
  const app = await openTestCore(folder)
  onTestFinished(() => app.close())
  const id = idOf(await command.drafts.startDraft(draftInto(join(folder, 'out')), { split: false, grace: 0 }))
  command.outbox.remove(id)
  await command.close()
  expect(app.history.details(id)?.outcome).toBeNull()
  await expect
    .poll(() => app.history.details(id)?.outcome, { timeout: 6_000 })
    .toEqual({ kind: 'cancelled', results: 0 })
})
