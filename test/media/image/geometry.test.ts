import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { planGeometry } from '../../../src/media/image/geometry.ts'

const side = fc.integer({ min: 1, max: 9_000 })
const share = fc.double({ min: 0, max: 0.2, noNaN: true })
const recipe = fc.record(
  {
    crop: fc.record({ aspect: fc.double({ min: 0.05, max: 20, noNaN: true }) }),
    size: fc.record({
      width: side,
      height: side,
      fit: fc.constantFrom('inside' as const, 'cover' as const, 'contain' as const),
      enlarge: fc.boolean(),
    }),
    rotate: fc.constantFrom(0 as const, 90 as const, 180 as const, 270 as const),
  },
  { requiredKeys: ['rotate'] },
)
const variation = fc.option(
  fc.record({
    brightness: fc.constant(1),
    saturation: fc.constant(1),
    hue: fc.constant(0),
    rotation: fc.double({ min: -10, max: 10, noNaN: true }),
    cropLeft: share,
    cropTop: share,
    cropRight: share,
    cropBottom: share,
    mirror: fc.boolean(),
  }),
  { nil: undefined },
)

it('the kept area always lies inside the rotated image and inside the box', () => {
  fc.assert(
    fc.property(side, side, recipe, variation, (width, height, recipe, variation) => {
      const { scaled, rotation, kept, image, centred } = planGeometry({ width, height }, recipe, variation)
      const { width: w, height: h } = scaled ?? { width, height }
      const angle = (rotation * Math.PI) / 180
      const turnedWidth = Math.abs(w * Math.cos(angle)) + Math.abs(h * Math.sin(angle))
      const turnedHeight = Math.abs(w * Math.sin(angle)) + Math.abs(h * Math.cos(angle))
      if (recipe.size !== undefined) {
        expect(image.width).toBeLessThanOrEqual(recipe.size.width)
        expect(image.height).toBeLessThanOrEqual(recipe.size.height)
      }
      expect(Math.min(image.width, image.height, w, h)).toBeGreaterThanOrEqual(1)
      if (kept === undefined || centred) return
      expect(Math.min(kept.left, kept.top)).toBeGreaterThanOrEqual(0)
      expect(Math.min(kept.width, kept.height)).toBeGreaterThanOrEqual(1)
      expect(kept.left + kept.width).toBeLessThanOrEqual(turnedWidth + 1e-6)
      expect(kept.top + kept.height).toBeLessThanOrEqual(turnedHeight + 1e-6)
    }),
    { numRuns: 2_000 },
  )
})
