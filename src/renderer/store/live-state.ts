import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import { draftConnection, type AppState, type StateChange } from '../../shared/model/app-state.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import { withChange } from '../../shared/model/list-change.ts'

type Slices = { readonly [Slice in keyof AppState]: Signal<AppState[Slice]> }

/** The state of the main process as signals. A component reads only the slices it renders. */
export type LiveState = { readonly [Slice in keyof AppState]: ReadonlySignal<AppState[Slice]> } & {
  readonly draftConnection: ReadonlySignal<ConnectionView>
}

const namesOf = (state: AppState | Slices) => Object.keys(state) as readonly (keyof AppState)[]

const signalsOf = (state: AppState): Slices =>
  Object.fromEntries(namesOf(state).map((name) => [name, signal(state[name])])) as Slices

function assign<Name extends keyof AppState>(
  slices: Slices,
  name: Name,
  values: Partial<Pick<AppState, Name>>,
): void {
  const value = values[name]
  if (value !== undefined) slices[name].value = value
}

const apply = (slices: Slices, values: Partial<AppState>): void =>
  batch(() => namesOf(slices).forEach((name) => assign(slices, name, values)))

/**
 * Reads a snapshot and then applies changes. Changes that arrive before the snapshot are queued. A gap in the versions means that
 * a change was missed, so a new snapshot is read.
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
      // If the snapshot fails, the next change requests it again.
      catchingUp = catchUp().catch(() => {
        catchingUp = null
      })
      return
    }
    version = change.version
    const { outbox } = change
    apply(slices, {
      ...change.slices,
      ...(outbox && { outbox: withChange(slices.outbox.peek(), outbox) }),
    })
  }

  const catchUp = async (): Promise<void> => {
    const snapshot = await bridge.app.snapshot()
    version = snapshot.version
    if (slices === null) slices = signalsOf(snapshot.state)
    else apply(slices, snapshot.state)
    catchingUp = null
    // `take` skips changes that the snapshot contains. Drop changes after a remaining gap: the next change detects the gap.
    for (const change of early.splice(0)) if (change.since <= version) take(change)
  }

  bridge.on('stateChanged', take)
  catchingUp = catchUp()
  await catchingUp
  if (slices === null) throw new Error('The snapshot contained no state')
  const live: Slices = slices
  const { connection, services, draft } = live
  return {
    ...live,
    draftConnection: computed(() =>
      draftConnection({ connection: connection.value, services: services.value, draft: draft.value }),
    ),
  }
}
