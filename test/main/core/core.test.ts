import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mediaKindOf } from '../../../src/shared/media-types.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import type { RecordDetails } from '../../../src/shared/model/work.ts'
import { openTestCore, samples, stateWhen, temporaryFolder, timing } from './open-core.ts'

async function sampleItems(): Promise<MediaItem[]> {
  const names = await readdir(samples)
  return names.flatMap((name) => {
    const kind = mediaKindOf(name)
    return kind === undefined ? [] : [{ path: join(samples, name), name, kind, size: 1 }]
  })
}

const photosOf = (items: readonly MediaItem[]) => items.filter((item) => item.kind === 'image')

describe('the app without a window', () => {
  it('says that its settings were damaged and where they are kept, until somebody has read it', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'settings.json')
    await writeFile(file, '{"settings": {"connec')
    const core = await openTestCore(folder)
    onTestFinished(() => core.close())
    expect(core.state.get().notices).toEqual([{ kind: 'settingsDamaged', keptAs: `${file}.damaged` }])
    core.notices.dismissDamage('settingsDamaged')
    expect(core.state.get().notices).toEqual([])
  })

  it('takes photos from the draft to finished files, and remembers them', async () => {
    const folder = await temporaryFolder()
    const core = await openTestCore(folder)
    onTestFinished(() => core.close())
    const photos = photosOf(await sampleItems())
    expect(photos.length).toBeGreaterThan(1)

    core.connection.useBuiltIn()
    await stateWhen(core, ({ connection }) => connection.state.status === 'online')
    core.drafts.store.add(photos, [])
    const ended = new Promise<RecordDetails>((resolve) => core.events.on('workFinished', resolve))
    const started = await core.drafts.start({ split: false, grace: 0 })
    expect(started.ok).toBe(true)
    expect(core.state.get().draft.source).toEqual({ kind: 'files', items: [] })

    const record = await ended
    expect(record.outcome).toEqual({ kind: 'done', results: photos.length, uploaded: null })
    expect(record.results.map((result) => result.outputPath)).toHaveLength(photos.length)
    expect(await readdir(join(folder, 'out'))).toHaveLength(photos.length)
    expect(core.history.page({}, { offset: 0, limit: 10 })).toMatchObject({
      total: 1,
      records: [{ id: record.id }],
    })
    expect(core.state.get()).toMatchObject({ jobs: [], outbox: [], unseen: 0 })
    const sizes = await Promise.all(
      record.results.map(async ({ outputPath }) => (await stat(outputPath)).size),
    )
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    await vi.waitFor(() => expect(core.history.details(record.id)?.resultBytes).toBe(bytes))
  })

  it('asks the built-in service when that says that a job has ended, and waits for no poll', async () => {
    const folder = await temporaryFolder()
    const betweenPolls = 250
    const core = await openTestCore(folder, {
      ...timing,
      after: (ms, run) => (ms === betweenPolls ? () => undefined : timing.after(ms, run)),
    })
    onTestFinished(() => core.close())
    core.connection.useBuiltIn()
    await stateWhen(core, ({ connection }) => connection.state.status === 'online')
    core.drafts.store.add(photosOf(await sampleItems()), [])
    const ended = new Promise<RecordDetails>((resolve) => core.events.on('workFinished', resolve))
    await core.drafts.start({ split: false, grace: 0 })
    expect((await ended).outcome).toMatchObject({ kind: 'done' })
  })

  it('keeps a submission while no service is chosen, and sends it once one is', async () => {
    const folder = await temporaryFolder()
    const first = await openTestCore(folder)
    first.drafts.store.add(photosOf(await sampleItems()).slice(0, 1), [])
    const started = await first.drafts.start({ split: false, grace: 0 })
    expect(first.state.get().outbox.map((entry) => entry.state)).toEqual([
      { kind: 'waiting', because: 'unconfigured', notBefore: null },
    ])
    await first.close()

    const second = await openTestCore(folder)
    onTestFinished(() => second.close())
    const [waiting] = second.state.get().outbox
    expect(started.ok && started.ids).toEqual([waiting?.id])
    const ended = new Promise<RecordDetails>((resolve) => second.events.on('workFinished', resolve))
    second.connection.useBuiltIn()
    expect((await ended).id).toBe(waiting?.id)
    expect(await readdir(join(folder, 'out'))).toHaveLength(1)
  })

  it('says why a draft can’t be started, and keeps it', async () => {
    const folder = await temporaryFolder()
    const core = await openTestCore(folder)
    onTestFinished(() => core.close())
    expect(await core.drafts.start({ split: false, grace: 0 })).toEqual({
      ok: false,
      problems: [{ code: 'noInput' }],
    })
    core.drafts.store.add(await sampleItems(), [])
    core.drafts.store.change({ output: { kind: 'folder', path: 'relative' } })
    expect(await core.drafts.start({ split: false, grace: 0 })).toEqual({
      ok: false,
      problems: [{ code: 'outputNotAbsolute', path: 'relative' }],
    })
    expect(core.state.get().draft.source).toMatchObject({ items: await sampleItems() })
  })

  it('gives a waiting submission back to the draft, and puts what replaces it in its place', async () => {
    const folder = await temporaryFolder()
    const core = await openTestCore(folder)
    onTestFinished(() => core.close())
    const [photo] = photosOf(await sampleItems())
    if (photo === undefined) throw new Error('there are no samples')
    for (const variations of [1, 2, 3]) {
      core.drafts.store.add([photo], [])
      core.drafts.store.change({ variations })
      await core.drafts.start({ split: false, grace: 0 })
    }
    const second = core.state.get().outbox[1]
    if (second === undefined) throw new Error('nothing waits')
    expect(core.drafts.edit(second.id)).toBe(true)
    core.drafts.store.change({ variations: 7 })
    await core.drafts.start({ split: false, grace: 0 })
    expect(core.state.get().outbox.map((entry) => entry.variations)).toEqual([1, 7, 3])
    expect(core.history.details(second.id)).toBeUndefined()
  })
})
