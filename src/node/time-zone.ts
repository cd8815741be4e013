import type { Zone } from '../shared/time-window.ts'

/**
 * Returns the system's time zone as it is now. Node reads the zone once, and after that only when TZ changes. On Windows, or if TZ is set,
 * the result stays the same until the process is restarted.
 */
export function systemZone(): Zone {
  if (process.env['TZ'] === undefined) delete process.env['TZ']
  return (instant) => new Date(instant).getTimezoneOffset() * -60_000
}
