import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VariationRanges } from '../../../src/shared/preset/preset.ts'
import { drawVariation } from '../../../src/shared/preset/variation.ts'

const ranges = VariationRanges.parse({ mirror: true })

const draw = (seed: number, file: string, number: number) =>
  JSON.stringify(drawVariation({ ...ranges, seed }, file, number))

const mirrored = (allowed: boolean) =>
  Array.from({ length: 200 }, (_, index) =>
    drawVariation({ ...ranges, mirror: allowed }, 'a.jpg', index + 1),
  ).filter(({ mirror }) => mirror).length

describe('a variation', () => {
  it('is the same every time, and different for another seed, file or number', () => {
    expect(draw(1, 'a.jpg', 1)).toBe(draw(1, 'a.jpg', 1))
    const others = [draw(1, 'a.jpg', 1), draw(2, 'a.jpg', 1), draw(1, 'b.jpg', 1), draw(1, 'a.jpg', 2)]
    expect(new Set(others).size).toBe(4)
  })

  it('is the same on every computer, even if names are stored decomposed', () => {
    expect(drawVariation(ranges, 'Blüte.jpg', 1)).toEqual(drawVariation(ranges, 'Blu\u0308te.jpg', 1))
    expect(drawVariation(VariationRanges.parse({}), 'photo.jpg', 1)).toMatchInlineSnapshot(`
      {
        "brightness": 1.021672477927059,
        "cropBottom": 0.021760608502663672,
        "cropLeft": 0.027190443822182712,
        "cropRight": 0.0018651208863593638,
        "cropTop": 0.011110992156900465,
        "hue": 0.24323786655440927,
        "mirror": false,
        "rotation": -0.10629470087587833,
        "saturation": 0.9452844664361328,
      }
    `)
  })

  it('stays within the ranges of its preset', () => {
    fc.assert(
      fc.property(fc.nat(), fc.string(), fc.integer({ min: 1, max: 1_000 }), (seed, file, number) => {
        const values = drawVariation({ ...ranges, seed }, file, number)
        const { cropLeft, cropTop, cropRight, cropBottom } = values
        expect(Math.abs(values.brightness - 1)).toBeLessThanOrEqual(ranges.brightness)
        expect(Math.abs(values.saturation - 1)).toBeLessThanOrEqual(ranges.saturation)
        expect(Math.abs(values.hue)).toBeLessThanOrEqual(ranges.hue)
        expect(Math.abs(values.rotation)).toBeLessThanOrEqual(ranges.rotation)
        for (const cut of [cropLeft, cropTop, cropRight, cropBottom]) {
          expect(cut).toBeGreaterThanOrEqual(0)
          expect(cut).toBeLessThanOrEqual(ranges.crop)
        }
      }),
    )
  })

  it('is mirrored about half of the time if mirroring is enabled, and never otherwise', () => {
    expect(mirrored(true)).toBeGreaterThan(70)
    expect(mirrored(true)).toBeLessThan(130)
    expect(mirrored(false)).toBe(0)
  })

  it('changes nothing if every range is zero', () => {
    const none = { seed: 1, brightness: 0, saturation: 0, hue: 0, rotation: 0, crop: 0, mirror: false }
    expect(drawVariation(none, 'a.jpg', 1)).toMatchObject({ brightness: 1, saturation: 1, mirror: false })
  })
})
