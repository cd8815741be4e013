import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openHistory } from '../../../src/main/history/index.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import {
  openTestApp,
  openTestCore,
  openUntilEnd,
  samples,
  stateWhen,
  temporaryFolder,
  useBuiltIn,
} from './open-core.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const draftInto = (folder: string): Draft =>
  draftOfFiles([join(samples, 'dawn-upright.jpg')], {
    presets: [],
    done: 'skip',
    output: { kind: 'folder', path: folder },
  })

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

function idOf(started: { readonly ok: boolean; readonly ids?: readonly RecordId[] }): RecordId {
  const [id] = started.ids ?? []
  if (id === undefined) throw new Error('the start failed')
  return id
}

itInLongSuite(
  'the outcomes that the built-in service reports as it ends are recorded and told, even if the app hasn’t polled them',
  async () => {
    const folder = await temporaryFolder()
    const out = join(folder, 'out')
    const { core, builtIn } = openTestApp(folder)
    await useBuiltIn(core)
    const told: unknown[] = []
    core.events.on('partFinished', (record) => told.push(record.id))
    const id = idOf(await core.drafts.startDraft(draftInto(out), { split: false, grace: 0 }))
    await stateWhen(core, ({ jobs }) => jobs.length === 1)
    // From here on, the app learns about the job only when the service reports its end.
    core.tracker.suspend()
    await expect.poll(() => isThere(out), { timeout: 10_000 }).toBe(true)
    const api = core.connection.api()
    await expect
      .poll(async () => {
        const listed = await api?.jobs({})
        return listed?.ok === true ? listed.value.jobs[0]?.status : undefined
      })
      .toBe('completed')
    await builtIn.stop()
    expect(told).toEqual([id])
    await core.close()
    const history = openHistory({ file: join(folder, 'history.db'), clock: Date.now, log: () => undefined })
    onTestFinished(() => history.close())
    const record = history.details(id)
    expect(record?.outcome).toEqual({ kind: 'done', results: 1, uploaded: null })
    expect(await isThere(record?.results[0]?.outputPath ?? '')).toBe(true)
  },
)

it('an owner closes the history records that the previous one left open', async () => {
  const folder = await temporaryFolder()
  const command = await openTestCore(folder)
  const id = idOf(await command.drafts.startDraft(draftInto(join(folder, 'out')), { split: false, grace: 0 }))
  command.outbox.remove(id)
  await command.close()
  const app = await openUntilEnd(folder)
  await expect.poll(() => app.history.details(id)?.outcome).toEqual({ kind: 'cancelled', results: 0 })
})
