import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MINIMUM_SIZE,
  boundsKeeper,
  boundsOnScreen,
} from '../../../src/main/desktop/windows/window-bounds.ts'

const screen = { x: 0, y: 0, width: 1920, height: 1040 }

describe('the bounds of the window', () => {
  it('are centered on the primary display by default', () => {
    expect(boundsOnScreen(undefined, [screen])).toEqual({
      x: 520,
      y: 200,
      width: 880,
      height: 640,
      maximized: false,
    })
  })

  it('are the saved ones if they are visible', () => {
    const saved = { x: 2000, y: 50, width: 900, height: 700, maximized: true }
    expect(boundsOnScreen(saved, [screen, { x: 1920, y: 0, width: 1280, height: 900 }])).toEqual(saved)
  })

  it('are moved if their display was disconnected', () => {
    const place = boundsOnScreen({ x: 5000, y: -900, width: 900, height: 700, maximized: false }, [screen])
    expect(place).toEqual({ x: 510, y: 170, width: 900, height: 700, maximized: false })
  })

  it('are always reachable, for any saved bounds and any displays', () => {
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
        const shown = boundsOnScreen(place, areas)
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

  it.each([
    ['enough of its title bar is on the display', { x: 1800, y: 300 }, true],
    ['one pixel less is', { x: 1801, y: 300 }, false],
    ['half of the title bar is above the display', { x: 300, y: -20 }, true],
    ['more than half of it is', { x: 300, y: -21 }, false],
    ['half of it is below', { x: 300, y: 1020 }, true],
    ['less than half of it is on the display', { x: 300, y: 1021 }, false],
  ])('are kept only while they are reachable: %s', (_name, at, stays) => {
    const place = boundsOnScreen({ ...at, width: 900, height: 700, maximized: false }, [screen])
    expect(place).toMatchObject(stays ? at : { x: 510, y: 170 })
  })

  it('are never larger than the display or smaller than the minimum', () => {
    const saved = { x: 0, y: 0, width: 5000, height: 100, maximized: false }
    expect(boundsOnScreen(saved, [screen])).toMatchObject({ width: 1920, height: MINIMUM_SIZE.height })
    const small = { x: 0, y: 0, width: 300, height: 300 }
    expect(boundsOnScreen(undefined, [small])).toMatchObject(MINIMUM_SIZE)
    expect(boundsOnScreen(undefined, [])).toMatchObject({ x: 0, y: 0, width: 880, height: 640 })
  })
})

describe('the saved bounds', () => {
  const place = { x: 1, y: 2, width: 900, height: 700, maximized: true }

  it('are read as they were written', () => {
    const store = new Map<string, unknown>()
    const keeper = boundsKeeper({ get: (key) => store.get(key), set: (key, value) => store.set(key, value) })
    expect(keeper.read()).toBeUndefined()
    keeper.write(place)
    expect(keeper.read()).toEqual(place)
  })

  it.each([null, 'middle', { ...place, width: '900' }, { x: 1, y: 2, maximized: false }])(
    'are ignored if they are %j',
    (kept) => {
      expect(boundsKeeper({ get: () => kept, set: () => {} }).read()).toBeUndefined()
    },
  )
})
