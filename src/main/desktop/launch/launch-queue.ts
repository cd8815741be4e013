/**
 * Explorer starts one process for each selected file, and the Dock sends one event for each: what comes within a moment is
 * one drop.
 */
export type LaunchQueue = {
  add(paths: readonly string[]): void
}

export type LaunchQueueOptions = {
  /** How long it has to be quiet, in ms. */
  readonly quiet: number
  readonly setTimer: (run: () => void, ms: number) => unknown
  readonly clearTimer: (timer: unknown) => void
  readonly deliver: (paths: readonly string[]) => void
}

export function createLaunchQueue({ quiet, setTimer, clearTimer, deliver }: LaunchQueueOptions): LaunchQueue {
  let collected: string[] = []
  let timer: unknown

  function handOver(): void {
    timer = undefined
    const paths = collected
    collected = []
    deliver(paths)
  }

  return {
    add(paths) {
      if (paths.length === 0) return
      collected.push(...paths)
      if (timer !== undefined) clearTimer(timer)
      timer = setTimer(handOver, quiet)
    },
  }
}

/** Keeps what comes before somebody can take it, and hands it over first. */
export function keepUntilTaken<Kept>() {
  const early: Kept[] = []
  let taker = (kept: Kept): void => void early.push(kept)
  return {
    take: (kept: Kept): void => taker(kept),
    handTo: (next: (kept: Kept) => void): void => {
      taker = next
      for (const kept of early.splice(0)) next(kept)
    },
  }
}
