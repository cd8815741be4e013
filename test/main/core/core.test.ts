import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { mediaKindOf } from '../../../src/shared/media-types.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import {
  endOfDraft,
  nextEnd,
  openTestCore,
  openUntilEnd,
  samples,
  stateWhen,
  timing,
  useBuiltIn,
} from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

async function sampleItems(): Promise<MediaItem[]> {
  const names = await readdir(samples)
  return names.flatMap((name) => {
    const kind = mediaKindOf(name)
    return kind === undefined ? [] : [{ path: join(samples, name), name, kind, size: 1 }]
  })
}

/** A preset that doesn't search for a quality, which would take most of the time of a test. */
const PRESETS = ['Remove location']

const photosOf = (items: readonly MediaItem[]) => items.filter((item) => item.kind === 'image')

/** Returns the entries that other users could open if they could enter the folder. */
async function readableByOthers(folder: string, except: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isMeant = !except.includes(relative(folder, path).split(sep)[0] ?? '')
    if (isMeant && ((await stat(path)).mode & 0o077) !== 0) found.push(path)
  }
  return found
}

describe('the app without a window', () => {
  it('opens although the disk with its data is full, and keeps space for that again', async ({ skip }) => {
    const folder = temporaryFolder()
    using disk = smallDisk(folder, '16m')
    if (disk === undefined) return skip()
    await (await openTestCore(folder)).close()
    disk.fill()
    const core = await openTestCore(folder)
    expect(core.state.get().notices).toEqual([])
    expect(await readdir(folder)).not.toContain('reserve')
    await core.close()
    expect(await readdir(folder)).toContain('reserve')
  })

  it('reports damaged settings and the location of the copy until the user dismisses the notice', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'settings.json')
    await writeFile(file, '{"settings": {"connec')
    const core = await openUntilEnd(folder)
    expect(core.state.get().notices).toEqual([{ kind: 'settingsDamaged', keptAs: `${file}.damaged` }])
    core.notices.dismissDamage('settingsDamaged')
    expect(core.state.get().notices).toEqual([])
  })

  it('names settings that can’t be read until they are changed or the user dismisses the notice', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'settings.json')
    await writeFile(file, '{"settings": {"quiet": {"from": "25:00"}, "keepHistoryDays": 0, "later": 1}}')
    const core = await openUntilEnd(folder)
    expect(core.state.get().notices).toEqual([
      { kind: 'settingsUnread', names: ['keepHistoryDays', 'quiet.from'] },
    ])
    core.settings.update({ keepHistoryDays: 2 })
    expect(core.state.get().notices).toEqual([{ kind: 'settingsUnread', names: ['quiet.from'] }])
    core.notices.dismissDamage('settingsUnread')
    expect(core.state.get().notices).toEqual([])
    // Another process can write the file.
    await writeFile(file, '{"settings": {"quiet": {"from": "25:00"}, "grouping": 7}}')
    core.settings.update({ keepHistoryDays: 3 })
    expect(core.state.get().notices).toEqual([{ kind: 'settingsUnread', names: ['grouping'] }])
  })

  it.skipIf(process.platform === 'win32')('makes its data folder private', async () => {
    const folder = temporaryFolder()
    await chmod(folder, 0o755)
    await openUntilEnd(folder)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('takes photos from the draft to finished files, and records the job as soon as the service reports its end', async () => {
    const folder = temporaryFolder()
    const betweenPolls = 250
    const core = await openUntilEnd(folder, {
      ...timing,
      after: (ms, run) => (ms === betweenPolls ? () => undefined : timing.after(ms, run)),
    })
    const photos = photosOf(await sampleItems())
    expect(photos.length).toBeGreaterThan(1)

    await useBuiltIn(core)
    core.drafts.store.add(photos, [])
    core.drafts.store.change({ presets: PRESETS })
    const ended = nextEnd(core)
    expect(await core.drafts.start({ split: false, grace: 0 })).toMatchObject({ ok: true })
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
    await expect.poll(() => core.history.details(record.id)?.resultBytes).toBe(bytes)
    if (process.platform !== 'win32') expect(await readableByOthers(folder, ['out'])).toEqual([])
  })

  it('uploads photos to a service that can’t read them, and is done when the results are in the chosen folder', async () => {
    const folder = temporaryFolder()
    const core = await openUntilEnd(folder)
    await useBuiltIn(core)
    const phases = new Set<string | null>()
    core.state.onChange(({ jobs }) => {
      for (const job of jobs) phases.add(job.progress.phase)
    })
    await mkdir(join(folder, 'small'))
    for (const name of ['dawn-upright.jpg', 'mountain-lake.webp']) {
      const path = join(folder, 'small', name)
      await sharp(join(samples, name)).resize(120).toFile(path)
      core.drafts.store.add([{ path, name, kind: 'image', size: 1 }], [])
    }
    const output = join(folder, 'fetched')
    core.drafts.store.change({ output: { kind: 'folder', path: output } })
    const record = await endOfDraft(core, { upload: true })
    expect(record.outcome).toEqual({ kind: 'done', results: 2, uploaded: null })
    const names = (await readdir(output)).toSorted()
    expect(names).toEqual(['dawn-upright-make-smaller.jpg', 'mountain-lake-make-smaller.webp'])
    expect(record.results.map(({ outputPath }) => outputPath).toSorted()).toEqual(
      names.map((name) => join(output, name)),
    )
    expect(phases).toContain('Fetching results')
    expect(core.busy()).toBe(false)
    await stateWhen(core, ({ jobs }) => jobs.length === 0)
  })

  it('keeps a submission while no service is selected, and sends it once one is', async () => {
    const folder = temporaryFolder()
    const first = await openTestCore(folder)
    first.drafts.store.add(photosOf(await sampleItems()).slice(0, 1), [])
    first.drafts.store.change({ presets: PRESETS })
    const started = await first.drafts.start({ split: false, grace: 0 })
    expect(first.state.get().outbox.map((entry) => entry.state)).toEqual([
      { kind: 'waiting', because: 'unconfigured', notBefore: null },
    ])
    await first.close()

    const second = await openUntilEnd(folder)
    const [waiting] = second.state.get().outbox
    expect(started.ok && started.ids).toEqual([waiting?.id])
    const ended = nextEnd(second)
    second.connection.useBuiltIn()
    expect((await ended).id).toBe(waiting?.id)
    expect(await readdir(join(folder, 'out'))).toHaveLength(1)
  })

  it('explains why a draft can’t be started, and keeps it', async () => {
    const folder = temporaryFolder()
    const core = await openUntilEnd(folder)
    expect(await core.drafts.start({ split: false, grace: 0 })).toEqual({
      ok: false,
      problems: [{ code: 'noInput' }],
      draft: core.drafts.store.view(),
    })
    core.drafts.store.add(await sampleItems(), [])
    core.drafts.store.change({ output: { kind: 'folder', path: 'relative' } })
    expect(await core.drafts.start({ split: false, grace: 0 })).toEqual({
      ok: false,
      problems: [{ code: 'outputNotAbsolute', path: 'relative' }],
      draft: core.drafts.store.view(),
    })
    expect(core.state.get().draft.source).toMatchObject({ items: await sampleItems() })
  })
})
