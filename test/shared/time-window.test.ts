import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isTimeOfDay,
  isWithin,
  msOfTime,
  nextChange,
  tomorrowMorning,
  type TimeWindow,
  type Zone,
} from '../../src/shared/time-window.ts'
import { zoneNamed } from './model/zones.ts'

const UTC: Zone = () => 0
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const windowOf = (from: string, until: string): TimeWindow => ({
  from: msOfTime(from),
  until: msOfTime(until),
})
const at = (text: string): number => Date.parse(text)
const changeOf = (window: TimeWindow, now: string, zone: Zone): string | null => {
  const change = nextChange(window, at(now), zone)
  return change === null ? null : new Date(change).toISOString()
}

/** Whole and half hours, a shift of half an hour, and a day that was skipped. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Pacific/Apia',
].map((name) => ({ name, zone: zoneNamed(name) }))

/** Days on which some of these zones change their offset, and any other day. */
const someInstant = fc.oneof(
  fc
    .constantFrom(
      '2026-03-29',
      '2026-10-25',
      '2026-03-08',
      '2026-11-01',
      '2026-04-05',
      '2011-12-30',
      '2026-02-15',
    )
    .chain((day) => fc.integer({ min: -36 * 60, max: 36 * 60 }).map((minute) => at(day) + minute * MINUTE)),
  fc.integer({ min: at('2020-01-01'), max: at('2035-01-01') }),
)
const someTime = fc.integer({ min: 0, max: 24 * 60 - 1 }).map((minute) => minute * MINUTE)
const someWindow = fc.record({ from: someTime, until: someTime }).filter(({ from, until }) => from !== until)
const someZone = fc.constantFrom(...ZONES)

describe('a daily window', () => {
  it('contains the times from its beginning until just before its end, across midnight too', () => {
    const night = windowOf('22:00', '07:00')
    const isIn = (time: string) => isWithin(night, at(`2026-11-25T${time}Z`), UTC)
    expect(['21:59:59', '22:00', '23:59', '00:00', '06:59:59', '07:00'].map(isIn)).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
    ])
  })

  it('never ends if it begins when it ends', () => {
    const window = windowOf('09:00', '09:00')
    expect(isWithin(window, at('2026-11-25T03:00Z'), () => 0)).toBe(true)
    expect(changeOf(window, '2026-11-25T03:00Z', () => 0)).toBeNull()
  })

  it('lasts an hour longer or shorter in the nights when the clock changes', () => {
    const berlin = zoneNamed('Europe/Berlin')
    const night = windowOf('22:00', '07:00')
    expect(changeOf(night, '2026-03-28T21:00Z', berlin)).toBe('2026-03-29T05:00:00.000Z')
    expect(changeOf(night, '2026-10-24T20:00Z', berlin)).toBe('2026-10-25T06:00:00.000Z')
  })

  it('begins when the clock jumps over its beginning', () => {
    const berlin = zoneNamed('Europe/Berlin')
    expect(changeOf(windowOf('02:30', '05:00'), '2026-03-28T12:00Z', berlin)).toBe('2026-03-29T01:00:00.000Z')
    expect(changeOf(windowOf('01:00', '02:30'), '2026-03-29T00:30Z', berlin)).toBe('2026-03-29T01:00:00.000Z')
  })

  it('is skipped if none of its times occurs', () => {
    const berlin = zoneNamed('Europe/Berlin')
    expect(changeOf(windowOf('02:10', '02:50'), '2026-03-28T12:00Z', berlin)).toBe('2026-03-30T00:10:00.000Z')
  })

  it('occurs twice if its times do', () => {
    const berlin = zoneNamed('Europe/Berlin')
    const window = windowOf('02:10', '02:50')
    const changes = ['2026-10-25T00:10:00.000Z', '2026-10-25T00:50:00.000Z', '2026-10-25T01:10:00.000Z']
    expect(changeOf(window, '2026-10-24T20:00Z', berlin)).toBe(changes[0])
    expect(changeOf(window, '2026-10-25T00:10Z', berlin)).toBe(changes[1])
    expect(changeOf(window, '2026-10-25T00:50Z', berlin)).toBe(changes[2])
  })

  it('changes at exactly the instant that is computed, and never before', () => {
    fc.assert(
      fc.property(someWindow, someInstant, someZone, (window, now, { zone }) => {
        const change = nextChange(window, now, zone)
        const inside = isWithin(window, now, zone)
        if (change === null) throw new Error('The window never changes.')
        expect(change).toBeGreaterThan(now)
        expect(change - now).toBeLessThan(3 * DAY)
        expect(isWithin(window, change, zone)).toBe(!inside)
        expect(isWithin(window, change - 1, zone)).toBe(inside)
        for (let between = now; between < change; between += 10 * MINUTE)
          expect(isWithin(window, between, zone)).toBe(inside)
      }),
      { numRuns: 150 },
    )
  })
})

describe('tomorrow', () => {
  it('begins at six, and is the same date for someone who works past midnight', () => {
    const berlin = zoneNamed('Europe/Berlin')
    const morning = (now: string) => new Date(tomorrowMorning(at(now), berlin)).toISOString()
    expect(morning('2026-11-25T12:00Z')).toBe('2026-11-26T05:00:00.000Z')
    expect(morning('2026-11-25T23:30Z')).toBe('2026-11-26T05:00:00.000Z')
    expect(morning('2026-11-26T03:30Z')).toBe('2026-11-27T05:00:00.000Z')
    expect(morning('2026-11-26T06:00Z')).toBe('2026-11-27T05:00:00.000Z')
  })

  it('is between two hours and a little more than a day away', () => {
    fc.assert(
      fc.property(someInstant, someZone, (now, { name, zone }) => {
        fc.pre(name !== 'Pacific/Apia')
        const wait = tomorrowMorning(now, zone) - now
        expect(wait).toBeGreaterThanOrEqual(2 * HOUR)
        expect(wait).toBeLessThanOrEqual(27 * HOUR)
        expect(new Date(now + wait + zone(now + wait)).toISOString()).toContain('T06:00:00')
      }),
    )
  })
})

it('reads times of day', () => {
  expect(['00:00', '7:00', '07:00', '23:59', '24:00', '12:60', ''].map(isTimeOfDay)).toEqual([
    true,
    false,
    true,
    true,
    false,
    false,
    false,
  ])
  expect(msOfTime('07:30')).toBe(7.5 * HOUR)
})
