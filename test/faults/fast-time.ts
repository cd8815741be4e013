/** Time in the tests of faults runs this much faster, in clocks and timers alike. */
export const FASTER = 100

/** The same for every process that takes part, so that one that was killed and its successor agree on what is long ago. */
const BEGINNING = Date.UTC(2026, 10, 1)

/** ms since 1970. */
export const fastClock = (): number => BEGINNING + (Date.now() - BEGINNING) * FASTER
