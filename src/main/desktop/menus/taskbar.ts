/** Progress and badge on the dock or taskbar: what they show follows from the state alone, and so they are cleared on every end. */
import type { AppState } from '../../../shared/model/app-state.ts'

export type TaskbarView = {
  /** 0..1; null: no bar; 'unknown': a bar that only moves. */
  readonly progress: number | 'unknown' | null
  /** What needs the person: 0 shows no badge. */
  readonly badge: number
}

export function taskbarView(state: AppState): TaskbarView {
  const current = state.jobs.find((job) => job.stage.kind === 'processing' || job.stage.kind === 'cancelling')
  const undecided = state.outbox.filter(({ state: { kind } }) => kind === 'unknown' || kind === 'refused')
  return {
    progress: current === undefined ? null : (current.progress.share ?? 'unknown'),
    badge: undecided.length + state.unseen,
  }
}

export type Taskbar = {
  /** Electron's numbers: below 0 clears, above 1 is indeterminate. */
  setProgress(value: number): void
  setBadge(count: number): void
}

export interface TaskbarFollower {
  update(state: AppState): void
  /**
   * Once the window is shown again. Windows has progress and badge on the button of the window, which is a new one then; macOS
   * and Linux have progress for the whole app, but only a window can change it.
   */
  redraw(): void
  /** Before the window goes: nothing can take its progress away afterwards. */
  clear(): void
}

/** Tells the platform only what is new to it. */
export function followTaskbar(taskbar: Taskbar): TaskbarFollower {
  let shown: TaskbarView = { progress: null, badge: 0 }
  return {
    update(state) {
      const view = taskbarView(state)
      if (view.progress !== shown.progress) taskbar.setProgress(electronProgress(view.progress))
      if (view.badge !== shown.badge) taskbar.setBadge(view.badge)
      shown = view
    },
    redraw() {
      if (shown.progress !== null) taskbar.setProgress(electronProgress(shown.progress))
      if (shown.badge !== 0) taskbar.setBadge(shown.badge)
    },
    clear: () => taskbar.setProgress(electronProgress(null)),
  }
}

function electronProgress(progress: TaskbarView['progress']): number {
  if (progress === null) return -1
  return progress === 'unknown' ? 2 : progress
}
