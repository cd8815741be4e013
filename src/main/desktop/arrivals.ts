/**
 * Explorer starts one process for each selected file, and the Dock sends one event for each: what comes within a moment is
 * one drop.
 */
export type Arrivals = {
  add(paths: readonly string[]): void
  /** Hands over at once what has come so far. */
  flush(): void
}

export type ArrivalsOptions = {
  /** How long it has to be quiet, in ms. */
  readonly quiet: number
  readonly setTimer: (run: () => void, ms: number) => unknown
  readonly clearTimer: (timer: unknown) => void
  readonly deliver: (paths: readonly string[]) => void
}

export function collectArrivals({ quiet, setTimer, clearTimer, deliver }: ArrivalsOptions): Arrivals {
  let collected: string[] = []
  let timer: unknown

  function flush(): void {
    if (timer !== undefined) clearTimer(timer)
    timer = undefined
    const paths = collected
    collected = []
    if (paths.length > 0) deliver(paths)
  }

  return {
    flush,
    add(paths) {
      if (paths.length === 0) return
      collected.push(...paths)
      if (timer !== undefined) clearTimer(timer)
      timer = setTimer(flush, quiet)
    },
  }
}
