import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStateStore, feedChanges } from '../../../src/main/state/state.ts'
import type { AppState, StateChange } from '../../../src/shared/model/app-state.ts'
import { nextPiece } from '../../../src/main/state/list-difference.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { withChange } from '../../../src/shared/model/list-change.ts'
import type { PartAt } from '../../../src/shared/model/job.ts'
import { onlyPlace } from '../../../src/shared/model/job-state.ts'
import { emptyState } from './empty-state.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

function timers() {
  const waiting: (() => void)[] = []
  const set: number[] = []
  return {
    /** Delays of all timers that were set, in ms. */
    set,
    after: (ms: number, run: () => void) => {
      set.push(ms)
      waiting.push(run)
      return () => waiting.splice(0)
    },
    elapse: () => waiting.splice(0).forEach((run) => run()),
    count: () => waiting.length,
  }
}

function startFeed(initial: AppState = emptyState) {
  const store = createStateStore(initial)
  const clock = timers()
  const sent: StateChange[] = []
  const feed = feedChanges(store, { interval: 100, ...clock, send: (change) => sent.push(change) })
  return { store, clock, sent, feed }
}

describe('the state store', () => {
  it('doesn’t notify anyone when a slice is set to its current value', () => {
    const store = createStateStore(emptyState)
    let told = 0
    store.onChange(() => (told += 1))
    store.set({ jobs: emptyState.jobs, unseen: 0 })
    expect(told).toBe(0)
  })

  it('keeps the objects of unchanged slices, so that a reader can compare by identity', () => {
    const store = createStateStore(emptyState)
    store.set({ unseen: 2 })
    expect(store.get().jobs).toBe(emptyState.jobs)
    expect(store.get().unseen).toBe(2)
  })

  it('also passes the previous state to listeners', () => {
    const store = createStateStore(emptyState)
    const seen: [AppState, AppState][] = []
    store.onChange((state, before) => seen.push([state, before]))
    store.set({ unseen: 1 })
    expect(seen.map(([state, before]) => [state.unseen, before.unseen])).toEqual([[1, 0]])
  })
})

