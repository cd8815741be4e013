import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readLinuxPower } from '../../../src/main/quiet/index.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** Power supplies as the kernel describes them. */
async function supplies(all: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<string> {
  const folder = temporaryFolder()
  for (const [name, fields] of Object.entries(all)) {
    await mkdir(join(folder, name))
    for (const [field, value] of Object.entries(fields))
      await writeFile(join(folder, name, field), `${value}\n`)
  }
  return folder
}
const battery = (status: string) => ({ type: 'Battery', status, present: '1' })

it('reads whether a laptop is plugged in', async () => {
  const plugged = await supplies({ AC: { type: 'Mains', online: '1' }, BAT0: battery('Charging') })
  expect(await readLinuxPower(plugged)).toEqual({ power: 'mains', battery: 'present' })
  const unplugged = await supplies({ AC: { type: 'Mains', online: '0' }, BAT0: battery('Discharging') })
  expect(await readLinuxPower(unplugged)).toEqual({ power: 'battery', battery: 'present' })
})

it('takes any of several adapters, even if the charger is too weak to charge', async () => {
  const folder = await supplies({
    port1: { type: 'USB', online: '0' },
    port2: { type: 'USB', online: '1' },
    BAT0: battery('Discharging'),
  })
  expect(await readLinuxPower(folder)).toEqual({ power: 'mains', battery: 'present' })
})

it('uses the battery’s own status if there is no adapter entry', async () => {
  const draining = await supplies({ battery: battery('Discharging') })
  expect((await readLinuxPower(draining)).power).toBe('battery')
  const charging = await supplies({ battery: battery('Charging') })
  expect((await readLinuxPower(charging)).power).toBe('mains')
})

it('doesn’t take a mouse for the computer’s battery', async () => {
  const folder = await supplies({
    mouse: { ...battery('Discharging'), scope: 'Device' },
    AC: { type: 'Mains', online: '1' },
  })
  expect(await readLinuxPower(folder)).toEqual({ power: 'mains', battery: 'none' })
})

it('knows neither in a container that hides the power supplies', async () => {
  const folder = temporaryFolder()
  expect(await readLinuxPower(join(folder, 'missing'))).toEqual({ power: 'unknown', battery: 'unknown' })
  expect(await readLinuxPower(folder)).toEqual({ power: 'mains', battery: 'none' })
})
