import { describe, expect, it } from 'vitest'
import { itemsOf } from '../../../src/main/drafts/index.ts'
import { createDraftStore } from '../../../src/main/drafts/draft-store.ts'
import { withFittingPreset } from '../../../src/main/drafts/draft-changes.ts'
import { splitByKind } from '../../../src/main/drafts/draft-changes.ts'
import type { Draft, NewJobChoices } from '../../../src/shared/model/draft.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'

const photo = (name: string): MediaItem => ({ path: `/p/${name}`, name, kind: 'image', size: 10 })
const video = (name: string): MediaItem => ({ path: `/p/${name}`, name, kind: 'video', size: 10 })
const defaults = {
  presets: ['Web 2048'],
  output: { kind: 'folder', path: '/out' },
  variations: 1,
  grouping: 'together',
  done: 'skip',
} as const

function store() {
  const seen: Draft[] = []
  return {
    seen,
    store: createDraftStore(
      () => defaults,
      (draft) => seen.push(draft),
    ),
  }
}

describe('the draft', () => {
  it('adds each file once, in order of arrival', () => {
    const { store: table, seen } = store()
    table.add([photo('a.jpg'), photo('b.jpg')], [])
    table.add([photo('b.jpg'), photo('c.jpg')], [])
    table.add([photo('a.jpg')], [])
    expect(itemsOf(table.view()).map((item) => item.name)).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
    expect(seen).toHaveLength(2)
  })

  it('restores the files that were removed or cleared last', () => {
    const { store: table } = store()
    table.add([photo('a.jpg'), photo('b.jpg')], [])
    table.removeFiles(['/p/a.jpg'])
    table.undo()
    expect(itemsOf(table.view())).toHaveLength(2)
    table.clear()
    expect(itemsOf(table.view())).toHaveLength(0)
    table.undo()
    expect(itemsOf(table.view())).toHaveLength(2)
  })

  it('is reset to the defaults once it is started, and can then no longer be restored', () => {
    const { store: table } = store()
    table.add([photo('a.jpg')], [])
    table.change({ presets: [], variations: 4 })
    table.started(table.key(), table.view())
    table.undo()
    expect(table.view()).toMatchObject({ presets: ['Web 2048'], variations: 1, source: { items: [] } })
  })

  it('shows the same choices until it is started or replaced', () => {
    let choices: NewJobChoices = 'tasks'
    const table = createDraftStore(
      () => ({ ...defaults, choices }),
      () => undefined,
    )
    table.add([photo('a.jpg')], [])
    choices = 'starred'
    table.defaultsChanged()
    expect(table.view().choices).toBe('tasks')
    const draft = table.view()
    table.started(table.key(), draft)
    expect(table.view().choices).toBe('starred')
    table.open(draft)
    expect(table.view().choices).toBe('starred')
  })

  it('switches from a Drive folder back to files when files are dropped', () => {
    const { store: table } = store()
    table.change({ driveInput: '1Zq8' })
    expect(table.view().source).toEqual({ kind: 'drive', folderId: '1Zq8' })
    table.add([photo('a.jpg')], [])
    expect(table.view().source).toEqual({ kind: 'files', items: [photo('a.jpg')] })
  })

  it('splits a mixed set by kind, and drops a preset that doesn’t cover a kind', () => {
    const { store: table } = store()
    table.add([photo('a.jpg'), video('b.mp4'), photo('c.png')], [])
    const parts = splitByKind(table.view()).map((part) =>
      withFittingPreset(part, { image: ['Web 2048'], video: [] }),
    )
    expect(parts.map((part) => [itemsOf(part).map((item) => item.name), part.presets])).toEqual([
      [['a.jpg', 'c.png'], ['Web 2048']],
      [['b.mp4'], []],
    ])
  })
})
