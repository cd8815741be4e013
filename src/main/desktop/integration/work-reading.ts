/** What the integration reads from the state: whether it works, where to, and whether a person is needed. */
import type { AppState } from '../../../shared/model/app-state.ts'
import type { WorkReading } from './when-done.ts'

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
