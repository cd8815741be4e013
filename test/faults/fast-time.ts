/** Factor by which clocks and timers run faster in the fault tests. */
export const FASTER = 100

/** Shared by all processes of a run, so that a killed process and its successor agree on ages. */
const BEGINNING = Date.UTC(2026, 10, 1)

/** Returns the accelerated time in ms since 1970. */
export const fastClock = (): number => BEGINNING + (Date.now() - BEGINNING) * FASTER