describe('a lazy slice', () => {
  it('is computed and reported once for a thousand changes in one tick', async () => {
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

  it('is available to readers in the same tick', () => {
    const store = createStateStore(emptyState)
    store.setLater(() => ({ unseen: 3 }))
    expect(store.get().unseen).toBe(3)
  })
})

describe('the change feed', () => {
  it('merges a hundred quick changes into one, with only the changed slices', () => {
    const { store, clock, sent } = startFeed()
    for (let unseen = 1; unseen <= 100; unseen += 1) store.set({ unseen })
    expect(sent).toEqual([])
    clock.elapse()
    expect(sent).toEqual([{ since: 0, version: 1, slices: { unseen: 100 } }])
  })

  it('sends the first change after a pause immediately, and later ones at the end of the interval', () => {
    const { store, clock, sent } = startFeed()
    store.set({ unseen: 1 })
    clock.elapse()
    expect(sent).toHaveLength(1)
    store.set({ unseen: 2 })
    store.set({ unseen: 3 })
    expect(sent).toHaveLength(1)
    clock.elapse()
    expect(sent[1]).toEqual({ since: 1, version: 2, slices: { unseen: 3 } })
    clock.elapse()
    expect(clock.count()).toBe(0)
    store.set({ unseen: 4 })
    const [atOnce = 100, ...others] = clock.set
    expect(atOnce).toBeLessThan(10)
    expect(others).toEqual([100, 100, atOnce])
  })

  it('sends nothing if a change was reverted before it was sent', () => {
    const { store, clock, sent } = startFeed()
    store.set({ unseen: 1 })
    store.set({ unseen: 0 })
    clock.elapse()
    expect(sent).toEqual([])
  })

  it('sends nothing after it has ended', () => {
    const { store, clock, sent, feed } = startFeed()
    store.set({ unseen: 1 })
    feed.end()
    clock.elapse()
    store.set({ unseen: 2 })
    expect(sent).toEqual([])
    expect(clock.count()).toBe(0)
  })

  it('continues from the last snapshot, and still sends changes to readers of an earlier snapshot', () => {
    const { store, clock, sent, feed } = startFeed()
    const before = feed.snapshot()
    store.set({ unseen: 1 })
    const after = feed.snapshot()
    expect(after.state.unseen).toBe(1)
    expect(sent).toEqual([{ since: before.version, version: after.version, slices: { unseen: 1 } }])
    clock.elapse()
    expect(sent).toHaveLength(1)
    store.set({ unseen: 2 })
    clock.elapse()
    expect(sent.at(-1)).toEqual({ since: after.version, version: after.version + 1, slices: { unseen: 2 } })
  })

  it('lets a reader of an earlier snapshot detect that a long outbox is sent again from the beginning', () => {
    const outbox = Array.from({ length: 1_001 }, (_, n) => entryOf(n))
    const { clock, sent, feed } = startFeed({ ...emptyState, outbox })
    const first = feed.snapshot()
    clock.elapse()
    feed.snapshot()
    clock.elapse()
    expect(sent[0]?.since).toBe(first.version)
    expect(sent.at(-1)?.since).not.toBe(sent[0]?.version)
  })
})

describe('a long outbox', () => {
  const LONG = 10_000
  const entries = Array.from({ length: LONG }, (_, n) => entryOf(n))

  /** A reader that records the number of entries in each change it receives. */
  function reader() {
    const store = createStateStore({ ...emptyState, outbox: entries })
    const clock = timers()
    const put: number[] = []
    let held: readonly PartAt<'outbox'>[] = []
    const feed = feedChanges(store, {
      interval: 100,
      ...clock,
      send({ outbox }) {
        if (outbox === undefined) return
        put.push(outbox.put.length)
        held = withChange(held, outbox)
      },
    })
    return {
      store,
      put,
      held: () => held,
      read: () => {
        held = feed.snapshot().state.outbox
        while (clock.count() > 0) clock.elapse()
      },
      elapse: () => clock.elapse(),
      waits: () => clock.count() > 0,
    }
  }

  it('is sent to the page in chunks', () => {
    const { read, put, held } = reader()
    read()
    expect(Math.max(...put)).toBe(1_000)
    expect(put).toHaveLength(9)
    expect(held()).toEqual(entries)
  })

  it('is updated with at most one entry when an entry is added, removed or changed', () => {
    const { read, put, held, store, elapse } = reader()
    read()
    put.length = 0
    const more = [...entries, entryOf(LONG)]
    for (const outbox of [more, more.slice(1), more.slice(1).with(77, { ...entryOf(78), name: 'other' })]) {
      store.set({ outbox })
      elapse()
      expect(held()).toEqual(outbox)
    }
    expect(put).toEqual([1, 0, 1])
  })

  itInLongSuite(
    'that changes completely is also sent in chunks, and parts that haven’t been sent yet keep their old content',
    () => {
      const { read, put, held, store, elapse, waits } = reader()
      read()
      put.length = 0
      const renewed = entries.map((entry) => ({ ...entry, name: 'new' }))
      store.set({ outbox: renewed })
      elapse()
      expect(held()).toEqual([...renewed.slice(0, 1_000), ...entries.slice(1_000)])
      while (waits()) elapse()
      expect(held()).toEqual(renewed)
      expect(Math.max(...put)).toBe(1_000)
    },
  )

  it('arrives completely, even if the state changes in the meantime', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(30))), fc.integer({ min: 1, max: 4 }), (lists, limit) => {
        let held: readonly PartAt<'outbox'>[] = []
        for (const [at, ids] of lists.entries()) {
          const now = [...new Set(ids)].map((id) => (id % 3 === 0 ? entryOf(id) : atTime(id, at)))
          for (let pieces = 0; pieces <= 40; pieces += 1) {
            const { list, change } = nextPiece(held, now, limit)
            if (change === undefined) break
            expect(change.put.length).toBeLessThanOrEqual(limit)
            held = withChange(held, change)
            expect(held).toEqual(list)
            expect(new Set(held.map(({ id }) => id)).size).toBe(held.length)
          }
          expect(held).toEqual(now)
        }
      }),
    )
  })
})

const known = new Map<string, PartAt<'outbox'>>()

/** Returns the same object each time it is called with the same number. */
function entryOf(n: number): PartAt<'outbox'> {
  const entry = known.get(String(n)) ?? made(n)
  known.set(String(n), entry)
  return entry
}
const atTime = (n: number, createdAt: number): PartAt<'outbox'> => ({ ...made(n), createdAt })

const made = (n: number): PartAt<'outbox'> => ({
  at: 'outbox',
  id: asRecordId(`r${n}`),
  name: `${n}.jpg`,
  firstPath: `/in/${n}.jpg`,
  photos: 1,
  videos: 0,
  files: 1,
  preset: null,
  variations: 1,
  output: { kind: 'folder', path: '/out' },
  driveInput: null,
  place: onlyPlace({ id: asRecordId(`r${n}`), photos: 1, videos: 0 }),
  origin: 'ours',
  createdAt: 0,
  state: { kind: 'waiting', because: 'turn', notBefore: null },
})
