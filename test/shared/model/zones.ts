import type { Zone } from '../../../src/shared/time-window.ts'

/** The offsets of a named time zone, from the system's own data. */
export function zoneNamed(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (instant) => {
    const second = Math.floor(instant / 1000) * 1000
    const part = Object.fromEntries(
      format.formatToParts(second).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part
    return Date.UTC(year, month - 1, day, hour, minute, part['second']) - second
  }
}
