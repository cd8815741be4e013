import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openHistory } from '../../../src/main/history/index.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import {
  openTestApp,
  openTestCore,
  openUntilEnd,
  samples,
  startDraft,
  stateWhen,
  useBuiltIn,
} from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const draftInto = (folder: string): Draft =>
  draftOfFiles([join(samples, 'dawn-upright.jpg')], {
    presets: [],
    done: 'skip',
    output: { kind: 'folder', path: folder },
  })

itInLongSuite(
  'the outcomes that the built-in service reports as it ends are recorded and told, even if the app hasn’t polled them',
  async () => {
    const folder = temporaryFolder()
    const out = join(folder, 'out')
    const { core, builtIn } = openTestApp(folder)
    await useBuiltIn(core)
    const told: unknown[] = []
    core.events.on('partFinished', (record) => told.push(record.id))
    const id = await startDraft(core, draftInto(out))
    await stateWhen(core, ({ jobs }) => jobs.length === 1)
    // From here on, the app learns about the job only when the service reports its end.
    core.tracker.suspend()
    await expect.poll(() => existsSync(out), { timeout: 10_000 }).toBe(true)
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
    expect(existsSync(record?.results[0]?.outputPath ?? '')).toBe(true)
  },
)

it('an owner closes the history records that the previous one left open', async () => {
  const folder = temporaryFolder()
  const command = await openTestCore(folder)
  const id = await startDraft(command, draftInto(join(folder, 'out')))
  command.outbox.remove(id)
  await command.close()
  const app = await openUntilEnd(folder)
  await expect.poll(() => app.history.details(id)?.outcome).toEqual({ kind: 'cancelled', results: 0 })
})
