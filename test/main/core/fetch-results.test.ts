/** A service that does not see this computer's files: what goes in is uploaded, what comes out is fetched. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { RecordDetails } from '../../../src/shared/model/work.ts'
import { openTestCore, samples, stateWhen, temporaryFolder } from './open-core.ts'

const item = (name: string) => ({ path: join(samples, name), name, kind: 'image' as const, size: 1 })

it('uploads photos, and is done when their results lie in the chosen folder', async () => {
  const folder = await temporaryFolder()
  const core = await openTestCore(folder)
  onTestFinished(() => core.close())
  core.connection.useBuiltIn()
  await stateWhen(core, ({ connection }) => connection.state.status === 'online')
  const phases = new Set<string | null>()
  core.state.onChange(({ jobs }) => {
    for (const job of jobs) phases.add(job.progress.phase)
  })
  core.drafts.store.add([item('dawn-upright.jpg'), item('mountain-lake.webp')], [])
  const output = join(folder, 'fetched')
  core.drafts.store.change({ output: { kind: 'folder', path: output } })
  const ended = new Promise<RecordDetails>((resolve) => core.events.on('workFinished', resolve))
  expect(await core.drafts.start({ split: false, grace: 0, upload: true })).toMatchObject({ ok: true })

  const record = await ended
  expect(record.outcome).toEqual({ kind: 'done', results: 2, uploaded: null })
  const names = (await readdir(output)).toSorted()
  expect(names).toEqual(['dawn-upright-basic.jpg', 'mountain-lake-basic.webp'])
  expect(record.results.map(({ outputPath }) => outputPath).toSorted()).toEqual(
    names.map((name) => join(output, name)),
  )
  expect(phases).toContain('Fetching results')
  expect(core.busy()).toBe(false)
  await stateWhen(core, ({ jobs }) => jobs.length === 0)
})
