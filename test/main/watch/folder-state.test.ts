import { describe, expect, it } from 'vitest'
import { createFolderState, type Folder, type Tree } from '../../../src/main/watch/folder-state.ts'

const tree: Tree = { root: '/in', identity: '1:2', stop: () => Promise.resolve() }
const live: Folder = { kind: 'live', tree }

function begin() {
  const told: string[] = []
  let changes = 0
  let unreadable = false
  const state = createFolderState({
    hasUnreadable: () => unreadable,
    onTrouble: (kind) => told.push(kind),
    onChange: () => (changes += 1),
  })
  const lock = (isLocked: boolean) => {
    unreadable = isLocked
    state.notify()
  }
  return { state, told, changes: () => changes, lock }
}

describe('a folder’s problem', () => {
  const gone: Folder = { kind: 'absent', why: 'missing' }

  it('is reported once when it begins, however often it is seen, and again when it recurs', () => {
    const { state, told } = begin()
    expect(state.trouble()).toBeNull()
    state.set(gone)
    state.set({ ...gone })
    expect(state.trouble()).toBe('missing')
    expect(told).toEqual(['missing'])
    state.set(live)
    expect(state.trouble()).toBeNull()
    state.set(gone)
    expect(told).toEqual(['missing', 'missing'])
  })

  it('can be an unreadable file in a readable folder', () => {
    const { state, told, lock } = begin()
    state.set(live)
    lock(true)
    expect(state.trouble()).toBe('unreadable')
    lock(true)
    expect(told).toEqual(['unreadable'])
    state.set(gone)
    expect(told).toEqual(['unreadable', 'missing'])
  })

  it('causes no notification if the same state is set again', () => {
    const { state, changes, lock } = begin()
    state.set(live)
    expect([state.now(), changes()]).toEqual([live, 1])
    state.set(live)
    expect(changes()).toBe(1)
    lock(false)
    expect(changes()).toBe(2)
  })
})
