import { backoffDelay } from '../../shared/backoff.ts'
import type { Presets } from '../../shared/api/resources.ts'
import type { ConnectionState } from '../../shared/model/connection.ts'
import type { Timing } from '../../node/timing.ts'
import type { ServiceApi } from '../service-api/index.ts'
import { probe, type VersionRule } from './probe.ts'

/** A session with the service at one address, using one key. */
export type Session = ReturnType<typeof createSession>

const OFFLINE_PACE = { first: 2_000, longest: 30_000 }
/** How often to poll a service with an incompatible version, in ms. It may have been updated. */
const WRONG_VERSION_WAIT_MS = 60_000

/** Polls the service only while it is offline or has an incompatible version. While it is online, other modules report errors. */
export function createSession(options: {
  readonly api: ServiceApi
  readonly timing: Pick<Timing, 'after' | 'random'>
  readonly versionRule: () => VersionRule
  /** How long a check may take, in ms. */
  readonly patience: number
  readonly onChecked: (state: ConnectionState, presets: Presets | null) => void
}) {
  const { api, timing, versionRule, patience, onChecked } = options
  const abort = new AbortController()
  let checks = 0
  let failures = 0
  /**
   * Whether the next check must include the job endpoints. Set after a failure, because health and presets can work while jobs
   * can't be sent or tracked.
   */
  let needsJobs = false
  let cancelWait: (() => void) | undefined

  /** Checks immediately whether the service can be used, and schedules the next check. */
  async function check(): Promise<void> {
    cancelWait?.()
    if (abort.signal.aborted) return
    checks++
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(patience)])
    const { state, presets } = await probe(api, versionRule(), signal, needsJobs)
    checks--
    if (abort.signal.aborted) return
    if (state.status === 'online') needsJobs = false
    failures = state.status === 'online' ? 0 : failures + 1
    onChecked(state, presets)
    checkAfter(state)
  }

  /** Schedules the next check if this state needs one. Call this when a test has already determined the state. */
  function checkAfter(state: ConnectionState): void {
    cancelWait?.()
    const wait = waitAfter(state)
    if (wait !== undefined && !abort.signal.aborted) cancelWait = timing.after(wait, () => void check())
  }

  /** Returns the delay until the next check in ms; undefined if only the user or another module can change the state. */
  function waitAfter(state: ConnectionState): number | undefined {
    if (state.status === 'wrongVersion') return WRONG_VERSION_WAIT_MS
    return state.status === 'offline' ? backoffDelay(OFFLINE_PACE, failures, timing.random) : undefined
  }

  return {
    api,
    /** Aborted when the session ends. */
    signal: abort.signal,
    isBeingChecked: (): boolean => checks > 0,
    check,
    /** Like `check`, but for use after a failed call: the service counts as online only once its job list can be read. */
    checkAfterFailure(): Promise<void> {
      needsJobs = true
      return check()
    },
    checkAfter,
    /** Aborts pending requests. `onChecked` is no longer called. */
    end(): void {
      cancelWait?.()
      abort.abort()
      void api.close()
    },
  }
}
