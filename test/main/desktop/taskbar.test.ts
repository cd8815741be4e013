import { expect, it } from 'vitest'
import { followTaskbar, taskbarView } from '../../../src/main/desktop/menus/taskbar.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import { emptyState } from '../state/empty-state.ts'
import { entry, queued, running, title, waiting } from './work-samples.ts'

const photo = title('a.jpg', 1)
const at = (share: number | null): AppState => ({
  ...emptyState,
  jobs: [queued(photo, 1), running(photo, share)],
})

it('shows how far the job is that runs or is being cancelled, and of no other', () => {
  expect(taskbarView(at(0.4)).progress).toBe(0.4)
  expect(taskbarView(at(0)).progress).toBe(0)
  expect(taskbarView(at(null)).progress).toBe('unknown')
  const cancelling = { ...running(photo, 0.4), stage: { kind: 'cancelling' } } as const
  expect(taskbarView({ ...emptyState, jobs: [cancelling] }).progress).toBe(0.4)
  const uploading = { ...running(photo, 1), stage: { kind: 'uploading' } } as const
  expect(taskbarView({ ...emptyState, jobs: [uploading, queued(photo, 1)] }).progress).toBeNull()
})

it('counts what needs the person', () => {
  const state: AppState = {
    ...emptyState,
    unseen: 2,
    outbox: [
      waiting(photo),
      entry(photo, { kind: 'sending', upload: null }),
      entry(photo, { kind: 'unknown', candidates: [], checking: false }),
      entry(photo, { kind: 'refused', message: '', why: 'invalid', skipped: [] }),
    ],
  }
  expect(taskbarView(state).badge).toBe(4)
})

function setUp() {
  const told: string[] = []
  const follower = followTaskbar({
    setProgress: (value) => told.push(`progress ${value}`),
    setBadge: (count) => told.push(`badge ${count}`),
  })
  return { told, follower }
}

it('tells the platform what is new, in its numbers, and clears on every end', () => {
  const { told, follower } = setUp()
  follower.update(emptyState)
  expect(told).toEqual([])
  for (const share of [null, null, 0.5, 0.5]) follower.update(at(share))
  follower.update({ ...emptyState, unseen: 1 })
  follower.update({ ...emptyState, unseen: 1 })
  follower.update(emptyState)
  expect(told).toEqual(['progress 2', 'progress 0.5', 'progress -1', 'badge 1', 'badge 0'])
})

it('takes the progress away before the window goes, and says all of it again to the next one', () => {
  const { told, follower } = setUp()
  follower.redraw()
  expect(told).toEqual([])
  follower.update({ ...at(0.5), unseen: 3 })
  told.length = 0
  follower.clear()
  expect(told).toEqual(['progress -1'])
  follower.redraw()
  expect(told).toEqual(['progress -1', 'progress 0.5', 'badge 3'])
})
