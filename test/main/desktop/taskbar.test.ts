import { expect, it } from 'vitest'
import { followTaskbar, taskbarView } from '../../../src/main/desktop/menus/taskbar.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import { emptyState } from '../state/empty-state.ts'
import { entry, queued, running, title, waiting } from '../../part-samples.ts'

const photo = title('a.jpg', 1)
const other = title('b.jpg', 1)
const at = (share: number | null): AppState => ({
  ...emptyState,
  jobs: [queued(other, 1), running(photo, share)],
})

it('shows the progress of a job that is running or being canceled, but not of an uploading or queued job', () => {
  expect(taskbarView(at(0.4)).progress).toBe(0.4)
  expect(taskbarView(at(0)).progress).toBe(0)
  expect(taskbarView(at(null)).progress).toBe('unknown')
  const cancelling = { ...running(photo, 0.4), stage: { kind: 'cancelling' } } as const
  expect(taskbarView({ ...emptyState, jobs: [cancelling] }).progress).toBe(0.4)
  const uploading = { ...running(photo, 1), stage: { kind: 'uploading' } } as const
  expect(taskbarView({ ...emptyState, jobs: [uploading, queued(other, 1)] }).progress).toBeNull()
})

it('counts items that need the user', () => {
  const state: AppState = {
    ...emptyState,
    unseen: 2,
    outbox: [
      waiting(photo),
      entry(photo, { kind: 'sending', upload: null }),
      entry(other, { kind: 'unknown', candidates: [], checking: false }),
      entry(title('c.jpg', 1), { kind: 'refused', message: '', why: 'invalid', skipped: [] }),
    ],
  }
  expect(taskbarView(state).badge).toBe(4)
})

function setUp(platform: NodeJS.Platform = 'win32') {
  const told: string[] = []
  const follower = followTaskbar(
    {
      setProgress: (value) => told.push(`progress ${value}`),
      setBadge: (count) => told.push(`badge ${count}`),
    },
    platform,
  )
  return { told, follower }
}

it('passes only changes on to the platform, in its units, and clears values that no longer apply', () => {
  const { told, follower } = setUp()
  follower.update(emptyState)
  expect(told).toEqual([])
  for (const share of [null, null, 0.5, 0.5]) follower.update(at(share))
  follower.update({ ...emptyState, unseen: 1 })
  follower.update({ ...emptyState, unseen: 1 })
  follower.update(emptyState)
  expect(told).toEqual(['progress 2', 'progress 0.5', 'progress -1', 'badge 1', 'badge 0'])
})

it('keeps the progress bar visible on Linux, where launchers hide a bar at 0 and at 1 or more', () => {
  const { told, follower } = setUp('linux')
  for (const share of [null, 0, 0.5, 1]) follower.update(at(share))
  follower.update(emptyState)
  expect(told).toEqual(['progress 0.01', 'progress 0.01', 'progress 0.5', 'progress 0.99', 'progress -1'])
})

it('clears the progress before the window closes, and restores it for the next window', () => {
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

it.each([
  ['win32', ['progress 0.5', 'badge 3', 'progress 0.6', 'badge 3', 'progress -1', 'badge 3', 'badge 0']],
  ['darwin', ['progress 0.5', 'badge 3', 'progress 0.6', 'progress -1', 'badge 0']],
] as const)('on %s, shows the badge again if Explorer may have lost it', (platform, expected) => {
  const { told, follower } = setUp(platform)
  for (const share of [0.5, 0.6, 0.6]) follower.update({ ...at(share), unseen: 3 })
  follower.update({ ...emptyState, unseen: 3 })
  follower.update(emptyState)
  follower.update(at(0.5))
  expect(told).toEqual([...expected, 'progress 0.5'])
})

it('shows the badge even if the progress can’t be shown', () => {
  const badges: number[] = []
  const follower = followTaskbar(
    { setProgress: () => expect.fail('no window'), setBadge: (count) => badges.push(count) },
    'linux',
  )
  expect(() => follower.update({ ...at(0.5), unseen: 2 })).toThrow('no window')
  expect(badges).toEqual([2])
})
