import { beforeEach, describe, expect, it } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import { createQuickDrop, UNDO_GRACE_MS } from '../../../src/main/desktop/launch/quick-drop.ts'
import { coreAtHand, notingWindow } from './core-at-hand.ts'

let core: Core
let photo: (name: string) => Promise<string>
let text: (name: string) => Promise<string>
let asked: unknown[]
let drop: (paths: readonly string[]) => Promise<void>

beforeEach(async () => {
  const hand = await coreAtHand()
  const noting = notingWindow()
  ;({ core, photo, text } = hand)
  ;({ asked } = noting)
  drop = createQuickDrop({ ...core, window: noting.window })
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

it('lays files in the draft, says how many, and starts nothing', async () => {
  await drop([await photo('a.jpg'), await text('b.txt')])
  expect(onDesk()).toEqual({ taken: 1, refused: 1 })
  expect(asked).toEqual(added(1, 1))
  expect(core.state.get().outbox).toEqual([])
})

describe('where the settings say so', () => {
  beforeEach(() => void core.settings.update({ quickDrop: 'startAtOnce', variations: 3 }))

  it('files are started with the defaults, not with what lies in the draft, and can be taken back for a while', async () => {
    core.drafts.store.change({ variations: 7 })
    const before = Date.now()
    await drop([await photo('a.jpg'), await photo('b.jpg')])
    const [entry] = core.state.get().outbox
    expect(entry).toMatchObject({ files: 2, variations: 3, state: { kind: 'waiting' } })
    expect(asked).toEqual([['toast', { kind: 'startingSoon', ids: [entry?.id], files: 2, preset: null }]])
    expect(onDesk()).toEqual({ taken: 0, refused: 0 })
    const notBefore = entry?.state.kind === 'waiting' ? (entry.state.notBefore ?? before + UNDO_GRACE_MS) : 0
    expect(notBefore).toBeGreaterThanOrEqual(before + UNDO_GRACE_MS)
  })

  it('files with one that can’t be used go to the draft', async () => {
    await drop([await photo('a.jpg'), await text('b.txt')])
    expect(core.state.get().outbox).toEqual([])
    expect(onDesk()).toEqual({ taken: 1, refused: 1 })
    expect(asked).toEqual(added(1, 1))
  })

  it('nothing that can be used is started as nothing', async () => {
    await drop([])
    expect(core.state.get().outbox).toEqual([])
    expect(asked).toEqual(added(0, 0))
  })

  it('what can’t be started as it is goes to the draft', async () => {
    core.settings.update({ defaultOutput: { kind: 'folder', path: 'relative' } })
    await drop([await photo('a.jpg')])
    expect(core.state.get().outbox).toEqual([])
    expect(onDesk()).toEqual({ taken: 1, refused: 0 })
    expect(asked).toEqual(added(1, 0))
  })
})
