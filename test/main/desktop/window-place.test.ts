import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MINIMUM_SIZE, placeOnScreen } from '../../../src/main/desktop/windows/window-bounds.ts'

const screen = { x: 0, y: 0, width: 1920, height: 1040 }

describe('the place of the window', () => {
  it('is the middle of the primary display at first', () => {
    expect(placeOnScreen(undefined, [screen])).toEqual({
      x: 520,
      y: 200,
      width: 880,
      height: 640,
      maximized: false,
    })
  })

  it('is where it was, when that can be seen', () => {
    const saved = { x: 2000, y: 50, width: 900, height: 700, maximized: true }
    expect(placeOnScreen(saved, [screen, { x: 1920, y: 0, width: 1280, height: 900 }])).toEqual(saved)
  })

  it('comes back when the display it was on is gone', () => {
    const place = placeOnScreen({ x: 5000, y: -900, width: 900, height: 700, maximized: false }, [screen])
    expect(place).toEqual({ x: 510, y: 170, width: 900, height: 700, maximized: false })
  })

  it('can be taken hold of, whatever was saved and whatever displays there are', () => {
    const area = fc.record({
      x: fc.integer({ min: -4000, max: 4000 }),
      y: fc.integer({ min: -4000, max: 4000 }),
      width: fc.integer({ min: 640, max: 5000 }),
      height: fc.integer({ min: 600, max: 3000 }),
    })
    const saved = fc.record({
      x: fc.integer(),
      y: fc.integer(),
      width: fc.integer({ min: -10, max: 9000 }),
      height: fc.integer({ min: -10, max: 9000 }),
      maximized: fc.boolean(),
    })
    fc.assert(
      fc.property(saved, fc.array(area, { minLength: 1, maxLength: 3 }), (place, areas) => {
        const shown = placeOnScreen(place, areas)
        expect(shown.width).toBeGreaterThanOrEqual(MINIMUM_SIZE.width)
        expect(shown.height).toBeGreaterThanOrEqual(MINIMUM_SIZE.height)
        const grabbable = areas.some(
          (a) =>
            Math.min(shown.x + shown.width, a.x + a.width) - Math.max(shown.x, a.x) >= 120 &&
            shown.y + 40 > a.y &&
            shown.y < a.y + a.height,
        )
        expect(grabbable).toBe(true)
      }),
    )
  })
})
