export { createQuietMode, type ComputerWatch } from './quiet-mode.ts'
export { POWER_SUPPLIES, readLinuxPower } from './linux-power.ts'
