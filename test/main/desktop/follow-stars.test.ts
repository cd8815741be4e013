import { beforeEach, expect, it } from 'vitest'
import { followStars } from '../../../src/main/desktop/file-managers/follow-stars.ts'
import type { EntryTrouble } from '../../../src/main/desktop/file-managers/write-entries.ts'
import { createStateStore, type StateStore } from '../../../src/main/state/state.ts'
import type { Presets } from '../../../src/shared/api/resources.ts'
import { emptyState } from '../state/empty-state.ts'

const PRESETS: Presets = { image: ['Web', 'Mail'], video: ['Clip'] }

let state: StateStore
let written: string[][]
let troubles: readonly EntryTrouble[]
let reported: EntryTrouble[]
let timers: { readonly ms: number; readonly run: () => void; isCancelled: boolean }[]
/** Lets the write that is under way end. */
let release: (() => void)[]
let holds: boolean

beforeEach(() => {
  state = createStateStore(emptyState)
  ;[written, troubles, reported, timers, release, holds] = [[], [], [], [], [], false]
})

const follow = () =>
  followStars({
    state,
    async write(presets) {
      written.push(presets.map(({ name }) => name))
      if (holds) await new Promise<void>((resolve) => release.push(resolve))
      return troubles
    },
    after(ms, run) {
      const timer = { ms, run, isCancelled: false }
      timers.push(timer)
      return () => (timer.isCancelled = true)
    },
    onTrouble: (trouble) => reported.push(trouble),
    log: () => {},
  })

const star = (...starredPresets: string[]) =>
  state.set({ settings: { ...state.get().settings, starredPresets } })
const offer = (presets: Presets | null) => state.set({ connection: { ...state.get().connection, presets } })
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('waits for the presets, so that entries from the last time stay until then', async () => {
  star('Web', 'Gone')
  follow()
  await settled()
  expect(written).toEqual([])
  offer(PRESETS)
  await settled()
  expect(written).toEqual([['Web']])
})

it('follows the stars even if the presets aren’t known', async () => {
  follow()
  star('Web')
  await settled()
  expect(written).toEqual([['Web']])
})

it('follows stars and presets, and ignores other changes', async () => {
  star('Web')
  offer(PRESETS)
  follow()
  await settled()
  state.set({ unseen: 3 })
  offer({ ...PRESETS })
  await settled()
  expect(written).toEqual([['Web']])
  offer({ image: ['Mail'], video: [] })
  await settled()
  star('Mail')
  await settled()
  star()
  await settled()
  expect(written).toEqual([['Web'], [], ['Mail'], []])
})

it('writes changes that arrive during a write together afterwards', async () => {
  offer(PRESETS)
  const stop = follow()
  await settled()
  holds = true
  star('Web')
  star('Web', 'Mail')
  star('Mail')
  await settled()
  expect(written).toEqual([[], ['Web']])
  holds = false
  release.splice(0).forEach((resolve) => resolve())
  await settled()
  expect(written).toEqual([[], ['Web'], ['Mail']])
  await stop()
})

it('reports an error once, and retries until it succeeds', async () => {
  offer(PRESETS)
  troubles = [{ path: '/x', message: 'EACCES' }]
  follow()
  await settled()
  timers.at(-1)?.run()
  await settled()
  expect(written).toEqual([[], []])
  expect(reported).toEqual([{ path: '/x', message: 'EACCES' }])
  expect(timers.map(({ ms }) => ms)).toEqual([60_000, 60_000])
  troubles = []
  star('Web')
  await settled()
  expect(timers.at(-1)?.isCancelled).toBe(true)
  troubles = [{ path: '/y', message: 'ENOSPC' }]
  star('Mail')
  await settled()
  expect(reported.map(({ path }) => path)).toEqual(['/x', '/y'])
})

it('stops once a write that is under way has ended', async () => {
  offer(PRESETS)
  holds = true
  const stop = follow()
  star('Web')
  let isOver = false
  const stopped = stop().then(() => (isOver = true))
  star('Mail')
  await settled()
  expect(isOver).toBe(false)
  release.splice(0).forEach((resolve) => resolve())
  await stopped
  expect(written).toEqual([[]])
})
