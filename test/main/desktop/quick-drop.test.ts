import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import {
  createQuickDrop,
  UNDO_GRACE_MS,
  type QuickDrop,
} from '../../../src/main/desktop/launch/quick-drop.ts'
import { offlineCore, recordingWindow } from './offline-core.ts'

let core: Core
let photo: (name: string) => Promise<string>
let text: (name: string) => Promise<string>
let asked: unknown[]
let told: unknown[]
let quickDrop: QuickDrop
const drop = (paths: readonly string[]) => quickDrop.add(paths)

beforeEach(async () => {
  const hand = await offlineCore()
  const noting = recordingWindow()
  ;({ core, photo, text } = hand)
  ;({ asked } = noting)
  told = []
  core.events.on('filesAdded', (counts) => asked.push(['added', counts]))
  quickDrop = createQuickDrop({
    ...core,
    window: noting.window,
    tellStarting: (starting) => told.push(starting),
    tellProblem: (problem) => told.push(problem),
  })
})

/** Nothing was started, and the draft has this many files. */
function expectOnlyDraft(taken: number, refused: number): void {
  const { source, rejected } = core.state.get().draft
  expect([source.kind === 'files' ? source.items.length : 0, rejected.length]).toEqual([taken, refused])
  expect(core.state.get().outbox).toEqual([])
}
const added = (taken: number, refused: number) => [
  'show',
  ['show', { place: 'newJob' }],
  ['added', { taken, refused }],
]

describe('when files are set to start immediately', () => {
  const defaults = { defaultPresets: ['Dataset'], variations: { Dataset: 3 } }
  beforeEach(() => void core.settings.update({ quickDrop: 'startAtOnce', ...defaults }))

  it('starts files with the defaults rather than the draft’s settings, and lets the user undo that for a while', async () => {
    core.drafts.store.change({ variations: 7 })
    const before = Date.now()
    await drop([await photo('a.jpg'), await photo('b.jpg')])
    const [entry] = core.state.get().outbox
    expect(entry).toMatchObject({ files: 2, variations: 3, state: { kind: 'waiting' } })
    expect(told).toEqual([
      { kind: 'startingSoon', ids: [entry?.id], photos: 2, videos: 0, skipped: 0, presets: ['Dataset'] },
    ])
    expect(asked).toEqual([])
    expect(core.state.get().draft).toMatchObject({ source: { items: [] }, rejected: [] })
    const notBefore = entry?.state.kind === 'waiting' ? (entry.state.notBefore ?? before + UNDO_GRACE_MS) : 0
    expect(notBefore).toBeGreaterThanOrEqual(before + UNDO_GRACE_MS)
  })

  it('adds the usable files to the draft if any of the files is unusable', async () => {
    await drop([await photo('a.jpg'), await text('b.txt')])
    expectOnlyDraft(1, 1)
    expect(asked).toEqual(added(1, 1))
  })

  it('doesn’t start anything if no files were dropped', async () => {
    await drop([])
    expectOnlyDraft(0, 0)
    expect(asked).toEqual(added(0, 0))
  })

  it('adds files to the draft if they can’t be started without changes', async () => {
    core.settings.update({ defaultOutput: { kind: 'folder', path: 'relative' } })
    await drop([await photo('a.jpg')])
    expectOnlyDraft(1, 0)
    expect(asked).toEqual(added(1, 0))
  })
})

describe('with defaults for originals', () => {
  beforeEach(() => void core.settings.update({ quickDrop: 'startAtOnce' }))

  it('saves next to the originals', async () => {
    core.settings.update({ defaultOriginals: { kind: 'beside', subfolder: 'Web' } })
    const path = await photo('a.jpg')
    await drop([path])
    expect([...core.outbox.pages()].flat().map(({ plan }) => plan.output)).toEqual([
      { kind: 'folder', path: join(dirname(path), 'Web') },
    ])
  })
})

/** The presets that the service offers. */
const offer = (image: readonly string[], video: readonly string[] = []) => {
  const view = core.connection.view()
  core.connection.view = () => ({ ...view, presets: { image: [...image], video: [...video] } })
}
const pick = (paths: readonly string[], ...presets: readonly string[]) =>
  quickDrop.startWith({ presets, paths })

describe('files picked with a preset', () => {
  it('start nothing and show why if the preset isn’t for them', async () => {
    offer([], ['Clip'])
    await pick([await photo('a.jpg')], 'Clip')
    expect(told).toEqual([{ code: 'presetNotFor', preset: 'Clip', kind: 'photos' }])
    expect(core.settings.view().namedPresetJobs).toBe(0)
    expectOnlyDraft(0, 0)
  })

  it('start nothing and show why if none of them is a photo or video', async () => {
    offer(['Web'])
    await pick([await text('a.txt'), await text('b.txt')], 'Web')
    expect(told).toEqual([{ code: 'noMedia', files: 2 }])
    expect(asked).toEqual([])
    expectOnlyDraft(0, 0)
  })

  it('leave the presets of a job that the user is composing unchanged', async () => {
    offer(['Web'])
    await drop([await photo('composing.jpg')])
    await pick([await photo('a.jpg')], 'Gone')
    expect(core.state.get().draft.presets).toEqual(['Make smaller'])
    expectOnlyDraft(2, 0)
  })

  it('open the draft if only some of them can be used', async () => {
    offer(['Web'])
    await pick([await photo('a.jpg'), await text('b.txt')], 'Web')
    expect(core.state.get().draft.presets).toEqual(['Web'])
    expectOnlyDraft(1, 1)
  })

  it('choose the preset in the draft if there are no files', async () => {
    offer(['Web'])
    await pick([], 'Web')
    expect(core.state.get().draft.presets).toEqual(['Web'])
    expect(asked).toEqual(['show', ['show', { place: 'newJob' }]])
  })
})
