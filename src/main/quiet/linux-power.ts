/** Reads the power supply from Linux, which reports changes only to system services. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ComputerUse, QuietAbilities } from '../../shared/model/quiet.ts'

/** The folder in which the kernel describes each power supply. */
export const POWER_SUPPLIES = '/sys/class/power_supply'

export type LinuxPower = Pick<ComputerUse, 'power'> & Pick<QuietAbilities, 'battery'>

const NOT_REPORTED: LinuxPower = { power: 'unknown', battery: 'unknown' }

/** @param folder as in `POWER_SUPPLIES`; a computer without one, such as a container, doesn't report its power supply */
export async function readLinuxPower(folder: string): Promise<LinuxPower> {
  const names = await readdir(folder).catch(() => undefined)
  if (names === undefined) return NOT_REPORTED
  const supplies = await Promise.all(names.map((name) => readSupply(join(folder, name))))
  const batteries = supplies.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device')
  const adapters = supplies.filter(({ type }) => type === 'Mains' || type === 'USB')
  if (batteries.length === 0) return { power: 'mains', battery: 'none' }
  const isPlugged = adapters.some(({ online }) => online === '1')
  const isDraining = batteries.some(({ status }) => status === 'Discharging')
  // Some tablets have no adapter entry, and some laptops discharge while a weak charger is connected.
  const power = isPlugged || (adapters.length === 0 && !isDraining) ? 'mains' : 'battery'
  return { power, battery: 'present' }
}

/** Reads one power supply. Files may be missing: each kind of supply has only some of them, and it may be unplugged meanwhile. */
async function readSupply(folder: string) {
  const field = async (name: string) => (await readFile(join(folder, name), 'latin1').catch(() => '')).trim()
  const [type, online, status, scope] = await Promise.all([
    field('type'),
    field('online'),
    field('status'),
    field('scope'),
  ])
  return { type, online, status, scope }
}
