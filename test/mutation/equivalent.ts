import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Mutant } from './find-mutants.ts'

/** A mutant that no test can kill, because nobody could tell it from the code as it is. */
const entry = z.strictObject({
  file: z.string(),
  within: z.string(),
  was: z.string(),
  becomes: z.string(),
  why: z.string().min(1),
})

export type Equivalent = z.infer<typeof entry>

const keyOf = ({ file, within, was, becomes }: Pick<Mutant, 'file' | 'within' | 'was' | 'becomes'>) =>
  [file, within, was, becomes].join('\n')

export function readEquivalents(): readonly Equivalent[] {
  return z.array(entry).parse(JSON.parse(readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8')))
}

/** Divides mutants by the list, and tells the entries whose code is no longer there. */
export function compareWithList(mutants: readonly Mutant[], list: readonly Equivalent[]) {
  const listed = new Set(list.map(keyOf))
  const known = new Set(mutants.map(keyOf))
  return {
    isEquivalent: (mutant: Mutant) => listed.has(keyOf(mutant)),
    outdated: list.filter((one) => !known.has(keyOf(one))),
  }
}
