/**
 * Decides whether jobs may run now, and reports every change. Each check computes when the next one is due. The computer is polled
 * only for what it doesn't report, and only while a condition needs it.
 */
import type { Timing } from '../../node/timing.ts'
import {
  quiet,
  sameWait,
  type ComputerUse,
  type QuietAbilities,
  type QuietWait,
} from '../../shared/model/quiet.ts'
import type { Zone } from '../../shared/time-window.ts'
import type { Settings } from '../settings/settings.ts'

export type ComputerWatch = {
  /** Reads only what the conditions need. */
  read(needs: { readonly power: boolean; readonly idle: boolean }): Promise<ComputerUse>
  abilities(): Promise<QuietAbilities>
  /**
   * Calls the listener when the power supply may have changed, and returns a function that removes the listener. Absent if the system
   * doesn't report changes.
   */
  onPower?: ((listener: () => void) => () => void) | undefined
}

/** Interval in ms for a power supply that must be polled. */
const POWER_MS = { busy: 1_000, idle: 10_000 }
/** Interval in ms at which to check whether the user is back while jobs run. */
const RETURN_MS = 2_000
/** Maximum time in ms between checks that depend on the clock, because the user may set it. */
const CLOCK_MS = 60_000

/** Assumed until the computer's use is known. If quiet mode depends on it, nothing starts before then. */
const NOT_READ: ComputerUse = { power: 'battery', idleMs: 0 }
const UNKNOWN: ComputerUse = { power: 'unknown', idleMs: null }

export function createQuietMode(options: {
  readonly settings: Pick<Settings, 'view' | 'onChange'>
  readonly computer: ComputerWatch
  /** Returns the current time zone, which changes when the computer travels. */
  readonly zone: () => Zone
  readonly timing: Pick<Timing, 'clock' | 'after'>
  /** Called when the result of `wait` or `abilities` has changed. */
  readonly onChange: () => void
}) {
  const { settings, computer, zone, timing, onChange } = options
  let use = NOT_READ
  let abilities: QuietAbilities = { battery: 'unknown', idle: true }
  let { wait, nextCheck } = decide()
  let isBusy = false
  let isClosed = false
  let reading: Promise<void> | undefined
  let cancel: (() => void) | undefined

  function decide() {
    return quiet(settings.view(), use, timing.clock(), zone())
  }

  const needs = () => {
    const { plugged, idle } = settings.view().quiet
    return { power: plugged, idle }
  }

  function apply(): void {
    if (isClosed) return
    const before = wait
    ;({ wait, nextCheck } = decide())
    schedule()
    if (!sameWait(before, wait)) onChange()
  }

  function schedule(): void {
    cancel?.()
    const { power, idle } = needs()
    const delays = [
      ...(nextCheck === null ? [] : [Math.min(CLOCK_MS, Math.max(0, nextCheck - timing.clock()))]),
      ...(power && computer.onPower === undefined ? [POWER_MS[isBusy ? 'busy' : 'idle']] : []),
      ...(idle && isBusy && wait === null ? [RETURN_MS] : []),
    ]
    if (delays.length > 0) cancel = timing.after(Math.min(...delays), check)
  }

  async function readUse(): Promise<void> {
    const { power, idle } = needs()
    if (!power && !idle) return
    const read = await computer.read({ power, idle })
    use = read
  }

  /** Checks now, for example because the computer has woken up. */
  function check(): void {
    apply()
    // Don't start a second read while a slow one is still running.
    reading ??= readUse()
      .catch(() => void (use = UNKNOWN))
      .finally(() => {
        reading = undefined
        apply()
      })
  }

  async function readAbilities(): Promise<void> {
    abilities = await computer.abilities()
    if (!isClosed) onChange()
  }

  const stopPower = computer.onPower?.(check)
  const stopSettings = settings.onChange(check)
  check()
  void readAbilities().catch(() => undefined)

  return {
    /** Returns why jobs wait; null if they may run. */
    wait: (): QuietWait | null => wait,
    abilities: (): QuietAbilities => abilities,
    check,
    /** Sets whether there is work that quiet mode could hold back. While there is, the computer is checked more often. */
    setBusy(busy: boolean): void {
      if (busy === isBusy) return
      isBusy = busy
      if (busy) check()
    },
    close: (): void => {
      isClosed = true
      cancel?.()
      stopPower?.()
      stopSettings()
    },
  }
}
