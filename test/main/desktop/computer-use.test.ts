import type { PowerMonitor } from 'electron'
import { EventEmitter } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { watchComputer } from '../../../src/main/desktop/integration/computer-use.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** Electron's power monitor. */
function monitor() {
  const state = { isOnBattery: false, idleSeconds: 90 }
  const emitter = new EventEmitter()
  const powerMonitor = Object.assign(emitter, {
    isOnBatteryPower: () => state.isOnBattery,
    getSystemIdleTime: () => state.idleSeconds,
  })
  return { state, emitter, powerMonitor: powerMonitor as unknown as PowerMonitor }
}
const ALL = { power: true, idle: true }

it('reads and follows the power supply through Electron on macOS and Windows', async () => {
  const { state, emitter, powerMonitor } = monitor()
  for (const platform of ['darwin', 'win32'] as const) {
    state.isOnBattery = false
    const computer = watchComputer({ powerMonitor, platform, powerSupplies: '/nowhere', isWayland: false })
    expect(await computer.read(ALL)).toEqual({ power: 'mains', idleMs: 90_000 })
    // Neither reports whether there is a battery.
    expect(await computer.abilities()).toEqual({ battery: 'unknown', idle: true })
    let changes = 0
    const stop = computer.onPower?.(() => (changes += 1))
    state.isOnBattery = true
    emitter.emit('on-battery')
    expect([changes, (await computer.read(ALL)).power]).toEqual([1, 'battery'])
    emitter.emit('on-ac')
    stop?.()
    emitter.emit('on-ac')
    expect(changes).toBe(2)
  }
})

it('reads the power supply from the kernel on Linux, and doesn’t know the idle time on Wayland', async () => {
  const { powerMonitor } = monitor()
  const folder = temporaryFolder()
  await mkdir(join(folder, 'BAT0'))
  await writeFile(join(folder, 'BAT0', 'type'), 'Battery\n')
  await writeFile(join(folder, 'BAT0', 'status'), 'Discharging\n')
  const linux = { powerMonitor, platform: 'linux', powerSupplies: folder } as const
  const onX11 = watchComputer({ ...linux, isWayland: false })
  expect(await onX11.read(ALL)).toEqual({ power: 'battery', idleMs: 90_000 })
  expect(await onX11.abilities()).toEqual({ battery: 'present', idle: true })
  expect(onX11.onPower).toBeUndefined()
  const onWayland = watchComputer({ ...linux, isWayland: true })
  expect(await onWayland.read(ALL)).toEqual({ power: 'battery', idleMs: null })
  expect((await onWayland.abilities()).idle).toBe(false)
})

it('reads only what is needed', async () => {
  const { powerMonitor } = monitor()
  const computer = watchComputer({
    powerMonitor,
    platform: 'darwin',
    powerSupplies: '/nowhere',
    isWayland: false,
  })
  expect(await computer.read({ power: false, idle: false })).toEqual({ power: 'unknown', idleMs: null })
})
