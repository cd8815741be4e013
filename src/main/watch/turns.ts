export type Turns = {
  /** What is begun now comes after what was begun before. Once it is closed nothing begins. */
  readonly next: (work: () => Promise<void>) => Promise<void>
  readonly isOpen: () => boolean
  /** Resolves when what is under way has ended. */
  readonly close: () => Promise<void>
}

/** One thing after the other: each finds what the one before has left, and not what it is about to change. */
export function createTurns(onError: (error: unknown) => void): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false
  return {
    next(work) {
      const done = last.then(() => (isClosed ? undefined : work()))
      last = done.catch(onError)
      return done
    },
    isOpen: () => !isClosed,
    async close() {
      isClosed = true
      await last
    },
  }
}
