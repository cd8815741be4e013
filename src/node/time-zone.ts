import type { Zone } from '../shared/time-window.ts'

/**
 * Returns the system's time zone as it is now. Node reads it only once, and again only when TZ changes. On Windows, or if TZ is set,
 * it stays the same until the process is restarted.
 */
export function systemZone(): Zone {
  if (process.env['TZ'] === undefined) delete process.env['TZ']
  return (instant) => new Date(instant).getTimezoneOffset() * -60_000
}
