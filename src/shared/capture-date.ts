/** Formats the date and time at which a photo or video was taken, for use in result names. */

/** Replaces an unknown date in result names. */
export const UNDATED = 'undated'

const STAMP = /^(\d{4})[:-](\d{2})[:-](\d{2})[ T](\d{2})[:.](\d{2})[:.](\d{2})/

/** The year of the first photo. Earlier years are defaults of devices and programs without a clock. */
const FIRST_YEAR = 1826

/**
 * Converts a camera's date, such as `2026:03:29 14:05:09` or `2026-03-29T14:05:09+0200`, to `2026-03-29 14.05.09`, which every system
 * accepts in names. Keeps the camera's local time.
 * @returns undefined if the text isn't a real date, or is earlier than any photo
 */
export function captureDate(text: string): string | undefined {
  const parts = STAMP.exec(text)?.slice(1) ?? []
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number)
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  return isReal && year >= FIRST_YEAR
    ? `${parts.slice(0, 3).join('-')} ${parts.slice(3).join('.')}`
    : undefined
}

/** Formats a moment like `captureDate`, in the time zone of this computer. */
export function localCaptureDate(moment: Date): string | undefined {
  const minutesWest = moment.getTimezoneOffset()
  const shifted = new Date(moment.getTime() - minutesWest * 60_000)
  return Number.isNaN(shifted.getTime()) ? undefined : captureDate(shifted.toISOString())
}

export const isCaptureDate = (text: string): boolean => captureDate(text) === text
