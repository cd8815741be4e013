import { backoffDelay } from '../../shared/backoff.ts'
import type { Presets } from '../../shared/api/resources.ts'
import type { ConnectionState } from '../../shared/model/connection.ts'
import type { Timing } from '../../node/timing.ts'
import type { ServiceApi } from '../service-api/index.ts'
import { probe, type VersionRule } from './probe.ts'

/** One address and key in use. */
export type Session = {
  readonly api: ServiceApi
  /** Aborted when the session is over. */
  readonly signal: AbortSignal
  isBeingChecked(): boolean
  /** Asks now whether the service can be used, and again later while it can't be. */
  check(): Promise<void>
  /** What a test has just found needs no check now, but perhaps later. */
  checkAfter(state: ConnectionState): void
  /** What is under way fails, and nothing is told any more. */
  end(): void
}

export type SessionOptions = {
  readonly api: ServiceApi
  readonly timing: Pick<Timing, 'after' | 'random'>
  readonly versionRule: () => VersionRule
  /** ms that a check may take. */
  readonly patience: number
  readonly onChecked: (state: ConnectionState, presets: Presets | null) => void
}

const OFFLINE_PACE = { first: 2_000, longest: 30_000 }
/** A service of the wrong version is asked now and then: it may have been updated. */
const WRONG_VERSION_WAIT_MS = 60_000

/** Asks the service by itself only while it can't be used; afterwards the other modules tell what they see. */
export function createSession(options: SessionOptions): Session {
  const { api, timing, versionRule, patience, onChecked } = options
  const abort = new AbortController()
  let checks = 0
  let failures = 0
  let cancelWait: (() => void) | undefined

  async function check(): Promise<void> {
    cancelWait?.()
    if (abort.signal.aborted) return
    checks++
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(patience)])
    const { state, presets } = await probe(api, versionRule(), signal)
    checks--
    if (abort.signal.aborted) return
    failures = state.status === 'online' ? 0 : failures + 1
    onChecked(state, presets)
    checkAfter(state)
  }

  function checkAfter(state: ConnectionState): void {
    cancelWait?.()
    const wait = waitAfter(state)
    if (wait !== undefined && !abort.signal.aborted) cancelWait = timing.after(wait, () => void check())
  }

  /** ms until the next check; undefined where nothing but a person or another module can bring news. */
  function waitAfter(state: ConnectionState): number | undefined {
    if (state.status === 'wrongVersion') return WRONG_VERSION_WAIT_MS
    return state.status === 'offline' ? backoffDelay(OFFLINE_PACE, failures, timing.random) : undefined
  }

  return {
    api,
    signal: abort.signal,
    isBeingChecked: () => checks > 0,
    check,
    checkAfter,
    end() {
      cancelWait?.()
      abort.abort()
      void api.close()
    },
  }
}
