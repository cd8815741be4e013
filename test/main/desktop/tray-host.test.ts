import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTrayHost } from '../../../src/main/desktop/tray/tray-host.ts'

/** A bus whose answers a test gives. */
function bus() {
  const asked: string[] = []
  let answer: boolean | undefined
  return {
    asked,
    say: (next: boolean | undefined) => (answer = next),
    ask: (name: string) => {
      asked.push(name)
      return Promise.resolve(answer)
    },
  }
}

afterEach(() => void vi.useRealTimers())

describe('whether somebody shows tray icons', () => {
  it('is asked on GNOME, and believed', async () => {
    const { ask, say, asked } = bus()
    say(false)
    const host = createTrayHost('linux', 'ubuntu:GNOME', ask)
    expect(host.mayShow()).toBe(true)
    await Promise.resolve()
    expect(host.mayShow()).toBe(false)
    say(true)
    host.refresh()
    await Promise.resolve()
    expect(host.mayShow()).toBe(true)
    expect(asked).toEqual(['org.kde.StatusNotifierWatcher', 'org.kde.StatusNotifierWatcher'])
  })

  it('is taken for granted where it can’t be asked', async () => {
    const { ask } = bus()
    const host = createTrayHost('linux', 'GNOME', ask)
    await Promise.resolve()
    expect(host.mayShow()).toBe(true)
  })

  it('is asked once more where the desktop has only just begun', async () => {
    vi.useFakeTimers()
    for (const second of [true, false]) {
      const { ask, say } = bus()
      say(false)
      const shows = createTrayHost('linux', 'GNOME', ask).shows()
      await vi.advanceTimersByTimeAsync(4_999)
      say(second)
      await vi.advanceTimersByTimeAsync(1)
      expect(await shows).toBe(second)
    }
  })

  it('is not asked elsewhere', () => {
    const { ask, asked } = bus()
    for (const [platform, desktop] of [
      ['linux', 'KDE'],
      ['linux', undefined],
      ['darwin', undefined],
      ['win32', undefined],
    ] as const) {
      expect(createTrayHost(platform, desktop, ask).mayShow()).toBe(true)
    }
    expect(asked).toEqual([])
  })
})
