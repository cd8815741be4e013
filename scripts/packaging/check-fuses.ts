import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { fuseDecisions } from './fuses.ts'

/**
 * Reads the fuses of a packed program back.
 *
 * @returns those that are not as decided
 */
export async function checkFuses(program: string): Promise<readonly string[]> {
  const wire = await getCurrentFuseWire(program)
  return Object.entries(fuseDecisions).flatMap(([place, on]) => {
    const state = Object.entries(wire).find(([key]) => key === place)?.[1]
    const wanted = on ? FuseState.ENABLE : FuseState.DISABLE
    return state === wanted ? [] : [`the fuse ${FuseV1Options[Number(place)]} is not ${on ? 'on' : 'off'}`]
  })
}
