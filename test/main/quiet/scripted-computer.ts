import type { ComputerWatch } from '../../../src/main/quiet/index.ts'
import type { ComputerUse, QuietAbilities } from '../../../src/shared/model/quiet.ts'
import { createListeners } from '../../../src/node/listeners.ts'

export type ScriptedComputer = ComputerWatch & {
  /** Changes the computer's use, and reports it if the computer reports its power supply. */
  set(use: Partial<ComputerUse>): void
  /** What was read so far. */
  readonly reads: { readonly power: boolean; readonly idle: boolean }[]
}

const ALL: QuietAbilities = { battery: 'present', idle: true }

/** A computer whose power supply and idle time the test decides. */
export function scriptedComputer(
  first: Partial<ComputerUse> = {},
  {
    reports = true,
    abilities = ALL,
  }: { readonly reports?: boolean; readonly abilities?: QuietAbilities } = {},
): ScriptedComputer {
  let use: ComputerUse = { power: 'mains', idleMs: 0, ...first }
  const listeners = createListeners()
  const reads: { readonly power: boolean; readonly idle: boolean }[] = []
  return {
    reads,
    read(needs) {
      reads.push(needs)
      return Promise.resolve(use)
    },
    abilities: () => Promise.resolve(abilities),
    onPower: reports ? listeners.add : undefined,
    set(next) {
      use = { ...use, ...next }
      listeners.call()
    },
  }
}
