/** What happens when a run of work has come to its end: once for each run, and never over somebody's head. */
import type { Settings } from '../../../shared/model/settings.ts'
import type { AppState } from '../../../shared/model/app-state.ts'

export type WhenDoneActions = {
  readonly sound: () => void
  readonly quit: () => void
  readonly sleep: () => void
}

type WorkReading = {
  /** Jobs that are not over, and submissions that wait or are being sent. */
  readonly unfinished: number
  /** A submission was refused or is in doubt, a job had problems, a key is missing: the person is to see it. */
  readonly needsPerson: boolean
}

export type WhenDoneOptions = {
  readonly choice: () => Settings['whenDone']
  readonly actions: WhenDoneActions
  /** Runs something once after some ms. @returns a function that prevents it */
  readonly after: (ms: number, run: () => void) => () => void
  /** Time to object to quitting or sleeping, in ms. */
  readonly noticeMs?: number
  /** Quitting or sleeping comes in so many ms, and can be prevented until then; null: it is off again. */
  readonly onPending: (pending: { readonly action: 'quit' | 'sleep'; readonly inMs: number } | null) => void
}

export interface WhenDone {
  update(reading: WorkReading): void
  /** The person says no, for this run. */
  cancel(): void
  close(): void
}

const NOTICE_MS = 30_000
/** A watched folder or a script often brings the next job at once. */
const SOUND_MS = 1_500

export function createWhenDone(options: WhenDoneOptions): WhenDone {
  const { choice, actions, after, onPending, noticeMs = NOTICE_MS } = options
  let isRunning = false
  let neededPerson = false
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
      // The person may have chosen otherwise in the meantime.
      if (choice() === action) actions[action]()
      else if (action !== 'sound') onPending(null)
    })
    if (action === 'sound') return
    isAnnounced = true
    onPending({ action, inMs })
  }

  return {
    update({ unfinished, needsPerson }) {
      if (unfinished > 0) {
        cancel()
        if (!isRunning) neededPerson = false
        isRunning = true
        neededPerson ||= needsPerson
        return
      }
      if (needsPerson) cancel()
      if (!isRunning) return
      isRunning = false
      if (!needsPerson && !neededPerson) begin()
    },
    cancel,
    close: cancel,
  }
}

/** Waiting, here or in the queue of the service, is no work. */
export const isWorking = ({ jobs, outbox }: AppState): boolean =>
  jobs.some((job) => job.stage.kind !== 'queued') || outbox.some((entry) => entry.state.kind === 'sending')

/** Reads one state after the other. Problems from before a run of work are no reason to leave its end to the person. */
export function createWorkReader(first: AppState): (state: AppState) => WorkReading {
  let unfinished = 0
  let unseenBefore = first.unseen

  return (state) => {
    const left = state.jobs.length + state.outbox.length
    const begins = unfinished === 0 && left > 0
    unseenBefore = begins ? state.unseen : Math.min(unseenBefore, state.unseen)
    unfinished = left
    return { unfinished, needsPerson: needsPerson(state, unseenBefore) }
  }
}

const needsPerson = ({ outbox, unseen, connection }: AppState, unseenBefore: number): boolean =>
  unseen > unseenBefore ||
  connection.state.status === 'keyRefused' ||
  outbox.some(({ state }) => state.kind === 'refused' || state.kind === 'unknown')
