import { expect, it } from 'vitest'
import { predictMemory } from '../../../src/service/processing/predict-memory.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'

const MIB = 2 ** 20
const predicted = (width: number, height: number, recipe: object): number =>
  predictMemory({ width, height }, { kind: 'image', image: ImageRecipe.parse(recipe) }) / MIB

const SMALLER = { size: { width: 2048, height: 2048 } }

/** The highest resident sizes that `bench/peak-memory.ts` measured, in MiB. */
it.each([
  [4_000, 3_000, { format: 'jpeg', ...SMALLER }, 173],
  [8_000, 6_000, { format: 'jpeg', ...SMALLER }, 236],
  [16_320, 12_288, { format: 'jpeg', ...SMALLER }, 473],
  [16_320, 12_288, { format: 'jpeg', look: 80, ...SMALLER }, 340],
  [4_000, 3_000, { format: 'jpeg' }, 207],
  [8_000, 6_000, { format: 'jpeg' }, 449],
  [8_000, 6_000, { format: 'jpeg', look: 80 }, 824],
  [16_320, 12_288, { format: 'jpeg', rotate: 90 }, 1_940],
  [8_000, 6_000, { format: 'webp' }, 807],
  [4_000, 3_000, { format: 'avif' }, 486],
  [8_000, 6_000, { format: 'png' }, 236],
  [16_320, 12_288, { format: 'tiff' }, 235],
])(
  '%d × %d with %j needs no more than predicted, and at least a fifth of that',
  (width, height, recipe, most) => {
    expect(predicted(width, height, recipe)).toBeGreaterThan(most)
    expect(predicted(width, height, recipe)).toBeLessThan(most * 5)
  },
)

it('is that of the whole box if the result fills one', () => {
  const box = { width: 4_000, height: 4_000 }
  const inside = predicted(4_000, 400, { size: { ...box, fit: 'inside' } })
  expect(predicted(4_000, 400, { size: { ...box, fit: 'contain' } }) - inside).toBeGreaterThan(100)
})

it('is that of a smaller result, and of unknown dimensions that of a worker alone', () => {
  expect(predicted(8_000, 6_000, { size: { width: 400 } })).toBeLessThan(predicted(8_000, 6_000, {}))
  const unknown = { width: null, height: null }
  expect(predictMemory(unknown, { kind: 'image', image: ImageRecipe.parse({}) })).toBe(160 * MIB)
})
