import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Returns a sequencer for these test files, slowest first, and then all others. Without cached times, as in
 * a fresh clone, vitest starts with the largest files. Some slow ones are small, and would run alone at the end.
 *
 * @param names paths in `test` without `.test.ts`
 */
export function longestFirst(names: readonly string[]): typeof BaseSequencer {
  const files = names.map((name) => `/test/${name}.test.ts`)
  const rankOf = ({ moduleId }: TestSpecification): number => {
    const found = files.findIndex((name) => moduleId.endsWith(name))
    return found === -1 ? files.length : found
  }
  return class LongestFirst extends BaseSequencer {
    override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
      const usual = await BaseSequencer.prototype.sort.call(this, specs)
      return usual.toSorted((one, other) => rankOf(one) - rankOf(other))
    }
  }
}
