/**
 * The one state of the main process and its change feed. Modules set slices; whoever shows something reads the whole or
 * listens. Slices are immutable: the same object means that nothing changed, and then nobody is told.
 */
import type { AppState, Snapshot, StateChange } from '../../shared/model/app-state.ts'

export interface StateStore {
  get(): AppState
  snapshot(): Snapshot
  set(slices: Partial<AppState>): void
  /**
   * As `set`, once for all changes of one turn of the loop: the slices are made when the turn is over, or when somebody
   * asks for the state before. The same function is called once, however often it was given.
   */
  setLater(make: () => Partial<AppState>): void
  /** Every change at once, for the tray and the notifications. */
  onChange(listener: (state: AppState, before: AppState) => void): () => void
}

/** @param initial version 0 */
export function createStateStore(initial: AppState): StateStore {
  let state = initial
  let version = 0
  const listeners = new Set<(state: AppState, before: AppState) => void>()
  const awaited = new Set<() => Partial<AppState>>()

  function set(slices: Partial<AppState>): void {
    const changed = changedSlices(state, slices)
    if (changed === undefined) return
    const before = state
    state = { ...state, ...changed }
    version += 1
    for (const listener of listeners) listener(state, before)
  }

  function setAwaited(): void {
    for (const make of awaited) {
      awaited.delete(make)
      set(make())
    }
  }

  return {
    get() {
      setAwaited()
      return state
    },
    snapshot() {
      setAwaited()
      return { version, state }
    },
    set(slices) {
      setAwaited()
      set(slices)
    },
    setLater(make) {
      if (awaited.size === 0) setImmediate(setAwaited)
      awaited.add(make)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function changedSlices(state: AppState, slices: Partial<AppState>): Partial<AppState> | undefined {
  const names = (Object.keys(slices) as (keyof AppState)[]).filter((name) => slices[name] !== state[name])
  return names.length === 0 ? undefined : pick(slices, names)
}

const pick = (state: Partial<AppState>, names: readonly (keyof AppState)[]): Partial<AppState> =>
  Object.fromEntries(names.map((name) => [name, state[name]]))

export type FeedOptions = {
  /** The least time between two changes, in ms. A page is told at most ten times a second. */
  readonly interval: number
  readonly setTimer: (run: () => void, ms: number) => unknown
  readonly clearTimer: (timer: unknown) => void
  readonly send: (change: StateChange) => void
}

/**
 * Sends what is new since the snapshot that the reader holds, several changes in one where they come quickly.
 *
 * @returns a function that ends the feed
 */
export function feedChanges(store: StateStore, options: FeedOptions): () => void {
  let { state: sent, version: since } = store.snapshot()
  let timer: unknown

  const flush = () => {
    timer = undefined
    const { version, state } = store.snapshot()
    const slices = changedSlices(sent, state)
    sent = state
    if (slices === undefined) return
    options.send({ since, version, slices })
    since = version
  }
  const stop = store.onChange(() => {
    timer ??= options.setTimer(flush, options.interval)
  })
  return () => {
    stop()
    if (timer !== undefined) options.clearTimer(timer)
  }
}
