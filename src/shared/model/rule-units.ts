/** The units in which users enter the amounts of conditions. */

/** Bytes of each unit. */
export const SIZE_UNITS = { kB: 1_000, MB: 1_000_000, GB: 1_000_000_000 } as const
/** Milliseconds of each unit. */
export const DURATION_UNITS = { seconds: 1_000, minutes: 60_000 } as const
/** Milliseconds of each unit. */
export const AGE_UNITS = { hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 } as const
