import { describe, expect, it } from 'vitest'
import { createStateStore, feedChanges } from '../../../src/main/state/state.ts'
import type { AppState, StateChange } from '../../../src/shared/model/app-state.ts'
import { emptyState } from './empty-state.ts'

function timers() {
  const waiting: (() => void)[] = []
  return {
    setTimer: (run: () => void) => waiting.push(run),
    clearTimer: () => waiting.splice(0),
    elapse: () => waiting.splice(0).forEach((run) => run()),
    count: () => waiting.length,
  }
}

describe('the state store', () => {
  it('tells nobody when a slice is set to what it already is', () => {
    const store = createStateStore(emptyState)
    let told = 0
    store.onChange(() => (told += 1))
    store.set({ jobs: emptyState.jobs, unseen: 0 })
    expect(told).toBe(0)
    expect(store.snapshot().version).toBe(0)
  })

  it('keeps the slices that did not change, so that a reader can compare by identity', () => {
    const store = createStateStore(emptyState)
    store.set({ unseen: 2 })
    expect(store.get().jobs).toBe(emptyState.jobs)
    expect(store.get().unseen).toBe(2)
  })

  it('shows a listener the state before as well', () => {
    const store = createStateStore(emptyState)
    const seen: [AppState, AppState][] = []
    store.onChange((state, before) => seen.push([state, before]))
    store.set({ unseen: 1 })
    expect(seen.map(([state, before]) => [state.unseen, before.unseen])).toEqual([[1, 0]])
  })
})

describe('a slice that is made later', () => {
  it('is made and told once for a thousand changes of one turn', async () => {
    const store = createStateStore(emptyState)
    let made = 0
    let told = 0
    store.onChange(() => (told += 1))
    const make = () => ({ unseen: (made += 1) })
    for (let n = 0; n < 1_000; n += 1) store.setLater(make)
    expect([made, told]).toEqual([0, 0])
    await new Promise(setImmediate)
    expect([made, told]).toEqual([1, 1])
  })

  it('is there for who asks in the same turn', () => {
    const store = createStateStore(emptyState)
    store.setLater(() => ({ unseen: 3 }))
    expect(store.get().unseen).toBe(3)
    expect(store.snapshot().version).toBe(1)
  })
})

describe('the change feed', () => {
  it('puts a hundred quick changes into one, with only the slices that are new', () => {
    const store = createStateStore(emptyState)
    const clock = timers()
    const sent: StateChange[] = []
    feedChanges(store, { interval: 100, ...clock, send: (change) => sent.push(change) })
    for (let unseen = 1; unseen <= 100; unseen += 1) store.set({ unseen })
    expect(sent).toEqual([])
    clock.elapse()
    expect(sent).toEqual([{ since: 0, version: 100, slices: { unseen: 100 } }])
  })

  it('sends nothing when a change was taken back before its turn', () => {
    const store = createStateStore(emptyState)
    const clock = timers()
    const sent: StateChange[] = []
    feedChanges(store, { interval: 100, ...clock, send: (change) => sent.push(change) })
    store.set({ unseen: 1 })
    store.set({ unseen: 0 })
    clock.elapse()
    expect(sent).toEqual([])
  })

  it('sends nothing after it has ended', () => {
    const store = createStateStore(emptyState)
    const clock = timers()
    const sent: StateChange[] = []
    const stop = feedChanges(store, { interval: 100, ...clock, send: (change) => sent.push(change) })
    store.set({ unseen: 1 })
    stop()
    clock.elapse()
    store.set({ unseen: 2 })
    expect(sent).toEqual([])
    expect(clock.count()).toBe(0)
  })
})
