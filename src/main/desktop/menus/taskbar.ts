/**
 * Shows a progress bar and a badge on the dock or taskbar. Both are derived from the state alone, so the progress bar never outlasts the
 * last job.
 */
import type { AppState } from '../../../shared/model/app-state.ts'
import { runningPart, stateOf, unfinishedJobs } from '../../../shared/model/job-state.ts'
import { shareOf } from '../../../shared/model/job-progress.ts'

export type TaskbarView = {
  /** 0..1; null for no bar; 'unknown' for an indeterminate bar. */
  readonly progress: number | 'unknown' | null
  /** Number of items that need the user's attention; 0 shows no badge. */
  readonly badge: number
}

export function taskbarView(state: AppState): TaskbarView {
  const items = unfinishedJobs(state)
  const current = items.find((item) => stateOf(item) === 'now' || runningPart(item) !== undefined)
  const undecided = items.filter((item) => stateOf(item) === 'unsure' || stateOf(item) === 'refused')
  return {
    progress: current === undefined ? null : (shareOf(current) ?? 'unknown'),
    badge: undecided.length + state.unseen,
  }
}

export type Taskbar = {
  /** As in Electron: a value below 0 clears the bar, a value above 1 makes it indeterminate. */
  setProgress(value: number): void
  setBadge(count: number): void
}

/**
 * Passes a value to the platform only if it has changed. On Windows, a changed progress also sets the badge again: a restart of Explorer
 * removes it, and Electron doesn't report that.
 */
export function followTaskbar(taskbar: Taskbar, platform: NodeJS.Platform) {
  const electronProgress = platform === 'linux' ? progressOfLauncher : progressOfWindow
  let shown: TaskbarView = { progress: null, badge: 0 }
  return {
    update(state: AppState): void {
      const view = taskbarView(state)
      const before = shown
      // Set first, so that progress or a badge that can't be shown isn't retried with each change.
      shown = view
      const isNewProgress = view.progress !== before.progress
      const mayLackBadge = platform === 'win32' && isNewProgress && view.badge !== 0
      try {
        if (isNewProgress) taskbar.setProgress(electronProgress(view.progress))
      } finally {
        if (view.badge !== before.badge || mayLackBadge) taskbar.setBadge(view.badge)
      }
    },
    /**
     * Restores progress and badge after the window is shown again. On Windows they belong to the window's taskbar button, which is
     * then a new one. On macOS and Linux the progress belongs to the whole app, but only a window can change it.
     */
    redraw(): void {
      if (shown.progress !== null) taskbar.setProgress(electronProgress(shown.progress))
      if (shown.badge !== 0) taskbar.setBadge(shown.badge)
    },
    /** Clears the progress before the window is destroyed, because only a window can clear it. */
    clear: (): void => taskbar.setProgress(electronProgress(null)),
  }
}

function progressOfWindow(progress: TaskbarView['progress']): number {
  if (progress === null) return -1
  return progress === 'unknown' ? 2 : progress
}

/**
 * Clamps the progress for Linux launchers. They can't show an indeterminate bar, and Electron hides the bar at 0, 1 and values
 * outside that range.
 */
function progressOfLauncher(progress: TaskbarView['progress']): number {
  if (progress === null) return -1
  return progress === 'unknown' ? LEAST_SEEN : Math.min(1 - LEAST_SEEN, Math.max(LEAST_SEEN, progress))
}

const LEAST_SEEN = 0.01
