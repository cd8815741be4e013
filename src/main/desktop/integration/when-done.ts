/** Runs the user's "when done" action once per series of jobs. The user can cancel a quit or sleep before it happens. */
import type { Settings } from '../../../shared/model/settings.ts'
import type { AppState } from '../../../shared/model/app-state.ts'

export type WhenDoneActions = {
  readonly sound: () => void
  readonly quit: () => void
  readonly sleep: () => void
}

type Activity = {
  /** Number of unfinished jobs plus submissions in the outbox. */
  readonly unfinished: number
  /** Whether the user needs to act: a submission was refused or is uncertain, a job had problems, or the service rejects the key. */
  readonly needsAttention: boolean
}

const NOTICE_MS = 30_000
/** Delay of the sound in ms, because a watched folder or a script often adds the next job immediately. */
const SOUND_MS = 1_500

export function createWhenDone(options: {
  readonly choice: () => Settings['whenDone']
  readonly actions: WhenDoneActions
  /**
   * Runs a callback after `ms` milliseconds.
   * @returns a function that cancels it
   */
  readonly after: (ms: number, run: () => void) => () => void
  /** Time in ms during which the user can cancel an automatic quit or sleep. */
  readonly noticeMs?: number
  /** Announces a quit or sleep that can still be canceled; null if it was canceled. Not called after it has happened. */
  readonly onPending: (pending: { readonly action: 'quit' | 'sleep'; readonly inMs: number } | null) => void
}) {
  const { choice, actions, after, onPending, noticeMs = NOTICE_MS } = options
  let isRunning = false
  let neededAttention = false
  let stop: (() => void) | undefined
  let isAnnounced = false

  function cancel(): void {
    stop?.()
    stop = undefined
    if (isAnnounced) onPending(null)
    isAnnounced = false
  }

  function begin(): void {
    const action = choice()
    if (action === 'nothing') return
    const inMs = action === 'sound' ? SOUND_MS : noticeMs
    stop = after(inMs, () => {
      stop = undefined
      isAnnounced = false
      // The setting may have changed in the meantime.
      if (choice() === action) actions[action]()
      else if (action !== 'sound') onPending(null)
    })
    if (action === 'sound') return
    isAnnounced = true
    onPending({ action, inMs })
  }

  return {
    update({ unfinished, needsAttention }: Activity): void {
      if (unfinished > 0) {
        cancel()
        if (!isRunning) neededAttention = false
        isRunning = true
        neededAttention ||= needsAttention
        return
      }
      if (needsAttention) cancel()
      if (!isRunning) return
      isRunning = false
      if (!needsAttention && !neededAttention) begin()
    },
    cancel,
    close: cancel,
  }
}

/** Whether anything is being processed or sent. Waiting submissions, and jobs that are queued or paused, don't count. */
export const isWorking = ({ jobs, outbox }: AppState): boolean =>
  jobs.some((job) => job.stage.kind !== 'queued' && job.held === undefined) ||
  outbox.some((entry) => entry.state.kind === 'sending')

/**
 * Creates a function that compares successive states. Problems that existed before the current series of jobs don't count as needing
 * attention.
 */
export function followActivity(first: AppState): (state: AppState) => Activity {
  let unfinished = 0
  let unseenBefore = first.unseen

  return (state) => {
    const left = state.jobs.length + state.outbox.length
    const begins = unfinished === 0 && left > 0
    unseenBefore = begins ? state.unseen : Math.min(unseenBefore, state.unseen)
    unfinished = left
    return { unfinished, needsAttention: needsAttention(state, unseenBefore) }
  }
}

const needsAttention = ({ outbox, unseen, connection }: AppState, unseenBefore: number): boolean =>
  unseen > unseenBefore ||
  connection.state.status === 'keyRefused' ||
  outbox.some(({ state }) => state.kind === 'refused' || state.kind === 'unknown')
