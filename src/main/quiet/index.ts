export { createQuietMode, type ComputerWatch, type QuietMode } from './quiet-mode.ts'
export { POWER_SUPPLIES, readLinuxPower } from './linux-power.ts'
