import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createQuietMode } from '../../../src/main/quiet/index.ts'
import { createSettings } from '../../../src/main/settings/settings.ts'
import { QuietConditions } from '../../../src/shared/model/settings.ts'
import { holdTime } from '../watch/held-time.ts'
import { scriptedComputer, type ScriptedComputer } from './scripted-computer.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = Date.parse('2026-11-25T12:00Z')

/** Quiet mode with a clock and a computer that the test controls. */
function start(conditions: Partial<QuietConditions>, computer: ScriptedComputer = scriptedComputer()) {
  const values = new Map<string, unknown>()
  const settings = createSettings({
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    damage: null,
    keptAs: null,
  })
  const choose = (next: Partial<QuietConditions>) =>
    settings.update({ quiet: { ...QuietConditions.parse({}), ...next } })
  choose(conditions)
  const time = holdTime()
  const wall = { shift: NOON }
  let offset = 0
  const changes: (string | null)[] = []
  const mode = createQuietMode({
    settings,
    computer,
    zone: () => () => offset,
    timing: { clock: () => wall.shift + time.timing.monotonic(), after: time.timing.after },
    onChange: () => changes.push(mode.wait()?.reason ?? null),
  })
  onTestFinished(mode.close)
  return {
    ...time,
    mode,
    settings,
    choose,
    computer,
    changes,
    /** Sets the clock, without any time passing. */
    setClock: (to: number) => void (wall.shift = to - time.timing.monotonic()),
    travel: (hours: number) => void (offset = hours * HOUR),
    /** Lets time pass, and what was requested meanwhile be answered. */
    later: async (ms: number): Promise<void> => {
      await turn()
      time.pass(ms)
      await turn()
    },
    reason: () => mode.wait()?.reason ?? null,
  }
}

describe('quiet mode', () => {
  it('needs no timer and reads nothing while all jobs may always run', async () => {
    const { dueWithin, computer, later, reason } = start({})
    await later(HOUR)
    expect([dueWithin(24 * HOUR), computer.reads, reason()]).toEqual([0, [], null])
  })

  it('begins and ends at the time of day', async () => {
    const { later, reason, changes, mode } = start({ between: true, from: '13:00', until: '14:00' })
    expect(mode.wait()).toEqual({ reason: 'time', until: NOON + HOUR })
    await later(HOUR - 1)
    expect(reason()).toBe('time')
    await later(1)
    expect(reason()).toBeNull()
    await later(HOUR)
    expect(reason()).toBe('time')
    // The first change reports what the computer can do.
    expect(changes).toEqual(['time', null, 'time'])
  })

  it('notices within a minute that the clock or the time zone has changed, and at once after sleep', async () => {
    const { later, reason, setClock, travel, mode } = start({ between: true, from: '13:00', until: '14:00' })
    setClock(NOON + HOUR)
    await later(MINUTE)
    expect(reason()).toBeNull()
    travel(1)
    await later(MINUTE)
    expect(reason()).toBe('time')
    // The computer slept until the next afternoon.
    travel(0)
    setClock(NOON + 25 * HOUR)
    mode.check()
    expect(reason()).toBeNull()
  })

  it('follows a power supply that reports its changes, without polling', async () => {
    const { computer, later, reason, dueWithin } = start({ plugged: true })
    await later(0)
    expect(reason()).toBeNull()
    computer.set({ power: 'battery' })
    await later(0)
    expect([reason(), dueWithin(24 * HOUR)]).toEqual(['power', 0])
    computer.set({ power: 'mains' })
    await later(0)
    expect(reason()).toBeNull()
  })

  it('polls a silent power supply, every second while there is work', async () => {
    const { computer, later, reason, mode } = start(
      { plugged: true },
      scriptedComputer({}, { reports: false }),
    )
    await later(0)
    computer.set({ power: 'battery' })
    await later(9_999)
    expect(reason()).toBeNull()
    await later(1)
    expect(reason()).toBe('power')
    mode.setBusy(true)
    await later(0)
    computer.set({ power: 'mains' })
    await later(1_000)
    expect(reason()).toBeNull()
  })

  it('computes when the computer can be idle for long enough, and notices the user’s return only while jobs run', async () => {
    const { computer, later, reason, mode, dueWithin } = start({ idle: true, idleMinutes: 5 })
    computer.set({ idleMs: 2 * MINUTE })
    mode.check()
    await turn()
    const before = computer.reads.length
    await later(MINUTE)
    expect(reason()).toBe('idle')
    computer.set({ idleMs: 5 * MINUTE })
    await later(2 * MINUTE)
    expect(reason()).toBeNull()
    expect(computer.reads.length - before).toBeLessThan(6)
    expect(dueWithin(HOUR)).toBe(0)
    mode.setBusy(true)
    await later(0)
    computer.set({ idleMs: 100 })
    await later(2_000)
    expect(reason()).toBe('idle')
  })

  it('starts nothing before it knows whether the computer is plugged in', async () => {
    const { reason, later } = start({ plugged: true })
    expect(reason()).toBe('power')
    await later(0)
    expect(reason()).toBeNull()
  })

  it('doesn’t wait for a computer that can’t be read', async () => {
    const computer: ScriptedComputer = { ...scriptedComputer(), read: () => Promise.reject(new Error('no')) }
    const { reason, later } = start({ plugged: true, idle: true }, computer)
    await later(0)
    expect(reason()).toBeNull()
  })

  it('pauses and resumes at once', async () => {
    const { settings, reason, later } = start({})
    settings.update({ outboxPaused: true, pausedUntil: NOON + HOUR })
    expect(reason()).toBe('paused')
    await later(HOUR)
    expect(reason()).toBeNull()
    settings.update({ pausedUntil: null })
    expect(reason()).toBe('paused')
    settings.update({ outboxPaused: false })
    expect(reason()).toBeNull()
  })
})
