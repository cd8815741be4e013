/**
 * Seeded linear congruential generator with the constants from Numerical Recipes.
 * @returns a generator of numbers from 0 (inclusive) to 1 (exclusive)
 */
export function seededRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
