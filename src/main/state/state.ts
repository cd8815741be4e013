/**
 * The one state of the main process and its change feed. Rooms set slices; whoever shows something reads the whole or
 * listens. Slices are immutable: the same object means that nothing changed, and then nobody is told.
 */
import type { AppState, Snapshot, StateChange } from '../../shared/model/app-state.ts'

export interface StateStore {
  get(): AppState
  snapshot(): Snapshot
  set(slices: Partial<AppState>): void
  /** Every change at once, for the tray and the notifications. */
  onChange(listener: (state: AppState, before: AppState) => void): () => void
}

/** @param initial version 0 */
export function createStateStore(initial: AppState): StateStore {
  let state = initial
  let version = 0
  const listeners = new Set<(state: AppState, before: AppState) => void>()

  return {
    get: () => state,
    snapshot: () => ({ version, state }),
    set(slices) {
      const changed = changedSlices(state, slices)
      if (changed === undefined) return
      const before = state
      state = { ...state, ...changed }
      version += 1
      for (const listener of listeners) listener(state, before)
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
  let sent = store.get()
  let timer: unknown

  const flush = () => {
    timer = undefined
    const { version, state } = store.snapshot()
    const slices = changedSlices(sent, state)
    sent = state
    if (slices !== undefined) options.send({ version, slices })
  }
  const stop = store.onChange(() => {
    timer ??= options.setTimer(flush, options.interval)
  })
  return () => {
    stop()
    if (timer !== undefined) options.clearTimer(timer)
  }
}
