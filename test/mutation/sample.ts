import { createHash } from 'node:crypto'
import type { Mutant } from './find-mutants.ts'

/**
 * At least one mutant of each file, and otherwise a share by size. Chance is a hash of the seed and the mutant's own words: a
 * change elsewhere leaves the choice as it is, so that two runs can be compared.
 */
export function sampleOf(mutants: readonly Mutant[], size: number, seed: string): readonly Mutant[] {
  const share = Math.min(1, size / Math.max(1, mutants.length))
  const files = Map.groupBy(mutants, (mutant) => mutant.file)
  return [...files.values()].flatMap((ofFile) => {
    const count = Math.max(1, Math.round(ofFile.length * share))
    const drawn = ofFile.map((mutant) => ({ mutant, lot: lotOf(mutant, seed) }))
    return drawn
      .toSorted((one, other) => (one.lot < other.lot ? -1 : 1))
      .slice(0, count)
      .map(({ mutant }) => mutant)
  })
}

const lotOf = (mutant: Mutant, seed: string) =>
  createHash('sha256').update(`${seed}\n${mutant.id}`).digest('hex')
