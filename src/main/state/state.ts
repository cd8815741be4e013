/**
 * The main process's single state and its change feed. Modules set slices; consumers read the whole state or listen. Slices are
 * immutable: an identical object means no change, and listeners aren't called.
 */
import { createListeners } from '../../node/listeners.ts'
import type { Timing } from '../../node/timing.ts'
import type { AppState, Snapshot, StateChange } from '../../shared/model/app-state.ts'
import { nextPiece } from './list-difference.ts'

export type StateStore = ReturnType<typeof createStateStore>

export function createStateStore(initial: AppState) {
  let state = initial
  const listeners = createListeners<[state: AppState, before: AppState]>()
  const awaited = new Set<() => Partial<AppState>>()

  function set(slices: Partial<AppState>): void {
    const changed = changedSlices(state, slices)
    if (changed === undefined) return
    const before = state
    state = { ...state, ...changed }
    listeners.call(state, before)
  }

  function setAwaited(): void {
    for (const make of awaited) {
      awaited.delete(make)
      set(make())
    }
  }

  return {
    get(): AppState {
      setAwaited()
      return state
    },
    set(slices: Partial<AppState>): void {
      setAwaited()
      set(slices)
    },
    /**
     * Like `set`, but batched per event-loop tick. The slices are computed at the end of the tick, or earlier if the state is read or set.
     * A function passed several times is called once.
     */
    setLater(make: () => Partial<AppState>): void {
      if (awaited.size === 0) setImmediate(setAwaited)
      awaited.add(make)
    },
    /** Calls the listener immediately after every change. */
    onChange: listeners.add,
  }
}

function changedSlices(state: AppState, slices: Partial<AppState>): Partial<AppState> | undefined {
  const names = (Object.keys(slices) as (keyof AppState)[]).filter((name) => slices[name] !== state[name])
  return names.length === 0 ? undefined : pick(slices, names)
}

const pick = (state: Partial<AppState>, names: readonly (keyof AppState)[]): Partial<AppState> =>
  Object.fromEntries(names.map((name) => [name, state[name]]))

export type ChangeFeed = ReturnType<typeof feedChanges>

/** Maximum number of outbox entries per change. Sending ten thousand would block this process and the page for several frames. */
const ENTRIES_AT_ONCE = 1_000

/** Time in ms for which changes are collected and sent as one. A single event, such as a response from the service, may cause several. */
const MOMENT_MS = 5

/**
 * Sends the changes since the reader's snapshot. After a quiet period a change is sent within milliseconds, because the user may be waiting
 * for it. Rapid changes are merged.
 */
export function feedChanges(
  store: StateStore,
  options: {
    /** Minimum interval between two changes, in ms. */
    readonly interval: number
    readonly after: Timing['after']
    readonly send: (change: StateChange) => void
  },
) {
  let version = 0
  let sent = store.get()
  let isDue = false
  /** Cancels the timer. Nothing is sent while it is pending. */
  let cancel: (() => void) | undefined

  const sendSoon = () => {
    isDue = true
    cancel ??= options.after(MOMENT_MS, sendIfDue)
  }

  function sendIfDue(): void {
    cancel = undefined
    if (isDue) send()
  }

  function stopTimer(): void {
    cancel?.()
    cancel = undefined
  }

  function send(): void {
    isDue = false
    const state = store.get()
    const { outbox: _, ...slices } = changedSlices(sent, state) ?? {}
    const { list, change } = nextPiece(sent.outbox, state.outbox, ENTRIES_AT_ONCE)
    sent = { ...state, outbox: list }
    if (change === undefined && Object.keys(slices).length === 0) return
    version += 1
    options.send({ since: version - 1, version, slices, ...(change === undefined ? {} : { outbox: change }) })
    cancel = options.after(options.interval, sendIfDue)
    isDue = change?.put.length === ENTRIES_AT_ONCE
  }

  const stop = store.onChange(sendSoon)
  return {
    /** Returns the current state with at most `ENTRIES_AT_ONCE` outbox entries. Later changes apply to it and add the others. */
    snapshot(): Snapshot {
      // Flush pending changes first, for readers that hold an older snapshot.
      stopTimer()
      send()
      if (sent.outbox.length <= ENTRIES_AT_ONCE) return { version, state: sent }
      sent = { ...sent, outbox: sent.outbox.slice(0, ENTRIES_AT_ONCE) }
      // Readers with the previous snapshot detect the gap at the next change.
      version += 1
      sendSoon()
      return { version, state: sent }
    },
    end(): void {
      stop()
      stopTimer()
    },
  }
}
