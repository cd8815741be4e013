import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isPaused,
  pauseFor,
  quiet,
  RESUMED,
  type ComputerUse,
  type QuietRules,
} from '../../../src/shared/model/quiet.ts'
import { QuietConditions, Settings } from '../../../src/shared/model/settings.ts'
import { zoneNamed } from './zones.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const berlin = zoneNamed('Europe/Berlin')
const NOON = Date.parse('2026-11-25T11:00Z')

const rules = (conditions: Partial<QuietConditions> = {}, others: Partial<QuietRules> = {}): QuietRules => ({
  ...Settings.parse({}),
  quiet: { ...QuietConditions.parse({}), ...conditions },
  ...others,
})
const plugged: ComputerUse = { power: 'mains', idleMs: 0 }
const waitOf = (given: QuietRules, use = plugged, now = NOON) => quiet(given, use, now, berlin).wait

const TEN_PM = Date.parse('2026-11-25T21:00Z')

describe('quiet mode', () => {
  it('lets jobs run at any time by default', () => {
    expect(quiet(rules(), { power: 'battery', idleMs: 0 }, NOON, berlin)).toEqual({
      wait: null,
      nextCheck: null,
    })
  })

  it('waits for power, for the time of day, and until the computer is idle', () => {
    expect(waitOf(rules({ plugged: true }), { power: 'battery', idleMs: 0 })).toEqual({
      reason: 'power',
      until: null,
    })
    expect(waitOf(rules({ between: true }))).toEqual({ reason: 'time', until: TEN_PM })
    expect(waitOf(rules({ idle: true }))).toEqual({ reason: 'idle', until: null })
  })

  it('reports the time before other reasons, because nothing happens earlier', () => {
    const all = rules({ plugged: true, between: true, idle: true })
    const onBattery: ComputerUse = { power: 'battery', idleMs: 0 }
    expect(waitOf(all, onBattery)?.reason).toBe('time')
    expect(waitOf(all, onBattery, TEN_PM)?.reason).toBe('power')
    expect(waitOf(all, plugged, TEN_PM)?.reason).toBe('idle')
    expect(waitOf(all, { power: 'mains', idleMs: 5 * MINUTE }, TEN_PM)).toBeNull()
  })

  it('ignores a condition that this computer can’t check', () => {
    const unknown: ComputerUse = { power: 'unknown', idleMs: null }
    expect(quiet(rules({ plugged: true, idle: true }), unknown, NOON, berlin)).toEqual({
      wait: null,
      nextCheck: null,
    })
  })

  it('computes when to check again: when the window or the pause ends, or the computer can be idle for long enough', () => {
    const given = rules({ between: true, idle: true }, { outboxPaused: true, pausedUntil: NOON + HOUR })
    expect(quiet(given, { power: 'mains', idleMs: 2 * MINUTE }, NOON, berlin).nextCheck).toBe(
      NOON + 3 * MINUTE,
    )
    expect(quiet(given, { power: 'mains', idleMs: HOUR }, NOON, berlin).nextCheck).toBe(NOON + HOUR)
    expect(quiet(rules({ between: true }), plugged, TEN_PM, berlin).nextCheck).toBe(TEN_PM + 9 * HOUR)
  })

  it('follows the clock and the time zone that apply at the moment', () => {
    const night = rules({ between: true })
    const newYork = zoneNamed('America/New_York')
    expect(quiet(night, plugged, TEN_PM, berlin).wait).toBeNull()
    expect(quiet(night, plugged, TEN_PM, newYork).wait).toEqual({ reason: 'time', until: TEN_PM + 6 * HOUR })
    // The clock was set back by an hour.
    expect(quiet(night, plugged, TEN_PM - HOUR, berlin).wait).toEqual({ reason: 'time', until: TEN_PM })
  })

  it('never waits longer than until the next check, unless an event ends the wait', () => {
    const someRules = fc.record({
      plugged: fc.boolean(),
      between: fc.boolean(),
      from: fc.constantFrom('00:00', '07:00', '13:37', '22:00'),
      until: fc.constantFrom('00:00', '07:00', '13:38', '23:59'),
      idle: fc.boolean(),
      idleMinutes: fc.integer({ min: 1, max: 60 }),
    })
    const someUse = fc.record({
      power: fc.constantFrom('mains', 'battery', 'unknown'),
      idleMs: fc.option(fc.integer({ min: 0, max: 2 * HOUR })),
    })
    const someTime = fc.integer({ min: NOON, max: NOON + 365 * 24 * HOUR })
    fc.assert(
      fc.property(someRules, someUse, someTime, (conditions, use, now) => {
        const given = rules(conditions)
        const first = quiet(given, use, now, berlin)
        const at = first.nextCheck ?? now + 48 * HOUR
        expect(at).toBeGreaterThan(now)
        // The user stays away in the meantime.
        const idleAt = (time: number) => (use.idleMs === null ? null : use.idleMs + time - now)
        for (const share of [0.25, 0.5, 0.999]) {
          const between = Math.floor(now + (at - now) * share)
          const then = quiet(given, { ...use, idleMs: idleAt(between) }, between, berlin)
          expect(then.wait).toEqual(first.wait)
        }
      }),
    )
  })
})

describe('a pause', () => {
  it('lasts an hour, until tomorrow, or until the user resumes', () => {
    const hour = rules({}, pauseFor('hour', NOON, berlin))
    expect(waitOf(hour)).toEqual({ reason: 'paused', until: NOON + HOUR })
    expect(waitOf(hour, plugged, NOON + HOUR)).toBeNull()
    const tomorrow = rules({}, pauseFor('tomorrow', NOON, berlin))
    expect(waitOf(tomorrow)).toEqual({ reason: 'paused', until: Date.parse('2026-11-26T05:00Z') })
    const forever = rules({}, pauseFor('untilResumed', NOON, berlin))
    expect(waitOf(forever, plugged, NOON + 1000 * HOUR)).toEqual({ reason: 'paused', until: null })
    expect(waitOf({ ...forever, ...RESUMED })).toBeNull()
  })

  it('ends if the clock was set back so far that it would last for days', () => {
    const paused = rules({}, pauseFor('hour', NOON, berlin))
    expect(isPaused(paused, NOON - HOUR)).toBe(true)
    expect(isPaused(paused, NOON - 9 * 365 * 24 * HOUR)).toBe(false)
  })
})
