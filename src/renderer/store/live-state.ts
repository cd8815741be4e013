import { batch, signal } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { AppState, StateChange } from '../../shared/model/app-state.ts'
import { withChange } from '../../shared/model/list-change.ts'

/** Each slice of the main process's state, as last heard. A component reads only the slices that it draws. */
export type LiveState = { readonly [Slice in Drawn]: ReadonlySignal<AppState[Slice]> }

/** The rest is for the tray and the notifications. */
type Drawn = Exclude<keyof AppState, 'lastProblem' | 'lastResult'>
type Slices = { readonly [Slice in Drawn]: Signal<AppState[Slice]> }

function signalsOf(state: AppState): Slices {
  return {
    connection: signal(state.connection),
    jobs: signal(state.jobs),
    queue: signal(state.queue),
    outbox: signal(state.outbox),
    outboxPaused: signal(state.outboxPaused),
    draft: signal(state.draft),
    intake: signal(state.intake),
    forecast: signal(state.forecast),
    forecastWith: signal(state.forecastWith),
    unseen: signal(state.unseen),
    historyVersion: signal(state.historyVersion),
    notices: signal(state.notices),
    update: signal(state.update),
    ending: signal(state.ending),
    settings: signal(state.settings),
  }
}

/** Gives a slice its new value, where there is one. */
function assign<Value>(slice: Signal<Value>, value: Value | undefined): void {
  if (value !== undefined) slice.value = value
}

function apply(
  slices: Slices,
  values: StateChange['slices'],
  outbox: AppState['outbox'] = slices.outbox.peek(),
): void {
  batch(() => {
    assign(slices.connection, values.connection)
    assign(slices.jobs, values.jobs)
    assign(slices.queue, values.queue)
    slices.outbox.value = outbox
    assign(slices.outboxPaused, values.outboxPaused)
    assign(slices.draft, values.draft)
    assign(slices.intake, values.intake)
    assign(slices.forecast, values.forecast)
    assign(slices.forecastWith, values.forecastWith)
    assign(slices.unseen, values.unseen)
    assign(slices.historyVersion, values.historyVersion)
    assign(slices.notices, values.notices)
    assign(slices.update, values.update)
    assign(slices.ending, values.ending)
    assign(slices.settings, values.settings)
  })
}

/**
 * Takes one snapshot and then follows the changes. Changes that come before the snapshot are kept; a change since
 * a version that was not heard means that one was missed, and a new snapshot is taken.
 */
export async function followState(bridge: Pick<Bridge, 'app' | 'on'>): Promise<LiveState> {
  const early: StateChange[] = []
  let slices: Slices | null = null
  let version = 0
  let catchingUp: Promise<void> | null = null

  const take = (change: StateChange): void => {
    if (slices === null || catchingUp !== null) {
      early.push(change)
      return
    }
    if (change.version <= version) return
    if (change.since !== version) {
      early.push(change)
      // A snapshot that can't be had now is asked for again with the next change.
      catchingUp = catchUp().catch(() => {
        catchingUp = null
      })
      return
    }
    version = change.version
    const { outbox } = change
    apply(slices, change.slices, outbox && withChange(slices.outbox.peek(), outbox))
  }

  const catchUp = async (): Promise<void> => {
    const snapshot = await bridge.app.snapshot()
    version = snapshot.version
    if (slices === null) slices = signalsOf(snapshot.state)
    else apply(slices, snapshot.state, snapshot.state.outbox)
    catchingUp = null
    // What the snapshot holds already is passed over; what still does not follow on is found missing with the next one.
    for (const change of early.splice(0)) if (change.since <= version) take(change)
  }

  bridge.on('stateChanged', take)
  catchingUp = catchUp()
  await catchingUp
  if (slices === null) throw new Error('There is no state after the snapshot')
  return slices
}
