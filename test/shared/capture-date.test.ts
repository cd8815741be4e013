import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { captureDate, isCaptureDate, localCaptureDate } from '../../src/shared/capture-date.ts'
import { UNSAFE_IN_NAMES } from '../../src/shared/paths.ts'

describe('a capture date', () => {
  it.each([
    ['2026:03:29 14:05:09', '2026-03-29 14.05.09'],
    ['2026-03-29T14:05:09+0200', '2026-03-29 14.05.09'],
    ['2026-03-29T14:05:09.123Z', '2026-03-29 14.05.09'],
    ['9999:12:31 23:59:59', '9999-12-31 23.59.59'],
    ['1965:08:01 12:00:00', '1965-08-01 12.00.00'],
    ['2024:02:29 00:00:00', '2024-02-29 00.00.00'],
  ])('of %s is readable in a name', (text, date) => expect(captureDate(text)).toBe(date))

  it.each([
    '',
    '0000:00:00 00:00:00',
    '    :  :     :  :  ',
    '0001:01:01 00:00:00',
    '2023:02:29 00:00:00',
    '2026:13:01 00:00:00',
    '2026:03:29 24:00:00',
    '2026:03:29 14:60:09',
    '2026:03:29',
    '../../../etc/passwd',
    '２０２６:03:29 14:05:09',
    '-026:03:29 14:05:09',
  ])('is unknown for %j', (text) => expect(captureDate(text)).toBeUndefined())

  it('is a valid file name on every system, regardless of the text', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.date({ noInvalidDate: true }), fc.string())
        .map(([date, rest]) => date.toISOString() + rest),
    )
    fc.assert(
      fc.property(text, (said) => {
        const date = captureDate(said)
        if (date === undefined) return
        expect(date).toMatch(/^\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d$/)
        expect(date.search(UNSAFE_IN_NAMES)).toBe(-1)
        expect(isCaptureDate(date)).toBe(true)
      }),
    )
  })

  it('of a moment is in the time of this computer', () => {
    expect(localCaptureDate(new Date(2026, 2, 9, 8, 5, 1))).toBe('2026-03-09 08.05.01')
    expect(localCaptureDate(new Date(Number.NaN))).toBeUndefined()
  })
})
