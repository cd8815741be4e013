/** Reads the power supply and the idle time, as far as the system reports them. */
import type { PowerMonitor } from 'electron'
import { readLinuxPower, type ComputerWatch } from '../../quiet/index.ts'

/**
 * Watches how the computer is used, through Electron. On Linux, reads the power supply from the system's files instead. On Wayland, the
 * idle time is unknown.
 */
export function watchComputer(options: {
  readonly powerMonitor: Pick<PowerMonitor, 'isOnBatteryPower' | 'getSystemIdleTime' | 'on' | 'off'>
  readonly platform: NodeJS.Platform
  /** The folder in which Linux describes each power supply. */
  readonly powerSupplies: string
  /** Whether the session uses Wayland, where Electron always reports that the computer isn't idle. */
  readonly isWayland: boolean
}): ComputerWatch {
  const { powerMonitor, platform, powerSupplies, isWayland } = options
  const isLinux = platform === 'linux'
  const knowsIdle = !(isLinux && isWayland)

  async function power() {
    if (isLinux) return (await readLinuxPower(powerSupplies)).power
    return powerMonitor.isOnBatteryPower() ? 'battery' : 'mains'
  }

  return {
    read: async (needs) => ({
      power: needs.power ? await power() : 'unknown',
      idleMs: needs.idle && knowsIdle ? powerMonitor.getSystemIdleTime() * 1000 : null,
    }),
    abilities: async () => ({
      battery: isLinux ? (await readLinuxPower(powerSupplies)).battery : 'unknown',
      idle: knowsIdle,
    }),
    onPower: isLinux
      ? undefined
      : (listener) => {
          powerMonitor.on('on-ac', listener)
          powerMonitor.on('on-battery', listener)
          return () => {
            powerMonitor.off('on-ac', listener)
            powerMonitor.off('on-battery', listener)
          }
        },
  }
}
