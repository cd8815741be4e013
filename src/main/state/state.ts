/**
 * The one state of the main process and its change feed. Modules set slices; whoever shows something reads the whole or
 * listens. Slices are immutable: the same object means that nothing changed, and then nobody is told.
 */
import type { AppState, Snapshot, StateChange } from '../../shared/model/app-state.ts'
import { nextPiece } from './list-difference.ts'

export interface StateStore {
  get(): AppState
  set(slices: Partial<AppState>): void
  /**
   * As `set`, once for all changes of one turn of the loop: the slices are made when the turn is over, or when somebody
   * asks for the state before. The same function is called once, however often it was given.
   */
  setLater(make: () => Partial<AppState>): void
  /** Every change at once, for the tray and the notifications. */
  onChange(listener: (state: AppState, before: AppState) => void): () => void
}

export function createStateStore(initial: AppState): StateStore {
  let state = initial
  const listeners = new Set<(state: AppState, before: AppState) => void>()
  const awaited = new Set<() => Partial<AppState>>()

  function set(slices: Partial<AppState>): void {
    const changed = changedSlices(state, slices)
    if (changed === undefined) return
    const before = state
    state = { ...state, ...changed }
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

export interface ChangeFeed {
  /** Where a reader begins: the changes that are sent from now on follow on it. */
  snapshot(): Snapshot
  end(): void
}

/** So many entries of the outbox are sent at once. Ten thousand would stop this process and the page for several frames. */
const ENTRIES_AT_ONCE = 1_000

/** What one event changes, such as an answer of the service, comes within so many ms and is told as one. */
const MOMENT_MS = 5

/**
 * Sends what is new since the snapshot that the reader holds: at once after a quiet time, since somebody may have just pressed
 * a button, and several changes in one where they come quickly.
 */
export function feedChanges(store: StateStore, options: FeedOptions): ChangeFeed {
  let version = 0
  let sent = store.get()
  let isDue = false
  /** Nothing is sent before it is over. */
  let timer: unknown

  const sendSoon = () => {
    isDue = true
    timer ??= options.setTimer(goOn, MOMENT_MS)
  }

  function goOn(): void {
    timer = undefined
    if (isDue) send()
  }

  function stopTimer(): void {
    if (timer !== undefined) options.clearTimer(timer)
    timer = undefined
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
    timer = options.setTimer(goOn, options.interval)
    isDue = change?.put.length === ENTRIES_AT_ONCE
  }

  const stop = store.onChange(sendSoon)
  return {
    snapshot() {
      // What waits is sent first: whoever holds an older snapshot would never be told of it.
      stopTimer()
      send()
      if (sent.outbox.length <= ENTRIES_AT_ONCE) return { version, state: sent }
      sent = { ...sent, outbox: sent.outbox.slice(0, ENTRIES_AT_ONCE) }
      // That one is told by the next change that it has missed this one.
      version += 1
      sendSoon()
      return { version, state: sent }
    },
    end() {
      stop()
      stopTimer()
    },
  }
}
