/** Explains a command's long waits to the user. */
import type { Timing } from '../../../node/timing.ts'
import type { Report, WaitReason } from './events.ts'

export type Explanation = {
  /** A new reason is reported after five seconds of silence. The same reason is repeated only after a longer time. */
  readonly reason: WaitReason
  readonly message: string
  /** Whether a visible progress display already shows this reason. */
  readonly isProgress?: boolean
}

/** How long a command must be silent before its wait is explained, in ms. */
const EXPLAINED_MS = 5_000
/** Time in ms before the same reason is repeated. It doubles with each repetition. */
const REPEATED_MS = 60_000

type Said = { readonly reason: WaitReason; readonly at: number; readonly repeatMs: number }

/** Reports what a command is waiting for once it has been silent for five seconds (docs/cli.md). */
export function createSilence(inner: Report, { monotonic, after }: Timing) {
  const waits: (() => Explanation | null)[] = []
  let quietSince = monotonic()
  let isOnShow = false
  let last: Said | undefined
  let cancel = after(EXPLAINED_MS, check)

  function check(): void {
    const left = quietSince + EXPLAINED_MS - monotonic()
    if (left <= 0) explain()
    cancel = after(Math.max(left, EXPLAINED_MS / 5), check)
  }

  function explain(): void {
    const explanation = waits.at(-1)?.() ?? null
    if (explanation === null || (explanation.isProgress === true && isOnShow)) return
    const { reason, message } = explanation
    const isRepeated = last?.reason === reason
    if (isRepeated && last !== undefined && monotonic() - last.at < last.repeatMs) return
    const repeatMs = isRepeated && last !== undefined ? last.repeatMs * 2 : REPEATED_MS
    inner.say({ event: 'waiting', reason, message })
    quietSince = monotonic()
    last = { reason, at: quietSince, repeatMs }
  }

  const report: Report = {
    isLive: inner.isLive,
    say(event) {
      quietSince = monotonic()
      inner.say(event)
    },
    sayEach(events) {
      if (events.length > 0) quietSince = monotonic()
      inner.sayEach(events)
    },
    outcomes(count, canRepeat) {
      const { say, end } = inner.outcomes(count, canRepeat)
      return {
        say(event) {
          const isSeen = say(event)
          if (isSeen) quietSince = monotonic()
          return isSeen
        },
        end,
      }
    },
    progress: (steps) => (isOnShow = inner.progress(steps)),
  }

  return {
    /** Forwards every event and remembers when the last one was reported. */
    report,
    /** Explains the wait for `work` if it is long. If waits are nested, the innermost one is explained. */
    async during<T>(given: Explanation | (() => Explanation | null), work: () => Promise<T>): Promise<T> {
      const explanation = typeof given === 'function' ? given : () => given
      waits.push(explanation)
      try {
        return await work()
      } finally {
        waits.splice(waits.lastIndexOf(explanation), 1)
      }
    },
    end: () => cancel(),
  }
}
