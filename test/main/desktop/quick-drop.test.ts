import { beforeEach, describe, expect, it } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import { createQuickDrop, UNDO_GRACE_MS } from '../../../src/main/desktop/launch/quick-drop.ts'
import { offlineCore, recordingWindow } from './offline-core.ts'

let core: Core
let photo: (name: string) => Promise<string>
let text: (name: string) => Promise<string>
let asked: unknown[]
let drop: (paths: readonly string[]) => Promise<void>

beforeEach(async () => {
  const hand = await offlineCore()
  const noting = recordingWindow()
  ;({ core, photo, text } = hand)
  ;({ asked } = noting)
  drop = createQuickDrop(core, noting.window)
})

const onDesk = () => {
  const { source, rejected } = core.state.get().draft
  return { taken: source.kind === 'files' ? source.items.length : 0, refused: rejected.length }
}
const added = (taken: number, refused: number) => [
  'show',
  ['show', { place: 'newJob' }],
  ['toast', { kind: 'added', taken, refused }],
]

it('adds files to the draft and reports how many, without starting a job', async () => {
  await drop([await photo('a.jpg'), await text('b.txt')])
  expect(onDesk()).toEqual({ taken: 1, refused: 1 })
  expect(asked).toEqual(added(1, 1))
  expect(core.state.get().outbox).toEqual([])
})

describe('when files are set to start immediately', () => {
  beforeEach(() => void core.settings.update({ quickDrop: 'startAtOnce', variations: 3 }))

  it('starts files with the defaults rather than the draft’s settings, and lets the user undo that for a while', async () => {
    core.drafts.store.change({ variations: 7 })
    const before = Date.now()
    await drop([await photo('a.jpg'), await photo('b.jpg')])
    const [entry] = core.state.get().outbox
    expect(entry).toMatchObject({ files: 2, variations: 3, state: { kind: 'waiting' } })
    expect(asked).toEqual([['toast', { kind: 'startingSoon', ids: [entry?.id], files: 2, presets: [] }]])
    expect(onDesk()).toEqual({ taken: 0, refused: 0 })
    const notBefore = entry?.state.kind === 'waiting' ? (entry.state.notBefore ?? before + UNDO_GRACE_MS) : 0
    expect(notBefore).toBeGreaterThanOrEqual(before + UNDO_GRACE_MS)
  })

  it('adds the usable files to the draft if any of the files is unusable', async () => {
    await drop([await photo('a.jpg'), await text('b.txt')])
    expect(core.state.get().outbox).toEqual([])
    expect(onDesk()).toEqual({ taken: 1, refused: 1 })
    expect(asked).toEqual(added(1, 1))
  })

  it('doesn’t start anything if no files were dropped', async () => {
    await drop([])
    expect(core.state.get().outbox).toEqual([])
    expect(asked).toEqual(added(0, 0))
  })

  it('adds files to the draft if they can’t be started without changes', async () => {
    core.settings.update({ defaultOutput: { kind: 'folder', path: 'relative' } })
    await drop([await photo('a.jpg')])
    expect(core.state.get().outbox).toEqual([])
    expect(onDesk()).toEqual({ taken: 1, refused: 0 })
    expect(asked).toEqual(added(1, 0))
  })
})
