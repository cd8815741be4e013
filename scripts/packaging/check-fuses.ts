import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { fuseDecisions } from './fuses.ts'

/**
 * Reads back the fuses of a packed program.
 * @returns the fuses that differ from the decisions
 */
export async function checkFuses(program: string): Promise<readonly string[]> {
  const wire = await getCurrentFuseWire(program)
  return Object.entries(fuseDecisions).flatMap(([place, on]) => {
    const state = Object.entries(wire).find(([key]) => key === place)?.[1]
    const wanted = on ? FuseState.ENABLE : FuseState.DISABLE
    return state === wanted ? [] : [`the fuse ${FuseV1Options[Number(place)]} isn't ${on ? 'on' : 'off'}`]
  })
}
